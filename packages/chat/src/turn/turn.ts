// One question to its end: ask, run the calls, ask again, to a depth. However it ends, the conversation is one that the
// next request can go on from.
import type { ToolCall } from "../conversation/turn-types.ts";
import { commandsIn } from "../conversation/cmd-lines.ts";
import type { Answer } from "../model/answer.ts";
import { STOPPED } from "../servers/call-end.ts";
import { asWireName, displayName } from "../tools/tool-names.ts";
import type { NameTable } from "../tools/tool-names.ts";
import { CALL_TOOL, callWithin, FIND_TOOLS } from "../tools/tool-search.ts";
import { READ_RESULT } from "../tools/read-result-tool.ts";
import type { ToolInfo } from "../tools/tool-info.ts";
import type { ChatState } from "./chat-state.ts";
import { estimateNow, makeRoom, offeredTools, sendRequest } from "./model-request.ts";
import { runCalls } from "./run-calls.ts";
import type { LimitAnswer, Approver, TurnView } from "./turn-view.ts";

const REPEATS = 3;
const HOPELESS_ROUNDS = 2;
/** Of the window; the rest is for the answer. */
const FULL = 0.95;
const FILTERED = "the answer was stopped by the provider's filter";

export type TurnEnd = {
  kind: "answered" | "stopped" | "failed" | "limit";
  /** The last words of the model. */
  text: string;
  /** All its words in this exchange. */
  allText: string[];
  /** `CMD:` lines to ask about; none when the turn was stopped. */
  commands: string[];
  /** Calls that were refused because nobody could approve them. */
  unapproved: string[];
  error: string | undefined;
};

export async function runTurn(
  chat: ChatState,
  view: TurnView,
  approver: Approver,
  signal: AbortSignal,
): Promise<TurnEnd> {
  return new TurnRun(chat, view, approver, signal).run();
}

class TurnRun {
  readonly #chat: ChatState;
  readonly #view: TurnView;
  readonly #approver: Approver;
  readonly #signal: AbortSignal;
  readonly #end: TurnEnd = { kind: "answered", text: "", allText: [], commands: [], unapproved: [], error: undefined };
  #rounds = 0;
  #allowedRounds: number;
  #allowedCalls: number;
  #calls = 0;
  #hopeless = 0;
  #last = { key: "", times: 0 };

  constructor(chat: ChatState, view: TurnView, approver: Approver, signal: AbortSignal) {
    this.#chat = chat;
    this.#view = view;
    this.#approver = approver;
    this.#signal = signal;
    this.#allowedRounds = chat.maxDepth;
    this.#allowedCalls = chat.settings.mcp.maxToolCalls;
  }

