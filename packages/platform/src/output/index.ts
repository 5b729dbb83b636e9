// One output stream of this process. A pipe takes 64 KB at a time: what a slow reader has not taken yet must have left the
// process before it exits.

type Stream = {
  write(chunk: string | Uint8Array, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
};

export class ProcessOutput {
  readonly #stream: Stream;
  readonly #onClosed: ((error: Error) => void) | undefined;
  #unwritten = 0;
  #failure: Error | undefined;
  #drained = Promise.withResolvers<void>();

  /** `onClosed`: the reader is gone; nothing that is written from then on arrives. Called once. */
  constructor(stream: Stream, onClosed?: (error: Error) => void) {
    this.#stream = stream;
    this.#onClosed = onClosed;
    this.#drained.resolve();
    stream.on("error", (error) => this.#fail(error));
  }

  /** Why nothing arrives any more. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  write(chunk: string | Uint8Array): void {
    // The callback of an empty chunk fires at once, whatever is still waiting before it: only chunks with bytes count.
    if (chunk.length === 0 || this.#failure !== undefined) return;
    if (this.#unwritten === 0) this.#drained = Promise.withResolvers();
    this.#unwritten += 1;
    this.#stream.write(chunk, (error) => {
      this.#unwritten -= 1;
      if (error) this.#fail(error);
      if (this.#unwritten === 0) this.#drained.resolve();
    });
  }

  /**
   * Resolves when everything written has left the process, or nobody is there to take it. `withinMs`: for an end that was
   * ordered, such as by a signal; a reader that has stopped reading does not hold it up for longer.
   */
  async drained(withinMs?: number): Promise<void> {
    if (withinMs === undefined) return this.#drained.promise;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    await Promise.race([this.#drained.promise, late]);
    clearTimeout(timer);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#drained.resolve();
    this.#onClosed?.(error);
  }
}
