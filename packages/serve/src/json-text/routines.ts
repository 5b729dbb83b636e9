// The loops of JsonText: bytes → the bytes of a JSON string, with line numbers or without; and lines counted. Bytes are
// read and written several at a time, so there must be room behind where they end and where they go.
import {
  add,
  add64,
  again,
  againIf,
  and64,
  block,
  differs,
  equal,
  equal64,
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
  narrowed,
  not,
  set,
  shiftLeft,
  shiftLeft64,
  shiftRight64,
  storeByte,
  storeWord,
  sub,
  sub64,
  trailingZeros64,
  when,
  widened,
  xor64,
} from "./instructions.ts";
import type { Code, Routine } from "./instructions.ts";
import type { Lanes } from "./lanes.ts";

const WORD = 8;
const [NEWLINE, RETURN, SPACE, ZERO, NINE] = [0x0a, 0x0d, 0x20, 0x30, 0x39];
const ESCAPED_TAB = 0x745cn; // backslash, t

/** (from, to, into, table): where it ended. `table`: for each byte, how many bytes stand for it and which, in eight. */
export function escapeRoutine(lanes: Lanes): Routine {
  const [from, to, into, table, plain, word, marks, vector] = [0, 1, 2, 3, 4, 5, 6, 7];
  const left = sub(local(to), local(from));
  const step = i32(lanes.bytes);
  const body = block(
    loop(
      leaveIf(1, not(less(local(from), local(to)))),
      lanes.copy({ from, into, marks, word, vector }),
      // Not by `plain`, which would be right as well: then each round would have to wait for the one before.
      when(isZero64(local(marks)), when(not(less(left, step)), advance(from, step), advance(into, step), again(2))),
      set(plain, lanes.first(marks)),
      when(not(less(local(plain), left)), advance(into, left), leave(2)),
      advance(from, local(plain)),
      advance(into, local(plain)),
      writeEscape(loadByte(local(from)), local(table), into, word),
      advance(from, i32(1)),
      again(0),
    ),
  );
  return { parameters: 4, words: 1, longs: 2, vectors: lanes.vectors, body: [...body, ...local(into)] };
}

/**
 * (from, to, into, width): where it ended. Whole lines, each behind its number and a tab; their line ends become newlines.
 * At `numberAt` stands the first number, and then the one after the last.
 */
export function numberRoutine(lanes: Lanes, numberAt: number, table: number): Routine {
  const [from, to, into, width, plain, word, marks, number, lastDigit, vector] = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10];
  const [byte, digit] = [plain, 5]; // one is over before the other begins
  const step = i32(lanes.bytes);
  const line = loop(
    lanes.copy({ from, into, marks, word, vector }),
    when(isZero64(local(marks)), advance(from, step), advance(into, step), again(1)),
    set(plain, lanes.first(marks)),
    advance(from, local(plain)),
    advance(into, local(plain)),
    set(byte, loadByte(local(from))),
    when(
      equal(local(byte), i32(RETURN)),
      when(equal(loadByte(local(from), 1), i32(NEWLINE)), advance(from, i32(1)), set(byte, i32(NEWLINE))),
    ),
    writeEscape(local(byte), i32(table), into, word),
    advance(from, i32(1)),
    againIf(0, differs(local(byte), i32(NEWLINE))),
  );
  // From the right: nines become zeros, and what stands before them one more; a blank becomes a one.
  const carry = [
    ...storeWord(i32(numberAt), local(number)),
    ...set(digit, sub(add(i32(numberAt), local(width)), i32(1))),
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
    ...set(number, loadWord(i32(numberAt))),
  ];
  // The first eight digits are held in `number`, and the last digit is one of them or none. Then this holds always.
  const isNine = equal64(and64(local(number), local(lastDigit)), and64(i64(all(NINE)), local(lastDigit)));
  const body = [
    ...set(number, loadWord(i32(numberAt))),
    ...when(
      not(less(i32(WORD), local(width))),
      set(lastDigit, shiftLeft64(i64(0xffn), widened(shiftLeft(sub(local(width), i32(1)), i32(3))))),
    ),
    ...block(
      loop(
        leaveIf(1, not(less(local(from), local(to)))),
        storeWord(local(into), local(number)),
        storeWord(local(into), loadWord(i32(numberAt), WORD), WORD),
        advance(into, local(width)),
        storeWord(local(into), i64(ESCAPED_TAB)),
        advance(into, i32(2)),
        set(word, and64(local(lastDigit), i64(all(1)))),
        when(isNine, carry, set(word, i64(0n))),
        set(number, add64(local(number), local(word))),
        line,
        again(0),
      ),
    ),
    ...storeWord(i32(numberAt), local(number)),
  ];
  return { parameters: 4, words: 2, longs: 4, vectors: lanes.vectors, body: [...body, ...local(into)] };
}

/** (from, to, most): how many lines end there, the last at `to`; -1 if one of them has more bytes than that. */
export function countRoutine(lanes: Lanes): Routine {
  const [from, to, most, start, count, begin, newline, vector] = [0, 1, 2, 3, 4, 5, 7, 8];
  const word = xor64(loadWord(local(from)), i64(all(NEWLINE)));
  const found = and64(and64(sub64(word, i64(all(1))), xor64(word, i64(-1n))), i64(all(0x80)));
  const body = block(
    lanes.countAhead({ from, to, most, count, begin, vector }),
    set(start, local(from)),
    loop(
      leaveIf(1, not(less(local(from), local(to)))),
      set(newline, found),
      when(isZero64(local(newline)), advance(from, i32(WORD)), again(1)),
      advance(from, narrowed(shiftRight64(trailingZeros64(local(newline)), i64(3n)))),
      leaveIf(1, not(less(local(from), local(to)))),
      when(less(local(most), sub(local(from), local(start))), set(count, i32(-1)), leave(2)),
      advance(from, i32(1)),
      set(start, local(from)),
      advance(count, i32(1)),
      again(0),
    ),
  );
  return { parameters: 3, words: 4, longs: 1, vectors: lanes.vectors, body: [...body, ...local(count)] };
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

function all(byte: number): bigint {
  return BigInt(byte) * 0x0101010101010101n;
}
