// Reads one pipe to its end into a capture, and never stops reading before: a full pipe would block its writer, a closed
// one would kill it.
import type { Capture } from "./output-capture.ts";
import type { Pipe, PipePool } from "./pipe-pool.ts";

export class OutputReader {
  readonly capture: Capture;
  /** Resolves when every writer has closed its end, or after `abandon`. Never rejects. */
  readonly ended: Promise<void>;
  #lastDataAt = performance.now();
  #atEnd = false;
  #keeping = true;
  readonly #pipe: Pipe;
  #abandoned = false;

  constructor(pipe: Pipe, pool: PipePool, capture: Capture, onData: (chunk: Uint8Array) => void) {
    this.capture = capture;
    this.#pipe = pipe;
    this.ended = this.#read(pipe, pool, onData);
  }

  get atEnd(): boolean {
    return this.#atEnd;
  }

  quietMs(): number {
    return performance.now() - this.#lastDataAt;
  }

  /** The answer is out: read on, but keep nothing. */
  stopKeeping(): void {
    this.#keeping = false;
    this.capture.finish();
  }

  /** Give the pipe up although somebody still holds it. */
  abandon(): void {
    this.#abandoned = true;
    this.#pipe.reader.cancel().catch(() => undefined);
  }

  async #read(pipe: Pipe, pool: PipePool, onData: (chunk: Uint8Array) => void): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await pipe.reader.read();
        if (done || value === undefined) break;
        this.#lastDataAt = performance.now();
        if (!this.#keeping) continue;
        this.capture.push(value);
        notify(onData, value);
      }
      this.#atEnd = !this.#abandoned;
    } catch {
      // The descriptor was closed under us while giving up: the end, as far as we care.
    }
    this.capture.finish();
    if (this.#atEnd) pool.giveBack(pipe);
    else pool.retire(pipe);
  }
}

// A listener that throws is a bug of the listener: said, but never a reason to stop reading.
function notify(onData: (chunk: Uint8Array) => void, chunk: Uint8Array): void {
  try {
    onData(chunk);
  } catch (error) {
    console.error(error);
  }
}
