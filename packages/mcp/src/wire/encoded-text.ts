// A long text that becomes JSON piece by piece while it is sent. As a string, as JSON, as a message around it and as
// bytes it would be made four times over, and its reader would wait for the last of them; this way it is made once, and
// the reader is busy with one piece while the next is made. For the benchmark rows "1 MiB read" and "1 MiB view with line
// numbers", which take twice to three times as long without it.
import type { TextBlock } from "./content.ts";

/** To everyone who looks, an ordinary text block: `text` is made when somebody does. */
export class EncodedText implements TextBlock {
  readonly type = "text";
  declare readonly text: string;
  readonly #size: number;
  readonly #pieces: () => Iterable<Uint8Array>;
  #decoded: string | undefined;

  /**
   * `pieces` gives the UTF-8 bytes of a JSON string without its quotes: the same each time it is called, and each piece
   * untouched until the next is asked for, of this text or another: so they are taken all in one go. Characters may be cut
   * between pieces.
   */
  constructor(size: number, pieces: () => Iterable<Uint8Array>) {
    this.#size = size;
    this.#pieces = pieces;
    // A member of its own, so that copies of the block have it too.
    Object.defineProperty(this, "text", { enumerable: true, get: () => this.#decode() });
  }

  /** About as many bytes as there will be. */
  get size(): number {
    return this.#size;
  }

  pieces(): Iterable<Uint8Array> {
    return this.#pieces();
  }

  /** Whether the text contains that, found without making it. */
  includes(wanted: string): boolean {
    return joined(this.#pieces()).includes(JSON.stringify(wanted).slice(1, -1));
  }

  #decode(): string {
    return (this.#decoded ??= JSON.parse(`"${joined(this.#pieces()).toString()}"`) as string);
  }
}

/** A message with such texts in it: what stands around them is there already. */
export class PiecedMessage {
  readonly #parts: readonly (string | EncodedText)[];

  constructor(parts: readonly (string | EncodedText)[]) {
    this.#parts = parts;
  }

  /** About as many characters as there will be. */
  get length(): number {
    return this.#parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : part.size), 0);
  }

  /** Strings and bytes in their order. Bytes stay as they are until the next piece is asked for. */
  *pieces(): Generator<string | Uint8Array> {
    for (const part of this.#parts) {
      if (typeof part === "string") yield part;
      else yield* part.pieces();
    }
  }

  bytes(): Buffer<ArrayBuffer> {
    return joined(this.pieces());
  }

  toString(): string {
    const texts = this.#parts.filter((part) => typeof part === "string");
    return texts.length === this.#parts.length ? texts.join("") : this.bytes().toString();
  }
}

/** One message's JSON text. */
export type MessageText = string | PiecedMessage;

function joined(pieces: Iterable<string | Uint8Array>): Buffer<ArrayBuffer> {
  const copies: Buffer[] = [];
  for (const piece of pieces) copies.push(typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece));
  return Buffer.concat(copies);
}
