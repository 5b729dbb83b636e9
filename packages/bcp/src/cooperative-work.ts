// Work in steps, for whoever has others to answer meanwhile: it can be done at once, or with pauses in between.

import { setImmediate } from "node:timers/promises";

export type Steps<T> = Generator<undefined, T, undefined>;

/** Does some of what is left, and says whether there is more. */
export type More = () => boolean;

/** Called after each step: a pause to wait for, where one is due. */
export type PauseIfDue = () => Promise<void> | undefined;

export const neverPause: PauseIfDue = () => undefined;

export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export function repeatAtOnce(more: More): void {
  while (more()) continue;
}

export async function runWithPauses<T>(steps: Steps<T>, pauseIfDue: PauseIfDue): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = pauseIfDue();
    if (pause) await pause;
  }
}

export async function repeatWithPauses(more: More, pauseIfDue: PauseIfDue): Promise<void> {
  while (more()) {
    const pause = pauseIfDue();
    if (pause) await pause;
  }
}

// By the clock, not by a number of blocks: one may take as long as a million others.
const WORK_MS = 10;

/** Gives the event loop a turn every few milliseconds. Waiting for one throws the reason of the signal once that is aborted. */
export function pausesFor(signal: AbortSignal | undefined): PauseIfDue {
  let since = performance.now();
  const pause = async (): Promise<void> => {
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  };
  return () => (performance.now() - since >= WORK_MS ? pause() : undefined);
}
