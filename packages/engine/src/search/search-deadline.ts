// When a search must stop: because the caller says so, or because it has taken too long.

/** Longer than this a timer fires at once. */
const MAX_TIMER_MS = 2_147_483_647;
/** What has been found by the deadline may still be shown: opening and reading it again gets this much. */
const SHOWING_MS = 5_000;

export type Ended = "cancelled" | "timeout";

export class Deadline implements Disposable {
  /** For looking. */
  readonly looking: AbortSignal;
  /** For showing what was found. */
  readonly showing: AbortSignal;
  readonly #timeout = new AbortController();
  readonly #end = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timers: ReturnType<typeof setTimeout>[];

  constructor(timeoutMs: number, caller?: AbortSignal, showingMs = SHOWING_MS) {
    this.#caller = caller;
    const signals = caller === undefined ? [] : [caller];
    this.looking = AbortSignal.any([this.#timeout.signal, ...signals]);
    this.showing = AbortSignal.any([this.#end.signal, ...signals]);
    const lookingMs = Math.min(Math.max(0, timeoutMs), MAX_TIMER_MS - SHOWING_MS);
    this.#timers = [
      setTimeout(() => this.#timeout.abort(), lookingMs),
      setTimeout(() => this.#end.abort(), lookingMs + showingMs),
    ];
  }

  get ended(): Ended | undefined {
    if (this.#caller?.aborted === true) return "cancelled";
    return this.#timeout.signal.aborted ? "timeout" : undefined;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}
