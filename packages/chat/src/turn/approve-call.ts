// May this call run, and with which arguments? Rules first, then the approver, again and again until the word is about
// exactly what would be called now. Decides; records and runs nothing.
import { BUILT_IN, nameOfRule } from "@bosun/policy";
import type { Answer } from "@bosun/policy";
import type { JsonObject } from "@bosun/mcp";
import { isDestructive } from "../approval/approval-policy.ts";
import type { Outcome, ToolCall } from "../conversation/turn-types.ts";
import { DENIED, REFUSED, wordsForModel } from "../servers/call-end.ts";
import type { ResolvedPath } from "../servers/server-config.ts";
import type { Server } from "../servers/mcp-server.ts";
import type { ToolInfo } from "../tools/tool-info.ts";
import type { ChatState } from "./chat-state.ts";
import type { Approver, ShownCall, TurnView } from "./turn-view.ts";

/** A call whose tool is known. */
export type Found = { call: ToolCall; shown: ShownCall; tool: ToolInfo; server: Server; arguments: JsonObject };

export type Approval =
  /** `note`: what the model must know about it, before the result. */
  | { kind: "allowed"; found: Found; by: string; note: string }
  | {
      kind: "refused";
      found: Found;
      decision: "deny" | "refuse";
      by: string;
      /** For the person and for the model. */
      said: string;
      words: string;
      outcome: Outcome;
      /** Nobody was there who could have approved it. */
      isUnapproved?: boolean;
      /** The person ended the turn. */
      stops?: boolean;
    }
  | { kind: "gone" };

/** Why a call was refused that a flag would have allowed. */
export const NOBODY_THERE = "nobody could approve it";

export type ApproveContext = { chat: ChatState; view: TurnView; approver: Approver; signal: AbortSignal };

export async function approveCall(found: Found, { chat, view, approver, signal }: ApproveContext): Promise<Approval> {
  const { call, shown, server } = found;
  let args = found.arguments;
  let note = "";
  for (;;) {
    // The list may have changed since the model saw it: what is decided about is what would be called now.
    const tool = currentTool(server, found.tool);
    if (tool === undefined) return { kind: "gone" };
    const resolution = chat.approvalPolicy.decide(tool, server, args);
    const now: Found = { ...found, tool, arguments: args, shown: { ...shown, arguments: args } };
    if (resolution.kind === "deny") {
      const { rule, reason } = resolution.decision;
      const words = { said: `not allowed: ${reason}`, words: DENIED, outcome: "denied" } as const;
      return { kind: "refused", found: now, decision: "deny", by: rule.name, ...words };
    }
    if (resolution.kind === "allow") return { kind: "allowed", found: now, by: resolution.decision.rule.name, note };
    if (approver.approve === undefined) {
      const { rule, reason } = resolution.decision;
      // A rule of a person's asks: another flag would not answer it.
      const by = rule.file === BUILT_IN ? NOBODY_THERE : `${reason} by ${nameOfRule(rule)}, and nobody was there`;
      const words = { said: `not allowed: ${by}`, words: DENIED, outcome: "refused" } as const;
      return { kind: "refused", found: now, decision: "refuse", by, ...words, isUnapproved: true };
    }
    const answer = await approver.approve({
      tool,
      server,
      arguments: args,
      ask: resolution.ask,
      isDestructive: isDestructive(tool, server),
      definitionDiff: chat.definitionDiff(server.identity, tool.tool),
      leads: resolvePaths(server, tool, args),
    });
    if (answer.kind === "edit") {
      chat.approvalPolicy.answer(resolution.ask, tool, server, args, { kind: "deny" });
      args = answer.arguments;
      note = `(the user changed the arguments to ${JSON.stringify(args)})\n`;
      continue;
    }
    if (answer.kind === "stop" || signal.aborted) return { ...refusedByPerson(now, undefined), stops: true };
    if (answer.kind === "no") return refusedByPerson(now, answer.reason);
    if (currentTool(server, tool)?.definition !== tool.definition) {
      view.problem(`${call.name}: its definition changed while you decided; asking again`);
      continue;
    }
    const given = answer.kind === "yes" ? ({ kind: "once" } as const) : answer.answer;
    const outcome = chat.approvalPolicy.answer(resolution.ask, tool, server, args, given);
    if (outcome.kind === "denied") {
      view.problem(`${call.name}: ${outcome.reason}`);
      return refusedByPerson(now, undefined);
    }
    chat.acceptDefinitions(server.identity);
    if (answer.kind === "remember")
      view.status(`${allowedWords(given, call.name, server.alias)}  (:policy shows and undoes)`);
    return { kind: "allowed", found: now, by: `person: ${outcome.scope}`, note };
  }
}

/** For the model, when the tool it called is not there any more. */
export const GONE = wordsForModel({ kind: "no-such-tool", message: "", near: [] }, false);

function refusedByPerson(found: Found, reason: string | undefined): Extract<Approval, { kind: "refused" }> {
  const why = reason === undefined || reason === "" ? "" : ` Reason: ${reason}`;
  const said = why === "" ? "" : "; your reason goes to the model";
  return {
    kind: "refused",
    found,
    decision: "refuse",
    by: "person",
    said,
    words: `${REFUSED}${why}`,
    outcome: "refused",
  };
}

function resolvePaths({ config: { reach } }: Server, tool: ToolInfo, args: JsonObject): readonly ResolvedPath[] {
  return reach.kind === "builtin" ? (reach.resolvePaths?.(tool.tool, args) ?? []) : [];
}

/** The tool as the server describes it now. While it is away, what is known of it stays. */
function currentTool(server: Server, tool: ToolInfo): ToolInfo | undefined {
  return server.state === "ready" ? server.tools.find((one) => one.tool === tool.tool) : tool;
}

function allowedWords(answer: Answer, name: string, alias: string): string {
  if (answer.kind === "always") return `allowed from now on: ${name}`;
  const isServer = answer.kind === "session" && answer.scope === "server";
  return `allowed for this session: ${isServer ? `all of "${alias}"` : name}`;
}
