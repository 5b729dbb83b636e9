// How long something may take: a request so long in silence, so long in all, or until the caller does not want it any more;
// anything else so long, whether it settles or not.

/** Above 2^31 - 1 ms a timer fires at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** Whether it has settled by then; how does not matter. */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const settled = (): boolean => true;
  return Promise.race([work.then(settled, settled), late.promise]).finally(() => clearTimeout(timer));
}

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
