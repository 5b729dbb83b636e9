// The first results of a process are slow: the vocabulary must be read, every pattern and table be made, and nothing is
// compiled yet. Who has a quiet moment after starting can spend it here. Works in small steps, so that nobody waits for it.
import { Shrinker } from "./shrink.ts";
import { SAMPLES } from "./warm-up-samples.ts";

export type WarmUpOptions = {
  /** Given up when this fires. */
  stop?: AbortSignal;
  /** While this holds, nothing is done: the work itself is what warms best. */
  isBusy?: () => boolean;
};

/**
 * Of work, not of waiting, and as the clock has it: a busy machine must not be kept busier. The first part is for the time
 * in which something else starts. That needs a processor too, and so does the compiling that our work sets off: with more
 * than this, a server beside us took longer to start where there are two.
 */
const FIRST_WORK_MS = 30;
const MAX_WORK_MS = 200;
const BUSY_PAUSE_MS = 50;
/** Lines of the samples, round by round: once through everything while it is slow, then enough to be worth compiling. */
const ROUNDS = [8, 40, 40, 60, 60, 80, 80, 80];

/** Warms in two parts, each of which ends by itself. Neither changes what a result becomes, only when. */
export class WarmUp {
  readonly #stop: AbortSignal | undefined;
  readonly #isBusy: () => boolean;
  readonly #steps = steps();
  #workedMs = 0;

  constructor({ stop, isBusy = () => false }: WarmUpOptions = {}) {
    this.#stop = stop;
    this.#isBusy = isBusy;
  }

  /** A small part of the work, and most of what it is good for. */
  begin(): Promise<void> {
    return this.#work(FIRST_WORK_MS);
  }

  /** Until everything has been exercised, or enough work was spent on it. */
  finish(): Promise<void> {
    return this.#work(MAX_WORK_MS);
  }

  async #work(maxMs: number): Promise<void> {
    while (this.#workedMs <= maxMs) {
      await nextTurn();
      while (this.#isBusy()) {
        await pause(BUSY_PAUSE_MS);
        if (this.#stop?.aborted) return;
      }
      if (this.#stop?.aborted) return;
      const start = performance.now();
      if (this.#steps.next().done) return;
      this.#workedMs += performance.now() - start;
    }
  }
}

function* steps(): Generator<undefined, void> {
  for (const [round, count] of ROUNDS.entries()) {
    const shrinker = new Shrinker({ dropStructuredCopies: true });
    for (const sample of SAMPLES) {
      shrinker.shrink({ content: [{ type: "text", text: sample(round, count) }] });
      yield;
    }
  }
}

// Whatever has come in is served first.
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref?.();
  });
}
