// What was saved, honestly: what was fetched back and our own tools are counted against us, and results that passed
// unchanged are in the sum that savings are a share of. Nothing is counted while somebody waits for an answer.
import { countTokens, countToolTokens, kindOf, shownText, wholeText } from "@bosun/shrink";
import type { Shrunk, ToolDefinition, ToolResult } from "@bosun/shrink";
import { OWN_TOOL_TOKENS } from "../tools/proxy-tools.ts";
import { add, emptyLedger, serverIn } from "./savings-ledger.ts";
import type { SavingsLedger, TokenPair } from "./savings-ledger.ts";

/** Texts that wait to be counted; of what comes on top the length must do. */
const MAX_WAITING_CHARS = 1024 * 1024;
/** So long after the last result nobody waits; then one text at a time, so that nobody has to. */
const QUIET_MS = 250;
const BETWEEN_MS = 5;
/** Of longer texts the beginning must do to see what they are. */
const JUDGED_CHARS = 64 * 1024;
/** Longer texts are counted by their first part. */
const COUNTED_CHARS = 32 * 1024;
/** Until something has been counted. */
const USUAL_CHARS_PER_TOKEN = 3.5;
const SECOND_TOKENIZER = "@anthropic-ai/tokenizer";

/**
 * A second vocabulary to count with: a saving that exists in only one has been tuned to it. It is no dependency of ours;
 * where it is installed, as in development, reports have two columns.
 */
export type SecondTokenizer = (text: string) => number;

/** `isFull`: too much waits already, so nothing may be counted now. */
type Job = { chars: number; count(isFull: boolean): void };

export class Savings {
  readonly ledger: SavingsLedger = emptyLedger();
  private readonly second: SecondTokenizer | undefined;
  private waiting: Job[] = [];
  private chars = 0;
  private timer: Timer | undefined;
  private counted = { chars: 0, tokens: 0, second: 0 };

  /** `second`: another vocabulary to count with, where there is one. */
  constructor(second?: SecondTokenizer) {
    this.second = second;
  }

  session(servers: readonly { name: string }[]): void {
    this.ledger.sessions++;
    for (const { name } of servers) serverIn(this.ledger, name);
  }

  result(server: string, tool: string, given: ToolResult, shrunk: Shrunk): void {
    const before = wholeText(given);
    // Of a long text in disguise nothing was counted, and it is not made for us alone: marks cost what they cost before.
    const { changed, folds, tokensBefore } = shrunk;
    const isSame = !changed || (tokensBefore === 0 && folds.every((fold) => fold === "escape"));
    const after = isSame ? before : wholeText(shrunk.result);
    const isOneText = shownTexts(given) === 1;
    this.later(before.length + (shrunk.changed ? after.length : 0), (isFull) => {
      const row = serverIn(this.ledger, server);
      const pair = this.pair(before, after, isOneText ? shrunk : { ...shrunk, tokensBefore: 0 }, isFull);
      add(row.tools, tool, pair, shrunk.changed);
      add(row.classes, isFull ? "uncounted" : classOf(before), pair, shrunk.changed);
      row.results++;
    });
  }

  /** `isShorter`: descriptions were compressed, so both sides are worth counting. */
  tools(
    before: readonly ToolDefinition[],
    after: readonly ToolDefinition[],
    ours: readonly ToolDefinition[],
    isShorter: boolean,
  ): void {
    for (const tool of ours) this.ledger.ownTools += OWN_TOOL_TOKENS[tool.name] ?? countToolTokens([tool]);
    if (!isShorter) return;
    this.ledger.lists.before += countToolTokens(before);
    this.ledger.lists.after += countToolTokens(after);
  }

  retrieved(result: ToolResult): void {
    const text = wholeText(result);
    this.ledger.retrievals.count++;
    this.later(text.length, (isFull) => {
      this.ledger.retrievals.tokens += (isFull ? this.estimate(text) : this.count(text))[0];
    });
  }

  /** Everything that waits is counted now. */
  settle(): SavingsLedger {
    clearTimeout(this.timer);
    while (this.waiting.length > 0) this.step();
    return this.ledger;
  }

  private pair(
    before: string,
    after: string,
    shrunk: Shrunk,
    isFull: boolean,
  ): { before: TokenPair; after: TokenPair } {
    // The gate has counted already, exactly, unless there are texts that it left alone.
    const isCounted = shrunk.changed && shrunk.tokensBefore > 0;
    if (isCounted && !this.second) return { before: [shrunk.tokensBefore, 0], after: [shrunk.tokensAfter, 0] };
    if (isFull) {
      const [guessBefore, guessAfter] = [this.estimate(before), this.estimate(after)];
      if (!isCounted) return { before: guessBefore, after: guessAfter };
      return { before: [shrunk.tokensBefore, guessBefore[1]], after: [shrunk.tokensAfter, guessAfter[1]] };
    }
    const counted = this.count(before);
    return { before: counted, after: shrunk.changed ? this.count(after) : counted };
  }

  private count(text: string): TokenPair {
    const part = text.length > COUNTED_CHARS ? text.slice(0, COUNTED_CHARS) : text;
    const scale = part.length === 0 ? 0 : text.length / part.length;
    const tokens = countTokens(part);
    this.counted.chars += part.length;
    const second = this.second?.(part) ?? 0;
    this.counted.tokens += tokens;
    this.counted.second += second;
    return [Math.round(tokens * scale), Math.round(second * scale)];
  }

  /** In both vocabularies, or a result that was not counted would be in one share and not in the other. */
  private estimate({ length }: string): TokenPair {
    const { chars, tokens, second } = this.counted;
    const guess = (counted: number): number =>
      Math.round(counted === 0 ? length / USUAL_CHARS_PER_TOKEN : (length * counted) / chars);
    return [guess(tokens), this.second ? guess(second) : 0];
  }

  private later(chars: number, count: Job["count"]): void {
    if (this.chars + chars > MAX_WAITING_CHARS) {
      count(true);
      return;
    }
    this.waiting.push({ chars, count });
    this.chars += chars;
    this.wait(QUIET_MS);
  }

  private wait(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.step();
      if (this.waiting.length > 0) this.wait(BETWEEN_MS);
    }, ms);
    this.timer.unref?.();
  }

  private step(): void {
    const job = this.waiting.shift();
    if (!job) return;
    this.chars -= job.chars;
    job.count(false);
  }
}

export async function findSecondTokenizer(): Promise<SecondTokenizer | undefined> {
  try {
    const found: unknown = await import(SECOND_TOKENIZER);
    const count = typeof found === "object" && found !== null && "countTokens" in found ? found.countTokens : undefined;
    return typeof count === "function" ? (text) => Number(count(text)) : undefined;
  } catch {
    return undefined; // it is not installed
  }
}

function shownTexts({ content }: ToolResult): number {
  return Array.isArray(content) ? content.filter((block) => shownText(block) !== undefined).length : 0;
}

function classOf(text: string): string {
  if (text.length <= JUDGED_CHARS) return kindOf(text);
  // JSON that was cut is JSON no more.
  return /^\s*[[{]/.test(text) ? "json" : kindOf(text.slice(0, JUDGED_CHARS));
}
