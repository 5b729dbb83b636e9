// The memory that the streams of one command share. Each is sure of a share, however much the other says: a flood on
// standard output must not cost the message on standard error that explains it.

export class OutputBudget {
  readonly #maxBytes: number;
  readonly #shareBytes: number;
  readonly #used = new Map<object, number>();

  constructor(maxBytes: number, shareBytes: number) {
    this.#maxBytes = maxBytes;
    this.#shareBytes = shareBytes;
  }

  join(stream: object): void {
    this.#used.set(stream, 0);
  }

  /** How many of the wanted bytes it may keep. They are its own from now on. */
  take(stream: object, wantedBytes: number): number {
    let taken = 0;
    for (const [one, used] of this.#used) taken += one === stream ? used : Math.max(used, this.#shareBytes);
    const granted = Math.max(0, Math.min(wantedBytes, this.#maxBytes - taken));
    this.#used.set(stream, (this.#used.get(stream) ?? 0) + granted);
    return granted;
  }
}
