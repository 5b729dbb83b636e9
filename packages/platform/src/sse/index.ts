// Event-stream text ↔ events (the `text/event-stream` format of the HTML standard).

export type ServerEvent = { id: string | undefined; event: string; data: string; retryMs: number | undefined };

export function eventText(data: string, id?: string): string {
  // JSON has no raw line breaks, so one data line is enough.
  return id === undefined ? `data: ${data}\n\n` : `id: ${id}\ndata: ${data}\n\n`;
}

/** An event without data: it gives the client an id to come back with before there is anything to say. */
export function primingText(id: string, retryMs?: number): string {
  return retryMs === undefined ? `id: ${id}\ndata:\n\n` : `id: ${id}\nretry: ${retryMs}\ndata:\n\n`;
}

/** A line or an event that is longer than whoever reads it will hold. */
export class EventTooLong extends Error {
  override readonly name = "EventTooLong";
}

export type EventOptions = {
  /** A line of JSON without `data:` is an event: some servers stream JSON lines. */
  readonly bareJson?: boolean;
  /** Called for each comment, which is a sign of life. */
  readonly onComment?: () => void;
};

/** A line may come a character at a time; each piece takes more memory than its character. */
const MAX_PIECES = 1_000_000;

/** Reads events from text that arrives in pieces, with any line ends. */
export class EventParser {
  private readonly maxChars: number;
  private readonly options: EventOptions;
  private pieces: string[] = [];
  private held = 0;
  private data: string[] = [];
  private dataChars = 0;
  private event = "";
  private id: string | undefined;
  private retryMs: number | undefined;
  private sawCarriageReturn = false;
  private started = false;

  constructor(maxChars: number, options: EventOptions = {}) {
    this.maxChars = maxChars;
    this.options = options;
  }

  *push(text: string): Generator<ServerEvent> {
    let rest = text;
    if (!this.started && rest !== "") {
      this.started = true;
      if (rest.startsWith("\uFEFF")) rest = rest.slice(1);
    }
    let from = 0;
    // A line ends with \n, \r or \r\n, and \r\n may be cut in two.
    if (this.sawCarriageReturn && rest.startsWith("\n")) from = 1;
    if (rest !== "") this.sawCarriageReturn = false;
    const ends = new LineEnds(rest);
    for (;;) {
      const end = ends.after(from);
      if (end === -1) break;
      const line = this.heldLine() + rest.slice(from, end);
      from = end + 1;
      if (rest[end] === "\r") {
        if (from === rest.length) this.sawCarriageReturn = true;
        else if (rest[from] === "\n") from++;
      }
      yield* this.line(line);
    }
    if (from < rest.length) this.hold(rest.slice(from));
  }

  /** The text is over: what was waiting for its line end, or its blank line, is an event all the same. */
  *end(): Generator<ServerEvent> {
    const line = this.heldLine();
    if (line !== "") yield* this.line(line);
    yield* this.dispatch();
  }

  private heldLine(): string {
    const line = this.pieces.length === 0 ? "" : this.pieces.join("");
    this.pieces = [];
    this.held = 0;
    return line;
  }

  private hold(piece: string): void {
    this.held += piece.length;
    this.pieces.push(piece);
    if (this.held > this.maxChars || this.pieces.length > MAX_PIECES)
      throw new EventTooLong(`an event line is longer than ${this.maxChars} characters`);
  }

  private *line(line: string): Generator<ServerEvent> {
    if (line === "") return yield* this.dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return this.options.onComment?.();
    if (this.options.bareJson === true && /^\s*[{[]/.test(line)) {
      yield* this.dispatch();
      this.addData(line);
      return yield* this.dispatch();
    }
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") this.addData(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retryMs = Number(value);
  }

  private addData(value: string): void {
    this.dataChars += value.length + 1; // its line break, too: empty lines are not free
    if (this.dataChars > this.maxChars) throw new EventTooLong(`an event is longer than ${this.maxChars} characters`);
    this.data.push(value);
  }

  private *dispatch(): Generator<ServerEvent> {
    const { id, event, retryMs } = this;
    const data = this.data.join("\n");
    this.data = [];
    this.dataChars = 0;
    this.event = "";
    this.retryMs = undefined;
    if (data === "" && id === undefined && retryMs === undefined) return;
    yield { id, event: event === "" ? "message" : event, data, retryMs };
  }
}

/** Where lines end. Each kind of ending is looked for once: a text of many short lines is not searched for each. */
class LineEnds {
  private readonly text: string;
  private newline: number;
  private carriage: number;

  constructor(text: string) {
    this.text = text;
    this.newline = text.indexOf("\n");
    this.carriage = text.indexOf("\r");
  }

  after(from: number): number {
    const { text } = this;
    if (this.newline !== -1 && this.newline < from) this.newline = text.indexOf("\n", from);
    if (this.carriage !== -1 && this.carriage < from) this.carriage = text.indexOf("\r", from);
    if (this.carriage === -1) return this.newline;
    return this.newline === -1 ? this.carriage : Math.min(this.newline, this.carriage);
  }
}
