// Which name each loopback address of a session stands for. A name keeps its address; when all are taken, the one longest
// unused goes to another name, but never one that a program may still hold.
import { LIMITS } from "../limits.ts";
import type { Limits } from "../limits.ts";

type Entry = { host: string; readonly address: string; usedAt: number; connections: number };

export class NameAddresses {
  readonly #limits: Limits;
  readonly #now: () => number;
  // In the order of use: the first is the longest unused.
  readonly #byHost = new Map<string, Entry>();
  readonly #byAddress = new Map<string, Entry>();

  constructor(limits: Limits = LIMITS, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Undefined when every address is in use. */
  addressOf(host: string): string | undefined {
    const known = this.#byHost.get(host);
    if (known !== undefined) {
      this.#touch(known);
      return known.address;
    }
    const entry = this.#byAddress.size < this.#limits.names ? this.#unused() : this.#longestUnused();
    if (entry === undefined) return undefined;
    entry.host = host;
    this.#byAddress.set(entry.address, entry);
    this.#touch(entry);
    return entry.address;
  }

  hostOf(address: string): string | undefined {
    return this.#byAddress.get(address)?.host;
  }

  /** Keeps an address with its name until the returned function is called. */
  hold(address: string): () => void {
    const entry = this.#byAddress.get(address);
    if (entry === undefined) return () => undefined;
    entry.connections += 1;
    this.#touch(entry);
    return () => {
      entry.connections -= 1;
      this.#touch(entry);
    };
  }

  get all(): readonly { readonly host: string; readonly address: string }[] {
    return [...this.#byHost.values()];
  }

  #unused(): Entry {
    // 127.64.0.1 and up: 127.0.0.0/16 is what programs use themselves.
    const number = this.#byAddress.size + 1;
    const address = `127.64.${number >> 8}.${number & 255}`;
    return { host: "", address, usedAt: 0, connections: 0 };
  }

  #longestUnused(): Entry | undefined {
    const before = this.#now() - this.#limits.nameReuseMs;
    for (const entry of this.#byHost.values()) {
      if (entry.usedAt > before) return undefined; // the others were used later
      if (entry.connections > 0) continue;
      this.#byHost.delete(entry.host);
      return entry;
    }
    return undefined;
  }

  #touch(entry: Entry): void {
    entry.usedAt = this.#now();
    this.#byHost.delete(entry.host);
    this.#byHost.set(entry.host, entry);
  }
}
