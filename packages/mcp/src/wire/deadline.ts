// How long a request may take: so long in silence, so long in all, or until the caller does not want it any more.

/** Above 2^31 - 1 ms a timer fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

export class Deadline {
  private readonly controller = new AbortController();
  private readonly caller: AbortSignal | undefined;
  private readonly quietMs: number;
  private readonly total: Timer | undefined;
  private quiet: Timer | undefined;
  /** Why it fired; undefined when the caller cancelled. */
  expired: string | undefined;

  constructor(quietMs: number, totalMs: number, caller?: AbortSignal) {
    this.quietMs = quietMs;
    this.caller = caller;
    this.total = this.timer(totalMs);
    this.touch();
    if (caller?.aborted) this.cancel();
    else caller?.addEventListener("abort", this.cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** There was a sign of life. */
  touch(): void {
    clearTimeout(this.quiet);
    this.quiet = this.timer(this.quietMs);
  }

  over(): void {
    clearTimeout(this.quiet);
    clearTimeout(this.total);
    this.caller?.removeEventListener("abort", this.cancel);
  }

  private readonly cancel = (): void => this.controller.abort(this.caller?.reason);

  private timer(ms: number): Timer | undefined {
    if (ms === Number.POSITIVE_INFINITY) return undefined;
    return setTimeout(
      () => {
        this.expired = `no answer within ${ms} ms`;
        this.controller.abort();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
  }
}