  async run(): Promise<TurnEnd> {
    let wrapsUp = false;
    for (;;) {
      const names = offeredTools(this.#chat);
      const { asked, ms } = await sendRequest(this.#chat, this.#view, names, { wrapsUp, signal: this.#signal });
      if (asked.kind === "failed") {
        this.#chat.lastError = asked.body ?? asked.message;
        return this.#fail(asked.hint === undefined ? asked.message : `${asked.message} · ${asked.hint}`);
      }
      const { answer, meaning } = asked;
      this.#chat.lastReasoning = answer.reasoning === "" ? this.#chat.lastReasoning : answer.reasoning;
      const runs = meaning.kind === "calls" && !wrapsUp;
      this.#shown(answer, ms, names, !runs && meaning.kind !== "aborted");
      for (const warning of answer.warnings) this.#view.status(warning);
      switch (meaning.kind) {
        case "aborted":
          return this.#stopped(answer);
        case "failed":
        case "broken":
          return this.#broken(answer, meaning.kind === "failed" ? meaning.error : "the answer broke off");
        case "empty":
          return this.#fail("the model gave an empty answer");
        case "calls-cut":
          this.#say(answer, [], { cut: true });
          this.#chat.conversation.closeUnanswered("(the answer was cut off by the token limit)");
          return this.#fail("the answer was cut off by the token limit; the calls in it were not run");
        case "text": {
          this.#say(answer, [], { cut: meaning.mark === "cut" });
          if (meaning.warning !== undefined) this.#view.status(meaning.warning);
          if (meaning.mark === "cut")
            this.#view.status("the answer was cut off by the token limit; :go asks to continue");
          if (meaning.mark !== "filtered") return this.#answered();
          if (answer.text.trim() === "") return this.#fail(FILTERED);
          this.#view.status(FILTERED);
          return this.#answered();
        }
        default:
      }
      if (!runs) {
        // Asked to wrap up and called again all the same: the calls are not run.
        this.#say(answer, [], {});
        this.#chat.conversation.closeUnanswered("(stopped at the tool-call limit)");
        return { ...this.#end, kind: "limit" };
      }
      const calls = this.#say(
        answer,
        answer.calls.map((call) => this.#named(call, names)),
        {},
      );
      const next = await this.#round(calls, names);
      if (next === "stop") return this.#stoppedAfterCalls();
      if (next === "limit") return { ...this.#end, kind: "limit", commands: [] };
      wrapsUp = next === "wrap-up";
    }
  }

  async #round(calls: ToolCall[], names: NameTable<ToolInfo>): Promise<"go on" | "wrap-up" | "stop" | "limit"> {
    if (this.#rounds >= this.#allowedRounds) {
      const answer = await this.#atLimit(
        `tool-call depth limit reached (${this.#rounds === 1 ? "1 round" : `${this.#rounds} rounds`})`,
        `continue ${this.#chat.maxDepth} more`,
      );
      if (answer !== "continue") return this.#leave(answer);
      this.#allowedRounds += this.#chat.maxDepth;
    }
    this.#rounds += 1;
    const round = await runCalls(calls, {
      chat: this.#chat,
      view: this.#view,
      approver: this.#approver,
      names,
      signal: this.#signal,
      callsLeft: this.#allowedCalls - this.#calls,
    });
    this.#calls += round.ran;
    this.#end.unapproved.push(...round.unapproved);
    if (round.stopped) return "stop";
    this.#hopeless = round.allFailed ? this.#hopeless + 1 : 0;
    return this.#afterRound(this.#reasonToAsk(calls) ?? (await this.#fullWindow(names)));
  }

  async #afterRound(said: string | undefined): Promise<"go on" | "wrap-up" | "limit"> {
    if (said === undefined) return "go on";
    const answer = await this.#atLimit(said, "continue");
    if (answer !== "continue") return this.#leave(answer);
    this.#hopeless = 0;
    this.#last = { key: "", times: 0 };
    this.#allowedCalls = Math.max(this.#allowedCalls, this.#calls + this.#chat.settings.mcp.maxToolCalls);
    return "go on";
  }

  #reasonToAsk(calls: readonly ToolCall[]): string | undefined {
    const repeated = this.#repeated(calls);
    if (this.#calls >= this.#allowedCalls) return `${this.#calls} tool calls were made for this question`;
    if (this.#hopeless >= HOPELESS_ROUNDS) return `no call got through ${this.#hopeless} times in a row`;
    return repeated === undefined ? undefined : `${repeated} was called ${REPEATS} times with the same arguments`;
  }

  /** One question may not take more than the window, and what belongs to it cannot be summarised away. */
  async #fullWindow(names: NameTable<ToolInfo>): Promise<string | undefined> {
    const { model } = this.#chat;
    const isFull = (): boolean => estimateNow(this.#chat, names) > model.window * FULL;
    if (!isFull()) return undefined;
    await makeRoom(this.#chat, this.#view, names, this.#signal);
    return isFull()
      ? `the calls and results of this question fill the context window (${model.window} tokens)`
      : undefined;
  }

  #repeated(calls: readonly ToolCall[]): string | undefined {
    for (const call of calls) {
      const key = `${call.wire} ${call.arguments}`;
      this.#last = { key, times: key === this.#last.key ? this.#last.times + 1 : 1 };
      if (this.#last.times >= REPEATS) return call.name;
    }
    return undefined;
  }

  async #atLimit(said: string, more: string): Promise<LimitAnswer> {
    this.#view.status(said);
    const answer = (await this.#approver.limit?.(said, more)) ?? "stop";
    if (answer === "stop") this.#end.error = said;
    return answer;
  }

  #leave(answer: "wrap-up" | "stop"): "wrap-up" | "limit" {
    const { conversation } = this.#chat;
    if (answer === "stop") {
      conversation.close("(stopped at the tool-call limit before answering)", STOPPED, "not-run");
      return "limit";
    }
    for (const call of conversation.open()) {
      conversation.answer({ toolCallId: call.id, name: call.name, content: STOPPED, outcome: "not-run" });
    }
    return "wrap-up";
  }

  #named(written: Answer["calls"][number], names: NameTable<ToolInfo>): ToolCall {
    const inner = written.name === CALL_TOOL ? callWithin(written.arguments) : undefined;
    const call = { ...written, ...inner };
    const tool = names.find(call.name);
    const isOwn = call.name === READ_RESULT || call.name === FIND_TOOLS;
    return {
      id: call.id,
      name: isOwn ? call.name.replace("__", ".") : tool === undefined ? call.name : displayName(tool),
      wire: isOwn
        ? call.name
        : tool === undefined
          ? asWireName(call.name)
          : (names.wireOf(tool) ?? asWireName(call.name)),
      arguments: call.arguments,
      ...(call.broken === undefined ? {} : { broken: true }),
      ...(call.extras === undefined ? {} : { extras: call.extras }),
    };
  }

  #say(answer: Answer, calls: ToolCall[], marks: { interrupted?: boolean; cut?: boolean }): ToolCall[] {
    const { conversation, model } = this.#chat;
    if (answer.text.trim() !== "") {
      this.#end.text = answer.text;
      this.#end.allText.push(answer.text);
    }
    if (answer.text.trim() === "" && calls.length === 0) return calls;
    const { text, reasoning, reasoningDetails, finish, usage } = answer;
    conversation.say({ text, calls, model: model.key, reasoning, reasoningDetails, finish, usage, ...marks });
    return calls;
  }

  #shown(answer: Answer, ms: number, names: NameTable<ToolInfo>, isLast: boolean): void {
    const used = answer.usage === undefined ? estimateNow(this.#chat, names) : answer.usage.in + answer.usage.out;
    this.#view.answerEnded({
      ms,
      usage: answer.usage,
      full: used / this.#chat.model.window,
      money: this.#chat.cost.money,
      isWindowKnown: this.#chat.model.isWindowKnown,
      reasoningChars: answer.reasoning.length,
      hasText: answer.text.trim() !== "",
      isLast,
    });
  }

  #answered(): TurnEnd {
    // Collected over the whole exchange: calls came first, the person is asked about commands when it is over.
    const commands = [...new Set(this.#end.allText.flatMap(commandsIn))];
    return { ...this.#end, kind: "answered", commands };
  }

  #stopped(answer: Answer): TurnEnd {
    this.#say(answer, [], { interrupted: true });
    return this.#stoppedAfterCalls();
  }

  #stoppedAfterCalls(): TurnEnd {
    const { conversation } = this.#chat;
    const words = "(stopped by the user before answering)";
    conversation.close(words, STOPPED, "not-run");
    conversation.closeUnanswered(words);
    return { ...this.#end, kind: "stopped", commands: [] };
  }

  #broken(answer: Answer, why: string): TurnEnd {
    this.#say(answer, [], { interrupted: true });
    return this.#fail(`${why}${answer.text.trim() === "" ? "" : "; what was said is kept"} · :retry asks again`);
  }

  #fail(error: string): TurnEnd {
    // After results the exchange needs a word of the assistant; a question alone may stay unanswered.
    this.#chat.conversation.close("(no answer: the model failed)", STOPPED, "not-run");
    this.#view.problem(error);
    return { ...this.#end, kind: "failed", commands: [], error };
  }
}
