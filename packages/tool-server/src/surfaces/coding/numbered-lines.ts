// Lines with their numbers, as view and the edit snippet show them (reference §2.3.1, D9).
import { isPlain, lastNumber } from "@bosun/engine";
import type { LineRun, PlainLines } from "@bosun/engine";

const [TAB, NEWLINE, SPACE, ZERO, ONE, NINE] = [0x09, 0x0a, 0x20, 0x30, 0x31, 0x39];

/** Numbers right-aligned to the last one, a tab, the text. A gap in the numbers is shown as such. */
export function numberedLines(runs: readonly LineRun[]): string {
  const end = runs.at(-1);
  const width = String(end === undefined ? 0 : lastNumber(end)).length;
  let shown = "";
  let expected: number | undefined;
  for (const run of runs) {
    const first = isPlain(run) ? run.first : run.number;
    if (expected !== undefined && first !== expected) shown += `${"...".padStart(width)}\n`;
    expected = lastNumber(run) + 1;
    if (isPlain(run)) {
      shown += numberedPlain(run, width);
      continue;
    }
    const cut = run.totalChars === undefined ? "" : `... [truncated, ${run.totalChars} chars total]`;
    shown += `${String(first).padStart(width)}\t${run.text}${cut}\n`;
  }
  return shown;
}

// Bytes into bytes, and one string of them all: several times faster than a string for each line.
function numberedPlain({ first, bytes, cuts }: PlainLines, width: number): string {
  const into = Buffer.allocUnsafe(bytes.length + (cuts.length / 2) * (width + 2));
  const number = Buffer.from(String(first).padStart(width));
  let at = 0;
  for (let i = 0; i < cuts.length; i += 2) {
    for (let digit = 0; digit < width; digit += 1) into[at++] = number[digit] ?? SPACE;
    into[at++] = TAB;
    at += bytes.copy(into, at, cuts[i], cuts[i + 1]);
    into[at++] = NEWLINE;
    countUp(number);
  }
  return into.toString("utf8", 0, at);
}

/** A right-aligned number, one more. After the last that fits its width it means nothing, and nobody looks. */
function countUp(number: Buffer): void {
  let digit = number.length - 1;
  for (; number[digit] === NINE; digit -= 1) number[digit] = ZERO;
  number[digit] = number[digit] === SPACE ? ONE : (number[digit] ?? ZERO) + 1;
}
