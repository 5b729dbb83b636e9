// What was saved, honestly: what was fetched back and our own tools are counted against us, and results that passed
// unchanged are in the sum that savings are a share of. Nothing is counted while somebody waits for an answer.
import { countTokens, countToolTokens, kindOf, wholeText } from "@bosun/shrink";
import type { Shrunk, ToolDefinition, ToolResult } from "@bosun/shrink";
import { OWN_TOKENS } from "./own-tools.ts";
import { add, emptyLedger, pairOf, serverIn } from "./ledger.ts";
import type { Ledger, Pair } from "./ledger.ts";
import type { SecondTokenizer } from "./second-tokenizer.ts";

/** Texts that wait to be counted; past this the oldest are counted at once. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;
const QUIET_MS = 250;
/** Enough to see what a text is. */
const JUDGED_CHARS = 16 * 1024;
/** Longer texts are counted by their first part. */
const COUNTED_CHARS = 250_000;

type Job = { chars: number; count(): void };

export class Savings {
  readonly ledger: Ledger = emptyLedger();
  private readonly second: SecondTokenizer | undefined;
  private waiting: Job[] = [];
  private chars = 0;
  private timer: Timer | undefined;

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
    const after = shrunk.changed ? wholeText(shrunk.result) : before;
    this.later(before.length + (shrunk.changed ? after.length : 0), () => {
      const counted = { before: this.count(before), after: shrunk.changed ? this.count(after) : undefined };
      const pair = pairOf(counted.before, counted.after ?? counted.before);
      const row = serverIn(this.ledger, server);
      const kind = kindOf(before.slice(0, JUDGED_CHARS));
      add(row.tools, tool, pair, shrunk.changed);
      add(row.classes, kind, pair, shrunk.changed);
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
    for (const { name } of ours) this.ledger.ownTools += OWN_TOKENS[name] ?? countToolTokens([{ name }]);
    if (!isShorter) return;
    this.ledger.lists.before += countToolTokens(before);
    this.ledger.lists.after += countToolTokens(after);
  }

  retrieved(result: ToolResult): void {
    const text = wholeText(result);
    this.ledger.retrievals.count++;
    this.later(text.length, () => (this.ledger.retrievals.tokens += this.count(text)[0]));
  }

  /** Everything that waits is counted now. */
  settle(): Ledger {
    clearTimeout(this.timer);
    const jobs = this.waiting;
    this.waiting = [];
    this.chars = 0;
    for (const job of jobs) job.count();
    return this.ledger;
  }

  private count(text: string): Pair {
    const counted = text.length > COUNTED_CHARS ? text.slice(0, COUNTED_CHARS) : text;
    const scale = counted.length === 0 ? 0 : text.length / counted.length;
    return [Math.round(countTokens(counted) * scale), this.second ? Math.round(this.second(counted) * scale) : 0];
  }

  private later(chars: number, count: () => void): void {
    this.waiting.push({ chars, count });
    this.chars += chars;
    while (this.chars > MAX_WAITING_CHARS) {
      const oldest = this.waiting.shift();
      if (!oldest) break;
      this.chars -= oldest.chars;
      oldest.count();
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), QUIET_MS);
    this.timer.unref?.();
  }
}
