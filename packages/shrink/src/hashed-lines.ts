// Where the lines of a text start, and one hash for every few lines in a row. No string is made of any line: a result of
// thousands of lines would leave that many behind, and those that are remembered would be looked at by every collection.

/** How many lines in a row are hashed together; fewer are not worth looking up. */
export const WINDOW = 4;

export type HashedLines = {
  text: string;
  count: number;
  /** Where each line starts; one more at the end, as if another line followed. */
  starts: Int32Array;
  /** Of the lines that start at each; a window of them for all but the last few. */
  windows: Int32Array;
};

const NEWLINE = 0x0a;

// Who asks for a text mostly asks twice: before it is sent, and when it is remembered.
let latest: HashedLines = {
  text: "",
  count: 1,
  starts: Int32Array.of(0, 1),
  windows: new Int32Array(0),
};
/** A longer text is not kept alive for it. */
const MAX_KEPT_CHARS = 300_000;
/** Used again for the next text. */
let [starts, hashes] = [new Int32Array(4096), new Int32Array(4096)];

export function hashLines(text: string): HashedLines {
  if (latest.text === text) return latest;
  let count = 0;
  let start = 0;
  let hash = 0;
  const { length } = text;
  for (let at = 0; at <= length; at++) {
    const unit = at === length ? NEWLINE : text.charCodeAt(at);
    if (unit !== NEWLINE) {
      hash = (Math.imul(hash, 0x01000193) + unit) | 0;
      continue;
    }
    if (count + 1 >= starts.length) makeRoom();
    starts[count] = start;
    hashes[count++] = hash ^ (at - start);
    start = at + 1;
    hash = 0;
  }
  starts[count] = start;
  const lines = {
    text,
    count,
    starts: starts.slice(0, count + 1),
    windows: windowsOf(count),
  };
  if (length <= MAX_KEPT_CHARS) latest = lines;
  return lines;
}

/**
 * How many characters lines of two texts have in common from there on, line by line, and how many lines. Nothing where
 * it would be fewer than `atLeast` characters: mostly the lengths of the lines say so already.
 */
export function sameLines(
  left: HashedLines,
  leftLine: number,
  right: HashedLines,
  rightLine: number,
  atLeast = 0,
): { count: number; chars: number } {
  const most = Math.min(left.count - leftLine, right.count - rightLine);
  const [from, other] = [left.starts[leftLine] ?? 0, right.starts[rightLine] ?? 0];
  let alike = 0;
  while (
    alike < most &&
    (left.starts[leftLine + alike] ?? 0) - from < atLeast &&
    isAsLong(left, leftLine + alike, right, rightLine + alike)
  )
    alike++;
  if ((left.starts[leftLine + alike] ?? 0) - from < atLeast) return NOTHING;
  let count = 0;
  for (; count < most; count++) {
    if (!isAsLong(left, leftLine + count, right, rightLine + count)) break;
    const start = left.starts[leftLine + count] ?? 0;
    const end = (left.starts[leftLine + count + 1] ?? 0) - 1;
    if (!isSame(left.text, start, end, right.text, start - from + other)) break;
  }
  const chars = (left.starts[leftLine + count] ?? 0) - from;
  return chars < atLeast ? NOTHING : { count, chars };
}

const NOTHING = { count: 0, chars: 0 };

function isAsLong(left: HashedLines, leftLine: number, right: HashedLines, rightLine: number): boolean {
  const length = (left.starts[leftLine + 1] ?? 0) - (left.starts[leftLine] ?? 0);
  return length === (right.starts[rightLine + 1] ?? 0) - (right.starts[rightLine] ?? 0);
}

function isSame(left: string, from: number, to: number, right: string, other: number): boolean {
  for (let at = from, there = other; at < to; at++, there++) {
    if (left.charCodeAt(at) !== right.charCodeAt(there)) return false;
  }
  return true;
}

function windowsOf(lines: number): Int32Array {
  const windows = new Int32Array(Math.max(0, lines - WINDOW + 1));
  for (let i = 0; i < windows.length; i++) {
    let hash = 0;
    for (let k = 0; k < WINDOW; k++) hash = (Math.imul(hash, 0x85ebca6b) ^ (hashes[i + k] ?? 0)) | 0;
    windows[i] = hash;
  }
  return windows;
}

function makeRoom(): void {
  const [oldStarts, oldHashes] = [starts, hashes];
  starts = new Int32Array(oldStarts.length * 2);
  hashes = new Int32Array(oldHashes.length * 2);
  starts.set(oldStarts);
  hashes.set(oldHashes);
}
