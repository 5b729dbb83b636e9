// The full output of commands whose answer was cut, by handles that cannot be guessed, for as long as the session lives
// and within bounds: the oldest goes first.
import type { Piece } from "../process/output-capture.ts";
import { randomHex } from "../random-hex.ts";

/** Anything that can be read from an offset and thrown away: a capture, usually. */
export type CutOutput = {
  read(offset: number, maxBytes: number): Piece;
  lastChars(maxChars: number): string;
  discard(): void;
  readonly totalBytes: number;
};

const DEFAULT_MOST = 32;

export class CutOutputs {
  readonly #kept = new Map<string, CutOutput>();
  readonly #most: number;

  constructor(most = DEFAULT_MOST) {
    this.#most = most;
  }

  /** Keeps an original and returns its handle. */
  keep(original: CutOutput): string {
    const handle = randomHex(12);
    this.#kept.set(handle, original);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) break;
      this.#kept.get(oldest)?.discard();
      this.#kept.delete(oldest);
    }
    return handle;
  }

  /** Undefined for a handle that is not, or no longer, of this session. */
  find(handle: string): CutOutput | undefined {
    return this.#kept.get(handle);
  }

  clear(): void {
    for (const original of this.#kept.values()) original.discard();
    this.#kept.clear();
  }
}
