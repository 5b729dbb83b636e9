// Who asks again as soon as it is answered finds us awake: falling asleep and being woken up costs more than a short answer.
// Only for a peer that has just been that quick, and only for a moment: a model that thinks between its calls costs nothing.

/** A peer that answers an answer with a question needs this long at most, being woken up included. */
const PROMPT_MS = 0.5;
/** So long we stay awake: a prompt peer has asked by then. */
const MOMENT_MS = 0.15;

export class Linger {
  /** With one processor, whoever waits awake keeps the other from asking. */
  readonly #pays: boolean;
  #answeredAt = -Infinity;
  #prompt = false;
  #awake = false;

  constructor(processors = navigator.hardwareConcurrency) {
    this.#pays = processors > 1;
  }

  get isAwake(): boolean {
    return this.#awake;
  }

  asked(): void {
    this.#prompt = performance.now() - this.#answeredAt < PROMPT_MS;
  }

  answered(): void {
    if (!this.#pays) return;
    this.#answeredAt = performance.now();
    if (!this.#prompt || this.#awake) return;
    this.#awake = true;
    setImmediate(this.#stay);
  }

  // An immediate makes the event loop look for input without waiting for it.
  readonly #stay = (): void => {
    this.#awake = this.#prompt && performance.now() - this.#answeredAt < MOMENT_MS;
    if (this.#awake) setImmediate(this.#stay);
  };
}
