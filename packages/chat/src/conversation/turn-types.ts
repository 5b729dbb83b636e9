// What a conversation consists of: turns, as they are kept. How they are sent is render.ts, how they are stored history/.
import type { Json, JsonObject } from "@bosun/mcp";
import type { Usage } from "../model/completion-chunk.ts";

export type ToolCall = {
  id: string;
  /** For people, rules and the log: `alias.tool`. */
  name: string;
  /** What the model called it. */
  wire: string;
  /** What the model wrote, broken or not. */
  arguments: string;
  broken?: boolean;
  extras?: JsonObject;
};

/** What became of a call; the words for the model are made from it and are true. */
export type Outcome =
  | "ok"
  | "error" // ran, reports failure
  | "refused"
  | "denied"
  | "cancelled"
  | "timeout"
  | "failed" // could not be completed
  | "unknown" // may or may not have run
  | "not-run"
  | "broken"; // arguments

export type ExecBlock = {
  by: "user" | "model";
  command: string;
  cwd: string;
  /** Undefined: it was not run. */
  exit?: number | string;
  output: string;
};

export type UserTurn = {
  role: "user";
  content: string;
  exec?: ExecBlock[];
  /** Pictures as data URLs, for models that see; not kept in the log. */
  images?: readonly string[];
};

export type AssistantTurn = {
  role: "assistant";
  content: string;
  toolCalls: ToolCall[];
  /** Which model said it: what is opaque goes back to that one only. */
  model: string;
  reasoning?: string;
  reasoningDetails?: Json[];
  finish?: string;
  usage?: Usage;
  interrupted?: boolean;
  cut?: boolean;
  /** Ours, to close an exchange that has no answer. */
  closing?: boolean;
};

export type ToolTurn = {
  role: "tool";
  toolCallId: string;
  name: string;
  content: string;
  outcome: Outcome;
  ms?: number;
  bytes?: number;
  /** Name of the stored whole result. */
  full?: string;
  /** Pictures as data URLs, for models that see; not kept in the log. */
  images?: string[];
};

export type Turn = UserTurn | AssistantTurn | ToolTurn;

export const NOT_RUN = "Not run: the turn was stopped.";
export const NO_OUTPUT = "(no output)";

/** Text in front of a question: what commands printed since the last one. */
export function execText(blocks: readonly ExecBlock[]): string {
  return blocks
    .map(({ command, cwd, exit, output }) => {
      if (exit === undefined) return `[exec] $ ${command}\nnot run: refused by the user\n[end exec]`;
      const body = output === "" ? "" : `${output.replace(/\n$/, "")}\n`;
      return `[exec] $ ${command}\nexit ${exit}, cwd ${cwd}\n${body}[end exec]`;
    })
    .join("\n\n");
}

export function userText(turn: UserTurn): string {
  const before = execText(turn.exec ?? []);
  return [before, turn.content].filter((part) => part.trim() !== "").join("\n\n");
}
