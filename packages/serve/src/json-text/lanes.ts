// Several bytes at once, and which of them JSON escapes: sixteen where the processor has instructions for it, else eight in
// a number of 64 bits. Marks are a local of 64 bits, zero when there are none.
import {
  add,
  allBytes,
  and64,
  anyBit,
  atMostBytes,
  block,
  equalBytes,
  highBits,
  i32,
  i64,
  leave,
  leaveIf,
  less,
  loadVector,
  loadWord,
  local,
  loop,
  moduleOf,
  narrowed,
  not,
  or64,
  orVector,
  set,
  shiftRight64,
  storeVector,
  storeWord,
  sub,
  sub64,
  subBytes,
  sumOfBytes,
  trailingZeros64,
  when,
  again,
  againIf,
  widened,
  xor64,
  xorVector,
} from "./instructions.ts";
import type { Code } from "./instructions.ts";

export type Lanes = {
  readonly bytes: number;
  /** How many locals of 128 bits it works with: the first of them is `vector` below. */
  readonly vectors: number;
  /** So many bytes from here to there. `word` and `vector` are locals it may use. */
  copy(places: { from: number; into: number; marks: number; word: number; vector: number }): Code;
  /** How many bytes stand before the first that is marked; all of them, if none is. */
  first(marks: number): Code;
  /** Counts newlines as far as it can tell without looking at lines: see `countWindows`. */
  countAhead(places: { from: number; to: number; most: number; count: number; begin: number; vector: number }): Code;
};

const NEWLINE = 0x0a;
// Of a byte that JSON escapes: quotes become less than 0x21, as control characters are, when one bit of them is turned.
const [QUOTE_BIT, CONTROLS_END, BACKSLASH] = [0x02, 0x20, 0x5c];

export const eight: Lanes = {
  bytes: 8,
  vectors: 0,
  copy({ from, into, marks, word }) {
    // In each byte the highest bit will say whether it is one. What is said above the first such byte may be wrong, and
    // nobody asks.
    const controls = sub64(xor64(local(word), i64(all(QUOTE_BIT))), i64(all(CONTROLS_END + 1)));
    const backslash = sub64(xor64(local(word), i64(all(BACKSLASH))), i64(all(1)));
    const ascii = and64(xor64(local(word), i64(-1n)), i64(all(0x80)));
    return [
      ...set(word, loadWord(local(from))),
      ...storeWord(local(into), local(word)),
      ...set(marks, and64(or64(controls, backslash), ascii)),
    ];
  },
  first: (marks) => narrowed(shiftRight64(trailingZeros64(local(marks)), i64(3n))),
  countAhead: () => [],
};

export const sixteen: Lanes = {
  bytes: 16,
  vectors: 1,
  copy({ from, into, marks, vector }) {
    const controls = atMostBytes(xorVector(local(vector), allBytes(QUOTE_BIT)), allBytes(CONTROLS_END));
    const backslash = equalBytes(local(vector), allBytes(BACKSLASH));
    return [
      ...set(vector, loadVector(local(from))),
      ...storeVector(local(into), local(vector)),
      ...set(marks, widened(highBits(orVector(controls, backslash)))),
    ];
  },
  first: (marks) => narrowed(trailingZeros64(or64(local(marks), i64(1n << 16n)))),
  countAhead: countWindows,
};

/** What this processor has. */
export function widest(): Lanes {
  const tried = moduleOf(1, {
    try: { parameters: 0, words: 1, longs: 0, vectors: 1, body: [...set(1, allBytes(0)), ...i32(0)] },
  });
  return WebAssembly.validate(tried) ? sixteen : eight;
}

/** No line is longer than two of these when each holds a newline. Few enough for a byte to count its share. */
const WINDOW_BYTES = 62 * 16;

// Window by window, without asking where in it the newlines are. Leaves `from` where the last whole window ends; or at the
// beginning, with nothing counted, when a line may be too long: then lines have to be looked at one by one.
function countWindows({ from, to, most, count, begin, vector }: Parameters<Lanes["countAhead"]>[0]): Code {
  const look = (offset: number): Code =>
    set(vector, subBytes(local(vector), equalBytes(loadVector(local(from), offset), allBytes(NEWLINE))));
  const end = begin + 1;
  return when(
    not(less(local(most), i32(2 * WINDOW_BYTES))),
    set(begin, local(from)),
    block(
      loop(
        leaveIf(1, less(sub(local(to), local(from)), i32(WINDOW_BYTES))),
        set(vector, allBytes(0)),
        set(end, add(local(from), i32(WINDOW_BYTES))),
        loop(look(0), look(16), set(from, add(local(from), i32(32))), againIf(0, less(local(from), local(end)))),
        when(not(anyBit(local(vector))), set(from, local(begin)), set(count, i32(0)), leave(2)),
        set(count, add(local(count), sumOfBytes(vector))),
        again(0),
      ),
    ),
  );
}

function all(byte: number): bigint {
  return BigInt(byte) * 0x0101010101010101n;
}
