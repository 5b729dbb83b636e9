// The calls of one answer: each is looked up, decided, perhaps asked about, run, and answered in the conversation.
// Whatever happens, every call has a result at the end.
import type { JsonObject, ToolResult } from "@bosun/mcp";
import type { Conversation } from "../conversation/conversation.ts";
import { resultLimits } from "../conversation/truncate-result.ts";
import type { Outcome, ToolCall, ToolTurn } from "../conversation/turn-types.ts";
import { parseObject } from "../model/argument-json.ts";
import { outcomeOf, STOPPED, wordsForModel, wordsForPerson } from "../servers/call-end.ts";
import type { Server } from "../servers/mcp-server.ts";
import type { NameTable } from "../tools/tool-names.ts";
import { FIND_TOOLS, findTools } from "../tools/tool-search.ts";
import { READ_RESULT, readResult } from "../tools/read-result-tool.ts";
import type { ToolInfo } from "../tools/tool-info.ts";
import { approveCall, GONE } from "./approve-call.ts";
import type { Approval, Found } from "./approve-call.ts";
import { resultForModel } from "./result-for-model.ts";
import { record } from "./chat-state.ts";
import type { ChatState } from "./chat-state.ts";
import type { Approver, ShownCall, TurnView } from "./turn-view.ts";

const MAX_LAST_CHARS = 32 * 1024 * 1024;

export type RoundEnd = {
  /** The person ended the turn. */
  stopped: boolean;
  /** No call of this round got through to its tool. */
  allFailed: boolean;
  /** Calls that would have been asked about, had anybody been there. */
  unapproved: string[];
  ran: number;
};

type Result = ToolResult & JsonObject;
type Ready = Found & { note: string };

export type RoundContext = {
  chat: ChatState;
  view: TurnView;
  approver: Approver;
  names: NameTable<ToolInfo>;
  signal: AbortSignal;
  /** How many calls may still run in this exchange. */
  callsLeft: number;
};

export async function runCalls(calls: readonly ToolCall[], context: RoundContext): Promise<RoundEnd> {
  const round = new Round(context);
  if (calls.length > 1) context.view.callList(calls.map((call) => call.name));
  const found = calls.map((call) => round.find(call));
  const together = round.parallel(found);
  if (together !== undefined) await round.runTogether(together);
  else {
    for (const one of found) {
      if (round.end.stopped || context.signal.aborted) break;
      if (one !== undefined) await round.one(one);
    }
  }
  if (context.signal.aborted) round.end.stopped = true;
  round.skipRest();
  return round.end;
}

class Round {
  readonly end: RoundEnd = { stopped: false, allFailed: true, unapproved: [], ran: 0 };
  readonly #context: RoundContext;
  #room: number;

  constructor(context: RoundContext) {
    this.#context = context;
    this.#room = this.#limits().perRound;
  }

