// UTF-8 bytes → the UTF-8 bytes of a JSON string, with line numbers or without, in WebAssembly: many bytes at a time, and
// as fast for the first file as for the hundredth. What JSON escapes is ASCII, so it does not matter where bytes are cut.
import { moduleOf } from "./instructions.ts";
import { widest } from "./lanes.ts";
import type { Lanes } from "./lanes.ts";
import { countRoutine, escapeRoutine, numberRoutine } from "./routines.ts";

/** Of a text, what is turned into one piece: its reader is busy with it while we make the next. */
export const PIECE_BYTES = 128 * 1024;
const LONGEST_NUMBER = 16;
/** Of a newline: its escape, and the number and the tab of the next line. No byte becomes more. */
const MOST_OF_ONE = LONGEST_NUMBER + 4;

// Where things stand in its memory: for each byte, how many bytes stand for it and which; the number of the next line; the
// text; what becomes of it; and room for a file, so that its text need not be brought here. Several bytes are read and
// written at once, so there is room around each. What is never written costs nothing.
const WORD = 8;
const AROUND = 64;
const ONCE = 0;
const TWICE = ONCE + 256 * WORD;
const NUMBER = TWICE + 256 * WORD + AROUND;
const SOURCE = NUMBER + LONGEST_NUMBER + AROUND;
const RESULT = SOURCE + PIECE_BYTES + AROUND;
const ROOM = RESULT + PIECE_BYTES * MOST_OF_ONE + AROUND;
const PAGE_BYTES = 64 * 1024;

export type Part = { readonly bytes: Buffer; readonly from: number; readonly to: number };

type Exports = {
  readonly memory: WebAssembly.Memory;
  escape(from: number, to: number, into: number, table: number): number;
  number(from: number, to: number, into: number, width: number): number;
  count(from: number, to: number, most: number): number;
};

export class JsonText {
  /** What is read into here is not copied once more. */
  readonly room: Buffer;
  readonly #memory: Buffer;
  readonly #routines: Exports;

  constructor(roomBytes = 0, lanes: Lanes = widest()) {
    const code = moduleOf(Math.ceil((ROOM + roomBytes + AROUND) / PAGE_BYTES), {
      escape: escapeRoutine(lanes),
      number: numberRoutine(lanes, NUMBER, ONCE),
      count: countRoutine(lanes),
    });
    this.#routines = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as Exports;
    this.#memory = Buffer.from(this.#routines.memory.buffer);
    this.room = this.#memory.subarray(ROOM, ROOM + roomBytes);
    for (let byte = 0; byte < 0x80; byte += 1) {
      const once = inner(String.fromCharCode(byte));
      for (const [table, text] of [
        [ONCE, once],
        [TWICE, inner(once)],
      ] as const) {
        this.#memory[table + byte * WORD] = text.length;
        this.#memory.write(text, table + byte * WORD + 1, "latin1");
      }
    }
  }

  /** At most PIECE_BYTES. `twice`: as a string in JSON in a string in JSON. The answer is good until the next call. */
  escaped(part: Part, twice = false): Buffer {
    const from = this.#take(part);
    return this.#result(this.#routines.escape(from, from + part.to - part.from, RESULT, twice ? TWICE : ONCE));
  }

  /** The same for whole lines, each behind its number and a tab. Their line ends become newlines. */
  numbered(part: Part, first: number, width: number): Buffer {
    const from = this.#take(part);
    this.#memory.write(String(first).padStart(width), NUMBER, "latin1");
    return this.#result(this.#routines.number(from, from + part.to - part.from, RESULT, width));
  }

  /** The number of the line after those that got theirs last. */
  nextNumber(width: number): number {
    return Number(this.#memory.toString("latin1", NUMBER, NUMBER + width));
  }

  /** How many lines these are, which end with a newline; undefined if one of them has more bytes than that. */
  lines(part: Part, maxLineBytes: number): number | undefined {
    const from = this.#take(part);
    const count = this.#routines.count(from, from + part.to - part.from, maxLineBytes);
    return count < 0 ? undefined : count;
  }

  /** Where it stands in our memory. */
  #take({ bytes, from, to }: Part): number {
    if (to - from > PIECE_BYTES) throw new RangeError(`a piece of ${to - from} bytes`);
    if (bytes.buffer === this.#memory.buffer) return bytes.byteOffset + from;
    bytes.copy(this.#memory, SOURCE, from, to);
    return SOURCE;
  }

  #result(end: number): Buffer {
    return this.#memory.subarray(RESULT, end);
  }
}

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
