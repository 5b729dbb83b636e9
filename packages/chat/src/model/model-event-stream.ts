// Bytes of a model's answer → events. Takes event streams as they really come: any line end, comments, no space after
// the colon, a missing last blank line, and bodies that are JSON lines without `data:`. Knows nothing of completions.

/** One line longer than this is no answer of a model: memory stays bounded whatever comes. */
const MAX_LINE_CHARS = 64 * 1024 * 1024;

const MAX_PIECES = 1_000_000;

export type ModelEvent =
  | { kind: "data"; name: string | undefined; data: string }
  /** A sign of life and nothing else. */
  | { kind: "comment" };

export class OverlongLine extends Error {
  override readonly name = "OverlongLine";
}

export class EventReader {
  readonly #decoder = new TextDecoder();
  #held = "";
  #pieces: string[] = [];
  #pieceChars = 0;
  #data: string[] = [];
  #dataChars = 0;
  #name: string | undefined;

  push(bytes: Uint8Array): ModelEvent[] {
    return this.#take(this.#decoder.decode(bytes, { stream: true }), false);
  }

  /** What was waiting for its blank line is an event all the same. */
  end(): ModelEvent[] {
    const events = this.#take(this.#decoder.decode(), true);
    const rest = this.#begun("");
    if (rest !== "") this.#line(rest, events);
    this.#dispatch(events);
    return events;
  }

  #take(piece: string, isLast: boolean): ModelEvent[] {
    const events: ModelEvent[] = [];
    let text = this.#held + piece;
    // A CR at the very end may be half of a CR LF: it waits for the next piece.
    this.#held = !isLast && text.endsWith("\r") ? "\r" : "";
    if (this.#held !== "") text = text.slice(0, -1);
    let start = 0;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#line(this.#begun(text.slice(start, index)), events);
      start = index + end.length;
    }
    // A line in many pieces is put together once, at its end: a long one costs what it is long.
    const rest = text.slice(start);
    if (rest !== "") this.#pieces.push(rest);
    this.#pieceChars += rest.length;
    if (this.#pieceChars > MAX_LINE_CHARS || this.#pieces.length > MAX_PIECES)
      throw new OverlongLine("the server sent a line without end");
    return events;
  }

  /** The line that was begun, with its last part. */
  #begun(last: string): string {
    if (this.#pieces.length === 0) return last;
    const line = this.#pieces.join("") + last;
    this.#pieces = [];
    this.#pieceChars = 0;
    return line;
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
