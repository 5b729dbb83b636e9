// Lines with their numbers, as view and the snippet of an edit show them: as text, or, for many of them, as the JSON that
// is sent.
import { isPlain, lastNumber, takenApart } from "@bosun/engine";
import type { LineRun, NumberedLine } from "@bosun/engine";
import { escapedPieces, numberedPieces } from "../json-escape.ts";

/** Numbers right-aligned to the last one, a tab, the text. A gap in the numbers is shown as such. */
export function numberedLines(lines: readonly NumberedLine[]): string {
  return textOf(lines, String(lines.at(-1)?.number ?? 0).length);
}

/** The same as JSON, between quotes, and a note behind it; in pieces that are untouched until the next is asked for. */
export function* numberedJson(runs: readonly LineRun[], note: string): Generator<Uint8Array> {
  const last = runs.at(-1);
  const width = String(last === undefined ? 0 : lastNumber(last)).length;
  let before: number | undefined;
  for (const run of runs) {
    const pieces = isPlain(run) && follows(run.first, before) ? numberedPieces(run, width) : undefined;
    yield* pieces ?? escapedPieces(Buffer.from(textOf(takenApart([run]), width, before)));
    before = lastNumber(run);
  }
  yield* escapedPieces(Buffer.from(note));
}

function textOf(lines: readonly NumberedLine[], width: number, previous?: number): string {
  let before = previous;
  let shown = "";
  for (const { number, text, totalChars } of lines) {
    if (!follows(number, before)) shown += `${"...".padStart(width)}\n`;
    const cut = totalChars === undefined ? "" : `... [truncated, ${totalChars} chars total]`;
    shown += `${String(number).padStart(width)}\t${text}${cut}\n`;
    before = number;
  }
  return shown;
}

function follows(number: number, before: number | undefined): boolean {
  return before === undefined || number === before + 1;
}
