// UTF-8 bytes → the UTF-8 bytes of a JSON string, with line numbers or without, in WebAssembly: eight bytes at a time, and
// as fast for the first file as for the hundredth. What JSON escapes is ASCII, so it does not matter where bytes are cut.
import {
  add,
  again,
  againIf,
  and64,
  block,
  differs,
  equal,
  i32,
  i64,
  isZero64,
  leave,
  leaveIf,
  less,
  loadByte,
  loadWord,
  local,
  loop,
  moduleOf,
  narrowed,
  not,
  or64,
  set,
  shiftLeft,
  shiftRight64,
  storeByte,
  storeWord,
  sub,
  sub64,
  trailingZeros64,
  when,
  xor64,
} from "./instructions.ts";
import type { Code, Routine } from "./instructions.ts";

/** Of a text, what is turned into one piece: its reader is busy with it while we make the next. */
export const PIECE_BYTES = 128 * 1024;
const LONGEST_NUMBER = 16;
/** Of a newline: its escape, and the number and the tab of the next line. No byte becomes more. */
const MOST_OF_ONE = LONGEST_NUMBER + 4;

// Where things stand in its memory: for each byte, how many bytes stand for it and which; the number of the next line; the
// text; what becomes of it. Words are read and written whole, so there is room around each.
const WORD = 8;
const ONCE = 0;
const TWICE = ONCE + 256 * WORD;
const NUMBER = TWICE + 256 * WORD + WORD;
const SOURCE = NUMBER + LONGEST_NUMBER + WORD;
const RESULT = SOURCE + PIECE_BYTES + WORD;
const END = RESULT + PIECE_BYTES * MOST_OF_ONE + 4 * WORD;
const PAGE_BYTES = 64 * 1024;

const [NEWLINE, RETURN, SPACE, ZERO, NINE] = [0x0a, 0x0d, 0x20, 0x30, 0x39];
const ESCAPED_TAB = 0x745cn; // backslash, t

export type Part = { readonly bytes: Buffer; readonly from: number; readonly to: number };

type Exports = {
  readonly memory: WebAssembly.Memory;
  escape(from: number, to: number, into: number, table: number): number;
  number(from: number, to: number, into: number, width: number): number;
  count(from: number, to: number, most: number): number;
};

export class JsonText {
  readonly #memory: Buffer;
  readonly #routines: Exports;

  constructor() {
    const code = moduleOf(Math.ceil(END / PAGE_BYTES), {
      escape: escapeRoutine(),
      number: numberRoutine(),
      count: countRoutine(),
    });
    this.#routines = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as Exports;
    this.#memory = Buffer.from(this.#routines.memory.buffer);
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
    const end = this.#take(part);
    return this.#memory.subarray(RESULT, this.#routines.escape(SOURCE, end, RESULT, twice ? TWICE : ONCE));
  }

  /** The same for whole lines, each behind its number and a tab. Their line ends become newlines. */
  numbered(part: Part, first: number, width: number): Buffer {
    const end = this.#take(part);
    this.#memory.write(String(first).padStart(width), NUMBER, "latin1");
    return this.#memory.subarray(RESULT, this.#routines.number(SOURCE, end, RESULT, width));
  }