  /** The tool behind a call; undefined when the call has been answered here. */
  find(call: ToolCall): Found | undefined {
    const { chat, view, names } = this.#context;
    const parsed = parseObject(call.arguments);
    const shown: ShownCall = {
      name: call.name,
      arguments: parsed.kind === "object" ? parsed.value : undefined,
      raw: call.arguments,
    };
    if (call.wire === READ_RESULT) {
      const text = readResult(chat.results, call.arguments, this.#limits().perResult);
      this.#answer(call, { content: text, outcome: "ok", bytes: text.length });
      view.readBack(shown, text);
      this.end.allFailed = false;
      return undefined;
    }
    if (call.wire === FIND_TOOLS) {
      const text = findTools(names, call.arguments);
      this.#answer(call, { content: text, outcome: "ok", bytes: text.length });
      view.status(`the model looks for tools: ${call.arguments}`);
      this.end.allFailed = false;
      return undefined;
    }
    if (parsed.kind === "broken" || call.broken === true) {
      const place = parsed.kind === "broken" ? `line ${parsed.line}, column ${parsed.column}` : "not an object";
      const words = `Not run: the arguments were not valid JSON (${place}). Send the call again with valid JSON.`;
      this.#notRun(call, shown, `the model sent broken arguments (${place}); not run`, words, "broken");
      return undefined;
    }
    const tool = names.find(call.wire);
    const server = tool === undefined ? undefined : chat.servers.get(tool.alias);
    if (tool === undefined || server === undefined) {
      const near = names.near(call.wire);
      const words = wordsForModel({ kind: "no-such-tool", message: "", near }, false);
      this.#notRun(call, shown, "there is no such tool", words, "not-run");
      return undefined;
    }
    return { call, shown, tool, server, arguments: parsed.value };
  }

  /** Only calls that are all allowed, and only read, on servers whose word is trusted. */
  parallel(found: readonly (Found | undefined)[]): Found[] | undefined {
    const { chat, callsLeft } = this.#context;
    const all = found.filter((one) => one !== undefined);
    if (all.length < 2 || all.length !== found.length || all.length > callsLeft) return undefined;
    if (chat.settings.mcp.parallel !== "read-only") return undefined;
    const isSafe = ({ tool, server, arguments: args }: Found): boolean =>
      server.config.trust &&
      tool.annotations.readOnly === true &&
      chat.approvalPolicy.decide(tool, server, args).kind === "allow";
    try {
      return all.every(isSafe) ? all : undefined;
    } catch {
      return undefined; // one by one, each with its own reason
    }
  }

  async runTogether(all: readonly Found[]): Promise<void> {
    const waiting = all.map((one) => ({ ...one, note: "" }));
    const done = new Map<string, () => void>();
    const worker = async (): Promise<void> => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        const { call } = one;
        if (!this.#decided(one, "allow", "rules")) continue;
        done.set(call.id, await this.#run(one));
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    // Answers go into the conversation in the order of the calls, whoever was first.
    for (const { call } of all) done.get(call.id)?.();
  }

  async one(found: Found): Promise<void> {
    const { call, shown } = found;
    let approval: Approval;
    try {
      approval = await approveCall(found, this.#context);
    } catch (error) {
      // Arguments nested so deeply that nobody can show or compare them: what cannot be judged does not run.
      const why = error instanceof Error ? error.message : String(error);
      return this.#notRun(call, shown, `not run: ${why}`, "Not run: the arguments could not be judged.", "not-run");
    }
    if (approval.kind === "gone") {
      return this.#notRun(call, shown, "the server no longer has this tool", GONE, "not-run");
    }
    if (approval.kind === "refused") return this.#refused(approval);
    const ready: Ready = { ...approval.found, note: approval.note };
    if (!this.#decided(ready, "allow", approval.by)) return;
    if (this.end.ran >= this.#context.callsLeft) return; // answered with the rest
    (await this.#run(ready))();
  }

  skipRest(): void {
    const { chat, view } = this.#context;
    for (const call of chat.conversation.open()) {
      view.notRun({ name: call.name, arguments: undefined, raw: call.arguments }, "not run", "not-run");
      this.#answer(call, { content: STOPPED, outcome: "not-run" });
    }
  }

  /** Runs it, and gives what puts the answer into the conversation. */
  async #run({ call, shown, tool, server, arguments: args, note }: Ready): Promise<() => void> {
    const { chat, view, names, signal } = this.#context;
    this.end.ran += 1;
    const running = view.started(shown, server);
    const startedAt = performance.now();
    const shrinking = chat.shrink(); // while the tool works
    const { conversation } = chat; // another may have begun before a late answer comes
    const end = await server.call(tool, args, {
      signal,
      near: names.near(call.wire),
      maxTotalMs: chat.settings.mcp.callMaxS * 1000,
      onProgress: (progress) => running.progress(progress),
      onLate: ({ result }) => void this.#late(conversation, call, server, result),
    });
    const ms = Math.round(performance.now() - startedAt);
    const outcome = outcomeOf(end);
    if (end.kind !== "result") {
      const words = wordsForPerson(end);
      running.failed(words, outcome);
      this.#outcome(call, server, outcome, ms, 0);
      return () =>
        this.#answer(call, { content: note + wordsForModel(end, chat.settings.mcp.errorsToModel), outcome, ms });
    }
    this.end.allFailed = false;
    chat.approvalPolicy.taintByServer(server);
    const tools = await shrinking;
    return () => {
      const made = resultForModel(chat, tools, call.name, end.result, this.#limits(), this.#room);
      this.#room -= made.turn.content.length;
      for (const warning of made.warnings) view.status(`${call.name}: ${warning}`);
      running.result(made.shown, {
        outcome,
        ms,
        bytes: made.bytes,
        told: chat.conversation.open().some(({ id }) => id === call.id),
      });
      keepLast(chat.lastResults, { name: call.name, text: made.shown });
      this.#outcome(call, server, outcome, ms, made.bytes);
      this.#answer(call, { ...made.turn, content: note + made.turn.content, outcome, ms, bytes: made.bytes });
    };
  }

  /** Cancelled, and finished all the same: the model gets the result, and knows that it was not waited for. */
  async #late(conversation: Conversation, call: ToolCall, server: Server, result: Result): Promise<void> {
    const { chat, view } = this.#context;
    const made = resultForModel(chat, await chat.shrink(), call.name, result, this.#limits(), this.#limits().perResult);
    chat.approvalPolicy.taintByServer(server);
    keepLast(chat.lastResults, { name: call.name, text: made.shown });
    const isTold = conversation.late(call.id, {
      content: `Cancelled by the user, but it had finished:\n${made.turn.content}`,
      ...(made.turn.full === undefined ? {} : { full: made.turn.full }),
    });
    view.status(
      `${call.name} had finished all the same${isTold ? "; its result goes to the model" : ""} (:last shows it)`,
    );
  }

  #refused(refusal: Extract<Approval, { kind: "refused" }>): void {
    const { found, decision, by, said, words, outcome } = refusal;
    if (refusal.isUnapproved === true) this.end.unapproved.push(found.call.name);
    if (refusal.stops === true) this.end.stopped = true;
    this.#decided(found, decision, by);
    this.#notRun(found.call, found.shown, said, words, outcome);
  }

  #notRun(call: ToolCall, shown: ShownCall, said: string, words: string, outcome: Outcome): void {
    this.#context.view.notRun(shown, said, outcome);
    if (outcome === "refused" || outcome === "denied") this.end.allFailed = false;
    this.#answer(call, { content: words, outcome });
  }

  /** Written down before anything runs; what cannot be written down does not run. */
  #decided(found: Found, decision: "allow" | "deny" | "refuse", by: string): boolean {
    const { call, shown, tool, server, arguments: args } = found;
    const { chat, view } = this.#context;
    view.decided(shown, decision, by);
    const failure = record(chat, {
      kind: "decision",
      call: call.id,
      tool: call.name,
      server: server.identity.slice(0, 16),
      definition: tool.definition.slice(0, 16),
      arguments: args,
      verdict: decision === "allow" ? "allow" : "deny",
      rule: by,
    });
    if (failure === undefined || decision !== "allow") return true;
    view.problem(failure);
    this.#answer(call, { content: STOPPED, outcome: "not-run" });
    return false;
  }

  #outcome(call: ToolCall, server: Server, outcome: Outcome, durationMs: number, bytesOut: number): void {
    const names = { ok: "ok", timeout: "timeout", cancelled: "cancelled", refused: "refused" } as const;
    const failure = record(this.#context.chat, {
      kind: "outcome",
      call: call.id,
      tool: call.name,
      server: server.identity.slice(0, 16),
      outcome: outcome in names ? names[outcome as keyof typeof names] : "error",
      durationMs,
      bytesOut,
    });
    if (failure !== undefined) this.#context.view.problem(failure);
  }

  #answer(call: ToolCall, turn: Omit<ToolTurn, "role" | "toolCallId" | "name">): void {
    this.#context.chat.conversation.answer({ toolCallId: call.id, name: call.name, ...turn });
  }

  #limits(): ReturnType<typeof resultLimits> {
    const { settings, model } = this.#context.chat;
    return resultLimits(settings.context.maxToolResultChars, model.window);
  }
}

// For `:last`: a few, and never more than memory bears.
function keepLast(results: ChatState["lastResults"], result: ChatState["lastResults"][number]): void {
  results.push(result);
  const chars = (): number => results.reduce((sum, { text }) => sum + text.length, 0);
  while (results.length > 20 || (results.length > 1 && chars() > MAX_LAST_CHARS)) results.shift();
}
