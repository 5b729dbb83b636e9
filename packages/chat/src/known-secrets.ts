// Keys and tokens in use, and a redactor that knows them. They become known one by one, as they are used.
import { createRedactor } from "@bosun/platform/secrets";
import type { Redactor } from "@bosun/platform/secrets";

/** Shorter ones are words: taking them out would take words out of everything. */
const SHORTEST = 6;

export class KnownSecrets {
  readonly #known = new Set<string>();
  #redactor: Redactor = createRedactor();

  readonly add = (secret: string): void => {
    if (secret.length < SHORTEST || this.#known.has(secret)) return;
    this.#known.add(secret);
    this.#redactor = createRedactor({ secrets: [...this.#known] });
  };

  /** Always the one of the moment, also for whoever keeps it. */
  get redactor(): Redactor {
    return {
      text: (text) => this.#redactor.text(text),
      value: (value) => this.#redactor.value(value),
      find: (text) => this.#redactor.find(text),
    };
  }
}
