// Reads one pipe to its end into a capture, and never stops reading before: a full pipe would block its writer, a closed
// one would kill it.
import { closeQuietly } from "./private-files.ts";
import type { Capture } from "./capture.ts";
import type { Pipe, PipePool } from "./pipes.ts";

export class Drain {
  readonly capture: Capture;
  /** Resolves when every writer has closed its end, or after `abandon`. Never rejects. */
  readonly ended: Promise<void>;
  #lastDataAt = performance.now();
  #atEnd = false;
  #keeping = true;
  #reader: { cancel(): Promise<void> } | undefined;

  constructor(pipe: Pipe, pool: PipePool, capture: Capture, onData: (chunk: Uint8Array) => void) {
    this.capture = capture;
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
    this.#reader?.cancel().catch(() => undefined);
  }

  async #read(pipe: Pipe, pool: PipePool, onData: (chunk: Uint8Array) => void): Promise<void> {
    const reader = Bun.file(pipe.readFd).stream().getReader();
    let clean = false;
    this.#reader = {
      cancel: () => {
        clean = false;
        return reader.cancel();
      },
    };
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        this.#lastDataAt = performance.now();
        if (!this.#keeping) continue;
        this.capture.push(value);
        onData(value);
      }
      clean = true;
    } catch {
      // The descriptor was closed under us while giving up: the end, as far as we care.
    }
    this.#atEnd = clean;
    this.capture.finish();
    closeQuietly(pipe.readFd); // the stream does not (runtime.md §3)
    if (clean) pool.giveBack(pipe);
    else pool.retire(pipe);
  }
}
