// Writes contacts down, each refusal once in a while however often it comes.
import type { ContactDecision, ContactEnd, ContactEvent, NetworkEvent } from "./contact-events.ts";
import type { Limits } from "../limits.ts";

export type RecordEvent = (event: NetworkEvent) => void;

/** Passes on what `record` throws: what cannot be written down must not happen. */
export class ContactRecord {
  readonly #session: string;
  readonly #record: RecordEvent;
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #refusals = new Map<string, { writtenAt: number; repeated: number }>();
  readonly #number: () => number;

  constructor(session: string, record: RecordEvent, number: () => number, limits: Limits, now: () => number) {
    this.#session = session;
    this.#record = record;
    this.#number = number;
    this.#limits = limits;
    this.#now = now;
  }

  /** Returns the number of the contact. */
  allowed(contact: Omit<ContactEvent, "kind" | "n" | "session">): number {
    const n = this.#number();
    this.#record({ kind: "contact", n, session: this.#session, ...contact });
    return n;
  }

  /** Once in ten seconds for the same refusal. */
  refused(contact: Omit<ContactEvent, "kind" | "n" | "session" | "repeated">): void {
    const key = [contact.host, contact.port ?? "", contact.decision satisfies ContactDecision].join(" ");
    const known = this.#refusals.get(key);
    const now = this.#now();
    if (known !== undefined && now - known.writtenAt < this.#limits.sameRefusalMs) {
      known.repeated += 1;
      return;
    }
    const repeated = known?.repeated ?? 0;
    this.#refusals.delete(key);
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size >= this.#limits.rememberedRefusals && oldest !== undefined) this.#refusals.delete(oldest);
    this.#refusals.set(key, { writtenAt: now, repeated: 0 });
    const count = repeated === 0 ? {} : { repeated };
    this.#record({ kind: "contact", n: this.#number(), session: this.#session, ...contact, ...count });
  }

  ended(contact: number, up: number, down: number, ms: number, why: ContactEnd): void {
    this.#record({ kind: "contact-end", contact, session: this.#session, up, down, ms: Math.round(ms), why });
  }
}