  /** The number of the line after those that got theirs last. */
  nextNumber(width: number): number {
    return Number(this.#memory.toString("latin1", NUMBER, NUMBER + width));
  }

  /** How many lines these are, which end with a newline; undefined if one of them has more bytes than that. */
  lines(part: Part, maxLineBytes: number): number | undefined {
    const count = this.#routines.count(SOURCE, this.#take(part), maxLineBytes);
    return count < 0 ? undefined : count;
  }

  #take({ bytes, from, to }: Part): number {
    if (to - from > PIECE_BYTES) throw new RangeError(`a piece of ${to - from} bytes`);
    return SOURCE + bytes.copy(this.#memory, SOURCE, from, to);
  }
}

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function escapeRoutine(): Routine {
  const [from, to, into, table, plain, word, special] = [0, 1, 2, 3, 4, 5, 6];
  const left = sub(local(to), local(from));
  const body = block(
    loop(
      leaveIf(1, not(less(local(from), local(to)))),
      copyWord(from, into, word, special),
      // Not by `plain`, which would be right as well: then each round would have to wait for the one before.
      when(
        isZero64(local(special)),
        when(not(less(left, i32(WORD))), advance(from, i32(WORD)), advance(into, i32(WORD)), again(2)),
      ),
      set(plain, firstIn(special)),
      when(not(less(local(plain), left)), advance(into, left), leave(2)),
      advance(from, local(plain)),
      advance(into, local(plain)),
      writeEscape(loadByte(local(from)), local(table), into, word),
      advance(from, i32(1)),
      again(0),
    ),
  );
  return { parameters: 4, words: 1, longs: 2, body: [...body, ...local(into)] };
}

function numberRoutine(): Routine {
  const [from, to, into, width, plain, digit, word, special] = [0, 1, 2, 3, 4, 5, 6, 7];
  const byte = plain; // one is over before the other begins
  const line = loop(
    copyWord(from, into, word, special),
    when(isZero64(local(special)), advance(from, i32(WORD)), advance(into, i32(WORD)), again(1)),
    set(plain, firstIn(special)),
    advance(from, local(plain)),
    advance(into, local(plain)),
    set(byte, loadByte(local(from))),
    when(
      equal(local(byte), i32(RETURN)),
      when(equal(loadByte(local(from), 1), i32(NEWLINE)), advance(from, i32(1)), set(byte, i32(NEWLINE))),
    ),
    writeEscape(local(byte), i32(ONCE), into, word),
    advance(from, i32(1)),
    againIf(0, differs(local(byte), i32(NEWLINE))),
  );
  // From the right: nines become zeros, and what stands before them one more; a blank becomes a one.
  const countUp = [
    ...set(digit, sub(add(i32(NUMBER), local(width)), i32(1))),
    ...block(
      loop(
        leaveIf(1, differs(loadByte(local(digit)), i32(NINE))),
        storeByte(local(digit), i32(ZERO)),
        advance(digit, i32(-1)),
        again(0),
      ),
    ),
    ...set(byte, loadByte(local(digit))),
    ...storeByte(local(digit), add(add(local(byte), i32(1)), shiftLeft(equal(local(byte), i32(SPACE)), i32(4)))),
  ];
  const body = block(
    loop(
      leaveIf(1, not(less(local(from), local(to)))),
      storeWord(local(into), loadWord(i32(NUMBER))),
      storeWord(local(into), loadWord(i32(NUMBER), WORD), WORD),
      advance(into, local(width)),
      storeWord(local(into), i64(ESCAPED_TAB)),
      advance(into, i32(2)),
      countUp,
      line,
      again(0),
    ),
  );
  return { parameters: 4, words: 2, longs: 2, body: [...body, ...local(into)] };
}

function countRoutine(): Routine {
  const [from, to, most, start, count, newline] = [0, 1, 2, 3, 4, 5];
  const all = (byte: bigint): bigint => byte * 0x0101010101010101n;
  const word = xor64(loadWord(local(from)), i64(all(0x0an)));
  const found = and64(and64(sub64(word, i64(all(0x01n))), xor64(word, i64(-1n))), i64(all(0x80n)));
  const body = block(
    set(start, local(from)),
    loop(
      leaveIf(1, not(less(local(from), local(to)))),
      set(newline, found),
      when(isZero64(local(newline)), advance(from, i32(WORD)), again(1)),
      advance(from, firstIn(newline)),
      leaveIf(1, not(less(local(from), local(to)))),
      when(less(local(most), sub(local(from), local(start))), set(count, i32(-1)), leave(2)),
      advance(from, i32(1)),
      set(start, local(from)),
      advance(count, i32(1)),
      again(0),
    ),
  );
  return { parameters: 3, words: 2, longs: 1, body: [...body, ...local(count)] };
}

/** Eight bytes from here to there; `special` is zero unless one of them has to be escaped. */
function copyWord(from: number, into: number, word: number, special: number): Code {
  const all = (byte: bigint): bigint => byte * 0x0101010101010101n;
  // In each byte the highest bit will say whether it is one. Quotes become less than 0x21, as control characters are, when
  // that one bit of them is turned around. What is said above the first such byte may be wrong, and nobody asks.
  const less21 = sub64(xor64(local(word), i64(all(0x02n))), i64(all(0x21n)));
  const backslash = sub64(xor64(local(word), i64(all(0x5cn))), i64(all(0x01n)));
  const ascii = and64(xor64(local(word), i64(-1n)), i64(all(0x80n)));
  return [
    ...set(word, loadWord(local(from))),
    ...storeWord(local(into), local(word)),
    ...set(special, and64(or64(less21, backslash), ascii)),
  ];
}

/** How many bytes stand before the first special one; all of them, if none is. */
function firstIn(special: number): Code {
  return narrowed(shiftRight64(trailingZeros64(local(special)), i64(3n)));
}

/** What stands for a byte in that table. */
function writeEscape(byte: Code, table: Code, into: number, word: number): Code {
  return [
    ...set(word, loadWord(add(table, shiftLeft(byte, i32(3))))),
    ...storeWord(local(into), shiftRight64(local(word), i64(8n))),
    ...advance(into, narrowed(and64(local(word), i64(0xffn)))),
  ];
}

function advance(index: number, by: Code): Code {
  return set(index, add(local(index), by));
}
