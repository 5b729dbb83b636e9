// Lines with their numbers, as view and the edit snippet show them (reference §2.3.1, D9): as text, or for many of them as
// the JSON that is sent.
import { isPlain, lastNumber, visibleEnd } from "@bosun/engine";
import type { LineRun, PlainLines } from "@bosun/engine";
import { escapedPieces, numberedPieces } from "../../json-text/pieces.ts";

const [TAB, NEWLINE, SPACE, ZERO, ONE, NINE] = [0x09, 0x0a, 0x20, 0x30, 0x31, 0x39];

/** Numbers right-aligned to the last one, a tab, the text. A gap in the numbers is shown as such. */
export function numberedLines(runs: readonly LineRun[]): string {
  const [run] = runs;
  // Most files, without the detour.
  if (run !== undefined && runs.length === 1 && isPlain(run)) return numberedPlain(run, widthOf(runs));
  let shown = "";
  for (const part of parts(runs)) shown += typeof part === "string" ? part : numberedPlain(part.run, part.width);
  return shown;
}

/** The same as JSON, between quotes, and a note behind it; in pieces that are untouched until the next is asked for. */
export function* numberedJson(runs: readonly LineRun[], note: string): Generator<Uint8Array> {
  for (const part of parts(runs)) {
    if (typeof part === "string") yield* escapedPieces(Buffer.from(part));
    else yield* numberedPieces(part.run, part.run.first, part.width);
  }
  yield* escapedPieces(Buffer.from(note));
}

type Part = string | { readonly run: PlainLines; readonly width: number };

function* parts(runs: readonly LineRun[]): Generator<Part> {
  const width = widthOf(runs);
  let expected: number | undefined;
  for (const run of runs) {
    const first = isPlain(run) ? run.first : run.number;
    if (expected !== undefined && first !== expected) yield `${"...".padStart(width)}\n`;
    expected = lastNumber(run) + 1;
    if (isPlain(run)) yield { run, width };
    else {
      const cut = run.totalChars === undefined ? "" : `... [truncated, ${run.totalChars} chars total]`;
      yield `${String(first).padStart(width)}\t${run.text}${cut}\n`;
    }
  }
}

function widthOf(runs: readonly LineRun[]): number {
  const end = runs.at(-1);
  return String(end === undefined ? 0 : lastNumber(end)).length;
}

// Bytes into bytes, and one string of them all: several times faster than a string for each line.
function numberedPlain({ first, bytes, start, end: after, count, ends }: PlainLines, width: number): string {
  const into = roomFor(after - start + count * (width + 2));
  const number = Buffer.from(String(first).padStart(width));
  let at = 0;
  let from = start;
  for (const end of ends) {
    for (let digit = 0; digit < width; digit += 1) into[at++] = number[digit] ?? SPACE;
    into[at++] = TAB;
    at += bytes.copy(into, at, from, visibleEnd(bytes, from, end));
    into[at++] = NEWLINE;
    from = end + 1;
    countUp(number);
  }
  return into.toString("utf8", 0, at);
}

/** Small texts are made in the same place: what they need is garbage before the call is answered. */
function roomFor(bytes: number): Buffer {
  return bytes <= small.length ? small : Buffer.allocUnsafe(bytes);
}

const small = Buffer.allocUnsafeSlow(8 * 1024);

/** A right-aligned number, one more. After the last that fits its width it means nothing, and nobody looks. */
function countUp(number: Buffer): void {
  let digit = number.length - 1;
  for (; number[digit] === NINE; digit -= 1) number[digit] = ZERO;
  number[digit] = number[digit] === SPACE ? ONE : (number[digit] ?? ZERO) + 1;
}
