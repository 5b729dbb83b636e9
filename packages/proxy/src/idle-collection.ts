// Garbage is collected while nobody waits: what a large result leaves behind would otherwise be cleared away in the midst
// of one that comes later, which then takes half as long again.
import { edenGC, fullGC } from "bun:jsc";

/** Smaller results leave little. */
const WORTH_IT_CHARS = 32 * 1024;
/** After so much, what has outlived a few results is looked at too. */
const ALL_AFTER_CHARS = 1536 * 1024;
/** After so much it is looked at as soon as what is young: the engine would soon do it by itself, in the midst of a call. */
const OVERDUE_CHARS = 6 * 1024 * 1024;
/** A result that leaves so much behind that memory is handed back after it, though that takes longer. */
const LONG_CHARS = 1024 * 1024;
/** Whoever calls again at once is served first. */
const IDLE_MS = 3;
const IDLE_BEFORE_ALL_MS = 30;

/** How it is done. `release`: all, and memory that nobody needs is handed back. */
export type Collector = { young(): void; all(): void; release(): void };

// Bun.gc also gives up compiled code, takes ten times as long as a full collection alone, and the next call pays for it
// a second time.
const COLLECTOR: Collector = { young: () => edenGC(), all: () => fullGC(), release: () => Bun.gc(true) };

export class IdleCollection {
  private readonly isBusy: () => boolean;
  private readonly collector: Collector;
  private chars = 0;
  private charsSinceAll = 0;
  private hadLong = false;
  private timer: Timer | undefined;

  constructor(isBusy: () => boolean, collector: Collector = COLLECTOR) {
    this.isBusy = isBusy;
    this.collector = collector;
  }

  /** A result of so many characters is on its way out. */
  after(chars: number): void {
    this.chars += chars;
    if (chars >= LONG_CHARS) this.hadLong = true;
    if (this.chars >= WORTH_IT_CHARS) this.wait(IDLE_MS, () => this.young());
  }

  private young(): void {
    this.charsSinceAll += this.chars;
    this.chars = 0;
    if (this.charsSinceAll >= OVERDUE_CHARS && !this.hadLong) return this.all();
    this.collector.young();
    if (this.charsSinceAll >= ALL_AFTER_CHARS) this.wait(IDLE_BEFORE_ALL_MS, () => this.all());
  }

  private all(): void {
    this.chars = this.charsSinceAll = 0;
    if (this.hadLong) this.collector.release();
    else this.collector.all();
    this.hadLong = false;
  }

  private wait(ms: number, collect: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.isBusy() ? this.wait(ms, collect) : collect()), ms);
    this.timer.unref?.();
  }
}
