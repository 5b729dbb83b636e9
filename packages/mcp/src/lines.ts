// Bytes → lines, however the bytes are cut, with a cap on what one line may cost.
// Knows nothing of JSON.

const NEWLINE = 0x0a;

export type Line = { kind: "line"; text: string } | { kind: "bad"; problem: string };

/**
 * Splits a byte stream at newlines. Chunks of an unfinished line are only listed, and joined once when it ends, so a
 * 16 MiB line arriving in 64 KiB pieces costs 16 MiB of copying and not the square of it.
 */
export class LineSplitter {
  private readonly decoder = new TextDecoder("utf-8", { fatal: true });
  private readonly maxBytes: number;
  private pieces: Uint8Array[] = [];
  private held = 0;
  private overlong = false;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let from = 0;
    while (from < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline === -1) return this.hold(chunk.slice(from));
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
    this.held += piece.length;
    if (this.held > this.maxBytes) {
      // The rest of this line is dropped as it comes: the message fails, the connection lives.
      this.overlong = true;
      this.pieces = [];
    } else if (!this.overlong) {
      this.pieces.push(piece);
    }
  }

  private finish(last: Uint8Array): Line | undefined {
    const total = this.held + last.length;
    const tooLong = this.overlong || total > this.maxBytes;
    const bytes = tooLong ? last : this.join(last, total);
    this.pieces = [];
    this.held = 0;
    this.overlong = false;
    if (tooLong) return { kind: "bad", problem: `a message of ${total} bytes is over the limit of ${this.maxBytes}` };
    return this.decode(bytes);
  }

  private join(last: Uint8Array, total: number): Uint8Array {
    if (this.pieces.length === 0) return last;
    const whole = new Uint8Array(total);
    let at = 0;
    for (const piece of this.pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    whole.set(last, at);
    return whole;
  }

  private decode(bytes: Uint8Array): Line | undefined {
    let text: string;
    try {
      text = this.decoder.decode(bytes);
    } catch {
      return { kind: "bad", problem: "a message is not valid UTF-8" };
    }
    const trimmed = text.trim(); // CRLF, leading blanks and blank lines are harmless
    return trimmed === "" ? undefined : { kind: "line", text: trimmed };
  }
}
