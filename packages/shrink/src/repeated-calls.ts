// Which calls got a shortened answer: the same answer to the same call goes out whole from then on. A changed answer is
// shortened again, so that a poll stays cheap.
import { createHash } from "node:crypto";

const MAX_CALLS = 256;

export class RepeatedCalls {
  /** Call → digest of its answer; the latest last. */
  readonly #answers = new Map<string, string>();

  isKnown(key: string, json: () => string): boolean {
    const answer = this.#answers.get(key);
    return answer !== undefined && answer === digestOf(json());
  }

  add(key: string, json: () => string): void {
    this.#answers.delete(key);
    this.#answers.set(key, digestOf(json()));
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_CALLS) break;
      this.#answers.delete(oldest);
    }
  }
}

/** The same for the same tool and arguments, however their members are ordered. */
export function callKey(tool: string, args: unknown): string {
  return digestOf(JSON.stringify([tool, sorted(args)]) ?? tool);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, own]): [string, unknown] => [key, sorted(own)]),
  );
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
