// The conversation: turns are added, never changed; whatever ends an exchange, it can be closed so that the next
// request is valid. Every change is told to the journal before anything that depends on it happens.
import type { Json } from "@bosun/mcp";
import type { Usage } from "../model/completion-chunk.ts";
import { NOT_RUN } from "./turn-types.ts";
import type { AssistantTurn, ExecBlock, Outcome, ToolCall, ToolTurn, Turn, UserTurn } from "./turn-types.ts";

export type Journal = {
  turn(turn: Turn): void;
  exec(block: ExecBlock): void;
  event(event: ConversationEvent): void;
};

export type ConversationEvent =
  /** Everything before turn `upto` is said by the summary. */
  | { kind: "compact"; upto: number; summary: string }
  /** Results before turn `upto` are left out; `kept`: the names, by turn, under which whole ones were stored for that. */
  | { kind: "results-out"; upto: number; kept?: Readonly<Record<string, string>> }
  /** Turns from `from` on are gone. */
  | { kind: "undo"; from: number }
  /** The result of the call answered at turn `at` came after it had been cancelled. */
  | { kind: "late"; at: number; content: string; full?: string }
  | { kind: "forget" };

export type Said = {
  text: string;
  calls: ToolCall[];
  model: string;
  reasoning?: string;
  reasoningDetails?: Json[];
  finish?: string | undefined;
  usage?: Usage | undefined;
  interrupted?: boolean;
  cut?: boolean;
};

/** Shorter than the line that would stand in its place. */
const SHORT_RESULT = 100;

export const SUMMARY_HEAD = "[summary of the earlier conversation]";

export class Conversation {
  readonly turns: Turn[] = [];
  pending: ExecBlock[] = [];
  #compaction: { upto: number; summary: string } | undefined;
  #resultsOut = 0;
  readonly #keptAs = new Map<number, string>();
  /** By turn: what is shown to the model in place of what was answered first. */
  readonly #late = new Map<number, { content: string; full?: string }>();
  #journal: Journal | undefined;

  constructor(journal?: Journal) {
    this.#journal = journal;
  }

  /** From now on changes are told to this one. */
  set journal(journal: Journal | undefined) {
    this.#journal = journal;
  }

  get summary(): string | undefined {
    return this.#compaction?.summary;
  }

