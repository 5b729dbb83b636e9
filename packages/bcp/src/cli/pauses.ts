// Room for others while a file is walked through: a server has them to answer, and somebody may not want to know any more.

import { setImmediate } from "node:timers/promises";

// By the clock, not by a number of blocks: one may take as long as a million others.
const WORK_MS = 10;

export class Pauses {
  private readonly signal: AbortSignal | undefined;
  private since = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
  }

  /** A pause, if one is due. Waiting for it throws the reason of the signal. */
  readonly rest = (): Promise<void> | undefined => {
    return performance.now() - this.since >= WORK_MS ? this.pause() : undefined;
  };

  private async pause(): Promise<void> {
    await setImmediate();
    this.signal?.throwIfAborted();
    this.since = performance.now();
  }
}
