// Bytes of a model's answer → events. Takes event streams as they really come: any line end, comments, no space after
// the colon, a missing last blank line, and bodies that are JSON lines without `data:`. Knows nothing of completions.

/** One line longer than this is no answer of a model: memory stays bounded whatever comes. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

export type ModelEvent =
  | { kind: "data"; name: string | undefined; data: string }
  /** A sign of life and nothing else. */
  | { kind: "comment" };

export class OverlongLine extends Error {
  override readonly name = "OverlongLine";
}

export class EventReader {
  readonly #decoder = new TextDecoder();
  #buffer = "";
  #scanned = 0;
  #data: string[] = [];
  #dataChars = 0;
  #name: string | undefined;

  push(bytes: Uint8Array): ModelEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }), false);
  }

  /** What was waiting for its blank line is an event all the same. */
  end(): ModelEvent[] {
    const events = this.#take(this.#decoder.decode(), true);
    if (this.#buffer !== "") this.#line(this.#buffer, events);
    this.#buffer = "";
    this.#dispatch(events);
    return events;
  }

  #take(text: string, isLast: boolean): ModelEvent[] {
    const events: ModelEvent[] = [];
    this.#buffer += text;
    let start = 0;
    let at = this.#scanned;
    for (; at < this.#buffer.length; at += 1) {
      const unit = this.#buffer.charCodeAt(at);
      if (unit !== 0x0a && unit !== 0x0d) continue;
      // A CR at the very end may be half of a CR LF: wait for the next piece.
      if (unit === 0x0d && at + 1 === this.#buffer.length && !isLast) break;
      this.#line(this.#buffer.slice(start, at), events);
      if (unit === 0x0d && this.#buffer.charCodeAt(at + 1) === 0x0a) at += 1;
      start = at + 1;
    }
    this.#buffer = start === 0 ? this.#buffer : this.#buffer.slice(start);
    this.#scanned = at - start;
    if (this.#buffer.length > MAX_LINE_CHARS) throw new OverlongLine("the server sent a line without end");
    return events;
  }

  #line(line: string, events: ModelEvent[]): void {
    if (line === "") return this.#dispatch(events);
    if (line.startsWith(":")) return void events.push({ kind: "comment" });
    if (/^\s*[{[]/.test(line)) {
      // A line of JSON on its own: a server that streams JSON lines.
      this.#dispatch(events);
      return void events.push({ kind: "data", name: undefined, data: line });
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      this.#data.push(value);
      this.#dataChars += value.length + 1;
      if (this.#dataChars > MAX_LINE_CHARS) throw new OverlongLine("the server sent an event without end");
    }
    if (field === "event") this.#name = value;
    // `id` and `retry` mean nothing here, unknown fields neither.
  }

  #dispatch(events: ModelEvent[]): void {
    if (this.#data.length > 0) events.push({ kind: "data", name: this.#name, data: this.#data.join("\n") });
    this.#data = [];
    this.#dataChars = 0;
    this.#name = undefined;
  }
}
