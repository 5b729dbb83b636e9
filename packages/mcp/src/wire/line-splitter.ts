// Bytes → lines, however the bytes are cut, with a cap on what one line may cost.
// Knows nothing of JSON.

const NEWLINE = 0x0a;
/** Where the buffer of an unfinished line starts, and the size above which it is given back after use. */
const SMALL_BYTES = 64 * 1024;
/** From here on the buffer has the size of the longest line: memory that is not written to costs nothing, copies do. */
const LARGE_BYTES = 1024 * 1024;

/** `ends`: the beginning and the end of a line that is no text, as far as they can be read. */
export type Line = { kind: "line"; text: string } | { kind: "bad"; problem: string; ends?: string };

/**
 * Splits a byte stream at newlines. An unfinished line waits in a buffer that doubles as it fills: linear cost for a
 * 16 MiB line in 64 KiB pieces, and no more memory than that if it drips in byte by byte.
 */
export class LineSplitter {
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });
  private readonly maxBytes: number;
  private readonly onOverlong: (beginning: string) => void;
  private buffer = new Uint8Array(0);
  /** Bytes of the unfinished line, also those no longer kept. */
  private held = 0;
  /** What is kept of an unfinished line that is over the limit: whose it was stands at one of its ends. */
  private overlong: { head: Uint8Array; tail: Uint8Array } | undefined;

  /** `onOverlong` hears of a line that is over the limit when it gets there: its end may never come. */
  constructor(maxBytes: number, onOverlong: (beginning: string) => void = () => {}) {
    this.maxBytes = maxBytes;
    this.onOverlong = onOverlong;
  }

  /** Bytes of the line that has not ended yet. */
  get unfinished(): number {
    return this.held;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline === -1) return this.hold(chunk.subarray(from));
      const line = this.finish(chunk.subarray(from, newline));
      from = newline + 1;
      if (line) yield line;
    }
  }

  /** What was left without a newline when the stream ended. */
  *end(): Generator<Line> {
    const line = this.finish(new Uint8Array(0));
    if (line) yield line;
  }

  private hold(piece: Uint8Array): void {
    const total = this.held + piece.length;
    if (total > this.maxBytes) this.drop(piece);
    else this.keep(piece, total);
    this.held = total;
  }

  /** The rest of an overlong line is dropped as it comes: the message fails, the connection lives. */
  private drop(piece: Uint8Array): void {
    const tail = (before: Uint8Array): Uint8Array =>
      piece.length >= END_BYTES ? piece.slice(-END_BYTES) : joined(before, piece).slice(-END_BYTES);
    if (this.overlong) {
      this.overlong.tail = tail(this.overlong.tail);
      return;
    }
    const kept = this.buffer.subarray(0, this.held);
    const head = joined(kept.subarray(0, END_BYTES), piece.subarray(0, END_BYTES)).slice(0, END_BYTES);
    this.overlong = { head, tail: tail(kept.subarray(-END_BYTES)) };
    this.buffer = new Uint8Array(0);
    this.onOverlong(readable(head).trimStart());
  }

  private keep(piece: Uint8Array, total: number): void {
    if (total > this.buffer.length) {
      const wanted = total > LARGE_BYTES ? this.maxBytes : Math.max(total, 2 * this.buffer.length, SMALL_BYTES);
      const larger = new Uint8Array(Math.min(wanted, this.maxBytes));
      larger.set(this.buffer.subarray(0, this.held));
      this.buffer = larger;
    }
    this.buffer.set(piece, this.held);
  }

  private finish(last: Uint8Array): Line | undefined {
    const total = this.held + last.length;
    if (this.held === 0 && total <= this.maxBytes) return this.decode(last);
    if (total <= this.maxBytes) this.keep(last, total);
    else this.drop(last);
    const line = this.overlong
      ? overlongLine(total, this.maxBytes, this.overlong)
      : this.decode(this.buffer.subarray(0, total));
    this.overlong = undefined;
    this.held = 0;
    if (this.buffer.length > SMALL_BYTES) this.buffer = new Uint8Array(0);
    return line;
  }

  private decode(bytes: Uint8Array): Line | undefined {
    let text: string;
    try {
      text = this.decoder.decode(bytes);
    } catch {
      // the decoder throws on bytes that are no UTF-8: the message fails, the connection lives
      return { kind: "bad", problem: "a message is not valid UTF-8", ends: endsOf(readable(bytes)) };
    }
    const trimmed = text.trim(); // CRLF, leading blanks and blank lines are harmless
    return trimmed === "" ? undefined : { kind: "line", text: trimmed };
  }
}

const END_CHARS = 300;
const END_BYTES = END_CHARS;

function overlongLine(total: number, maxBytes: number, { head, tail }: { head: Uint8Array; tail: Uint8Array }): Line {
  const ends = `${readable(head)}…${readable(tail)}`.trim();
  return { kind: "bad", problem: `a message of ${total} bytes is over the limit of ${maxBytes}`, ends };
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

/** What a message is can be seen at its beginning and its end. */
export function endsOf(text: string): string {
  return text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}…${text.slice(-END_CHARS)}`;
}

function readable(bytes: Uint8Array): string {
  const lenient = new TextDecoder();
  if (bytes.length <= 4 * END_CHARS) return lenient.decode(bytes);
  return lenient.decode(bytes.subarray(0, END_CHARS)) + lenient.decode(bytes.subarray(-END_CHARS));
}
