// Bytes of a model's answer → events. Takes event streams as they really come: a missing last blank line, and bodies that
// are JSON lines without `data:`. Knows nothing of completions.
import { EventParser } from "@bosun/platform/sse";
import type { ServerEvent } from "@bosun/platform/sse";

/** One line longer than this is no answer of a model: memory stays bounded whatever comes. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

export type ModelEvent =
  | { kind: "data"; name: string | undefined; data: string }
  /** A sign of life and nothing else. */
  | { kind: "comment" };

/** Throws EventTooLong. */
export class EventReader {
  readonly #decoder = new TextDecoder();
  readonly #parser = new EventParser(MAX_LINE_CHARS, {
    bareJson: true,
    onComment: () => void this.#events.push({ kind: "comment" }),
  });
  #events: ModelEvent[] = [];

  push(bytes: Uint8Array): ModelEvent[] {
    return this.#taken(this.#parser.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** What was waiting for its blank line is an event all the same. */
  end(): ModelEvent[] {
    return [...this.#taken(this.#parser.push(this.#decoder.decode())), ...this.#taken(this.#parser.end())];
  }

  #taken(found: Iterable<ServerEvent>): ModelEvent[] {
    this.#events = [];
    for (const { event, data } of found) {
      if (data !== "") this.#events.push({ kind: "data", name: event === "message" ? undefined : event, data });
    }
    return this.#events;
  }
}
