// A request that is being answered, and how it is called off.

/** The signal is made for whoever asks for it: most calls are answered before anybody could want to call them off. */
export class RunningCall {
  readonly method: string;
  #controller: AbortController | undefined;
  #aborted = false;
  #reason: unknown;

  constructor(method: string) {
    this.method = method;
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
