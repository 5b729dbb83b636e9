// Long work in slices: gives everybody else a turn now and then, and notices cancellation.
import { EngineError } from "./engine-error.ts";

/** Short enough that a ping waits for no one; long enough that yielding costs nothing. */
const SLICE_MS = 4;

export class TimeSlices {
  readonly #signal: AbortSignal | undefined;
  #sliceEnds = performance.now() + SLICE_MS;

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  get cancelled(): boolean {
    return this.#signal?.aborted ?? false;
  }

  check(): void {
    if (this.cancelled) throw new EngineError("CANCELLED", "cancelled");
  }

  /** Whether the slice is used up; then await `pause()`. Two calls, so that a short job never awaits. */
  get due(): boolean {
    return performance.now() >= this.#sliceEnds;
  }

  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#sliceEnds = performance.now() + SLICE_MS;
  }
}