  ask(text: string, images: readonly string[] = []): void {
    this.close("(stopped before answering)", NOT_RUN, "not-run");
    const exec = this.pending;
    this.pending = [];
    this.#add({
      role: "user",
      content: text,
      ...(exec.length > 0 ? { exec } : {}),
      ...(images.length > 0 ? { images } : {}),
    });
  }

  say(said: Said): AssistantTurn {
    const { text, calls, reasoning, reasoningDetails, finish, usage } = said;
    const turn: AssistantTurn = {
      role: "assistant",
      content: text,
      toolCalls: calls,
      model: said.model,
      ...(reasoning === undefined || reasoning === "" ? {} : { reasoning }),
      ...(reasoningDetails === undefined || reasoningDetails.length === 0 ? {} : { reasoningDetails }),
      ...(finish === undefined ? {} : { finish }),
      ...(usage === undefined ? {} : { usage }),
      ...(said.interrupted === true ? { interrupted: true } : {}),
      ...(said.cut === true ? { cut: true } : {}),
    };
    this.#add(turn);
    return turn;
  }

  /** A result counts for a call that waits for one; any other is ignored. */
  answer(result: Omit<ToolTurn, "role">): void {
    if (this.open().some((call) => call.id === result.toolCallId)) this.#add({ role: "tool", ...result });
  }

  /** A result for a call that was cancelled a moment ago: it takes the place of our words about it. False: of no call. */
  late(toolCallId: string, result: { content: string; full?: string }): boolean {
    const at = this.turns.findLastIndex((turn) => turn.role === "tool" && turn.toolCallId === toolCallId);
    const turn = this.turns[at];
    if (turn?.role !== "tool" || turn.outcome !== "cancelled" || this.#late.has(at)) return false;
    this.#late.set(at, result);
    this.#journal?.event({ kind: "late", at, ...result });
    return true;
  }

  remember(block: ExecBlock): void {
    this.pending.push(block);
    this.#journal?.exec(block);
  }

  forget(): void {
    this.pending = [];
    this.#journal?.event({ kind: "forget" });
  }

  /** Calls that have no result yet. */
  open(): ToolCall[] {
    const from = this.turns.findLastIndex((turn) => turn.role !== "tool");
    const turn = this.turns[from];
    if (turn?.role !== "assistant") return [];
    const answered = new Set(this.turns.slice(from + 1).map((one) => (one.role === "tool" ? one.toolCallId : "")));
    return turn.toolCalls.filter((call) => !answered.has(call.id));
  }

  /** Adds what is missing: a result for each open call and, after results, a word of the assistant. */
  close(words: string, forOpen: string, outcome: Outcome): ToolCall[] {
    const open = this.open();
    for (const call of open) {
      this.#add({ role: "tool", toolCallId: call.id, name: call.name, content: forOpen, outcome });
    }
    const last = this.turns.at(-1);
    const endsWithCalls = last?.role === "tool" || (last?.role === "assistant" && last.toolCalls.length > 0);
    if (endsWithCalls) this.#closingTurn(words);
    return open;
  }

  /** After a question that was stopped before a word came. */
  closeUnanswered(words: string): void {
    if (this.turns.at(-1)?.role === "user") this.#closingTurn(words);
  }

  /** Drops the last exchange. The question that began it, or undefined when there is none. */
  undo(): UserTurn | undefined {
    const from = this.turns.findLastIndex((turn) => turn.role === "user");
    const question = this.turns[from];
    if (question?.role !== "user" || from < (this.#compaction?.upto ?? 0)) return undefined;
    this.#cutAt(from);
    this.#journal?.event({ kind: "undo", from });
    return question;
  }

  /** What is rendered: with the summary in place of what it sums up, and old results left out. */
  view(): Turn[] {
    const upto = this.#compaction?.upto ?? 0;
    const rest = this.turns.slice(upto).map((turn, place) => this.#shortened(turn, place + upto));
    if (this.#compaction === undefined) return rest;
    const summary = this.#compaction.summary.trim();
    if (summary === "") return rest;
    return [
      { role: "user", content: `${SUMMARY_HEAD}\n${summary}` },
      { role: "assistant", content: "(noted)", toolCalls: [], model: "" },
      ...rest,
    ];
  }

  /** Where exchanges begin that are still in view. */
  exchangeStarts(): number[] {
    const upto = this.#compaction?.upto ?? 0;
    return this.turns.flatMap((turn, place) => (turn.role === "user" && place >= upto ? [place] : []));
  }

  get resultsOutUpto(): number {
    return this.#resultsOut;
  }

  compact(upto: number, summary: string): void {
    this.#compaction = { upto, summary };
    this.#journal?.event({ kind: "compact", upto, summary });
  }

  /** `keep` stores a whole result and names it: what is left out can be read back. */
  leaveResultsOut(upto: number, keep: (text: string) => string): void {
    const kept: Record<string, string> = {};
    for (let place = this.#resultsOut; place < upto; place += 1) {
      const turn = this.turns[place];
      if (turn?.role !== "tool" || turn.full !== undefined || turn.content.length < SHORT_RESULT) continue;
      kept[place] = keep(this.#late.get(place)?.content ?? turn.content);
    }
    this.#leaveOut(upto, kept);
    this.#journal?.event({ kind: "results-out", upto, kept });
  }

  /** Where the latest round of calls begins: its results are what the model works with now. */
  get latestRound(): number {
    return this.turns.findLastIndex((turn) => turn.role === "assistant" && turn.toolCalls.length > 0);
  }

  #leaveOut(upto: number, kept: Readonly<Record<string, string>> = {}): void {
    this.#resultsOut = upto;
    for (const [place, name] of Object.entries(kept)) this.#keptAs.set(Number(place), name);
  }

  /** For resume: repeats what a log says, without telling the journal. */
  replay(entry: { turn: Turn } | { exec: ExecBlock } | { event: ConversationEvent }): void {
    if ("turn" in entry) {
      if (entry.turn.role === "user" && entry.turn.exec) this.pending = [];
      this.turns.push(entry.turn);
    } else if ("exec" in entry) this.pending.push(entry.exec);
    else this.#replayEvent(entry.event);
  }

  #replayEvent(event: ConversationEvent): void {
    const within = (place: number): boolean => Number.isInteger(place) && place >= 0 && place <= this.turns.length;
    if (event.kind === "forget") this.pending = [];
    else if (event.kind === "undo" && within(event.from)) this.#cutAt(event.from);
    else if (event.kind === "late" && this.turns[event.at]?.role === "tool") this.#late.set(event.at, event);
    else if (event.kind === "compact" && within(event.upto)) {
      this.#compaction = { upto: event.upto, summary: event.summary };
    } else if (event.kind === "results-out" && within(event.upto)) this.#leaveOut(event.upto, event.kept);
  }

  #cutAt(from: number): void {
    this.turns.length = from;
    for (const place of this.#late.keys()) if (place >= from) this.#late.delete(place);
    for (const place of this.#keptAs.keys()) if (place >= from) this.#keptAs.delete(place);
    this.#resultsOut = Math.min(this.#resultsOut, from);
  }

  #shortened(stored: Turn, place: number): Turn {
    if (stored.role !== "tool") return stored;
    const { content: later, full } = this.#late.get(place) ?? {};
    const turn = later === undefined ? stored : { ...stored, content: later, ...(full === undefined ? {} : { full }) };
    if (place >= this.#resultsOut) return turn;
    const name = turn.full ?? this.#keptAs.get(place);
    const where = name === undefined ? "" : `${name} `;
    const how = name === undefined ? "" : "; aish__read_result can read it";
    const content = `[result ${where}left out${how}]`;
    return content.length < turn.content.length ? { ...turn, content } : turn;
  }

  #closingTurn(words: string): void {
    this.#add({ role: "assistant", content: words, toolCalls: [], model: "", closing: true });
  }

  #add(turn: Turn): void {
    this.turns.push(turn);
    this.#journal?.turn(turn);
  }
}
