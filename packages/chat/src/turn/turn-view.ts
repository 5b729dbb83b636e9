// What a turn needs from whoever shows it and from whoever decides: a screen with a person, or a pipe with nobody.
import type { Answer as ApprovalAnswer, Ask } from "@bosun/policy";
import type { JsonObject, Progress } from "@bosun/mcp";
import type { Outcome } from "../conversation/turn-types.ts";
import type { Usage } from "../model/completion-chunk.ts";
import type { ResolvedPath } from "../servers/server-config.ts";
import type { Server } from "../servers/mcp-server.ts";
import type { ToolInfo } from "../tools/tool-info.ts";

export type AnswerFacts = {
  ms: number;
  usage: Usage | undefined;
  /** Share of the window in use, 0 to 1. */
  full: number;
  isWindowKnown: boolean;
  /** What the session has cost so far, where prices are known. */
  money: number | undefined;
  reasoningChars: number;
  hasText: boolean;
  isLast: boolean;
};

export type ShownCall = { name: string; arguments: JsonObject | undefined; raw: string };

/** One call while it runs. */
export type RunningCall = {
  progress(progress: Progress): void;
  /** It ended with a result. */
  result(text: string, facts: { outcome: Outcome; ms: number; bytes: number; told: boolean }): void;
  /** It ended without one. */
  failed(words: string, outcome: Outcome): void;
};

export type TurnView = {
  sending(): void;
  waiting(why: string, ms: number): void;
  text(piece: string): void;
  reasoning(piece: string): void;
  answerEnded(facts: AnswerFacts): void;
  status(text: string): void;
  problem(text: string): void;
  callList(names: readonly string[]): void;
  /** How it was decided: for logs and for `--format`. */
  decided(call: ShownCall, decision: "allow" | "deny" | "refuse", by: string): void;
  /** The built-in tool gave the model more of a result that was cut. */
  readBack(call: ShownCall, text: string): void;
  started(call: ShownCall, server: Server): RunningCall;
  /** A call that never started. */
  notRun(call: ShownCall, words: string, outcome: Outcome): void;
};

export type CallQuestion = {
  tool: ToolInfo;
  server: Server;
  arguments: JsonObject;
  ask: Ask;
  isDestructive: boolean;
  /** What changed in the definition since it was allowed. */
  definitionDiff: string | undefined;
  /** Where its paths lead, where their text does not say it. */
  leads: readonly ResolvedPath[];
};

export type CallAnswer =
  | { kind: "yes" }
  | { kind: "no"; reason?: string }
  /** No to this one and to all that wait; the turn ends. */
  | { kind: "stop" }
  | { kind: "remember"; answer: ApprovalAnswer }
  | { kind: "edit"; arguments: JsonObject };

export type LimitAnswer = "continue" | "wrap-up" | "stop";

export type Approver = {
  /** Undefined: there is nobody to ask. */
  approve?: (question: CallQuestion) => Promise<CallAnswer>;
  limit?: (said: string, more: string) => Promise<LimitAnswer>;
};
