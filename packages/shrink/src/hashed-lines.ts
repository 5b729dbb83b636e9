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

/** How many characters lines of two texts have in common from there on, line by line, and how many lines. */
export function sameLines(
  left: HashedLines,
  leftLine: number,
  right: HashedLines,
  rightLine: number,
): { count: number; chars: number } {
  let count = 0;
  let chars = 0;
  for (; leftLine + count < left.count && rightLine + count < right.count; count++) {
    const [from, to] = [left.starts[leftLine + count] ?? 0, left.starts[leftLine + count + 1] ?? 0];
    const other = right.starts[rightLine + count] ?? 0;
    if (to - from !== (right.starts[rightLine + count + 1] ?? 0) - other) break;
    if (!isSame(left.text, from, to - 1, right.text, other)) break;
    chars += to - from;
  }
  return { count, chars };
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
