// Consecutive lines of a file. Most of them stay the bytes they are, found but not taken apart: a view of a thousand lines
// is then two passes over bytes instead of a thousand strings.

export type NumberedLine = {
  readonly number: number;
  /** Without its line ending; at most as many code points as were asked for. */
  readonly text: string;
  /** Code points of the whole line, given when `text` is only its beginning. */
  readonly totalChars?: number;
};

/** Whole lines, none of them cut. */
export type PlainLines = {
  readonly first: number;
  readonly bytes: Buffer;
  /** Where each line starts and ends in `bytes`, its line ending not counted: two numbers a line. */
  readonly cuts: readonly number[];
};

export type LineRun = PlainLines | NumberedLine;

export function isPlain(run: LineRun): run is PlainLines {
  return "cuts" in run;
}

export function lastNumber(run: LineRun): number {
  return isPlain(run) ? run.first + run.cuts.length / 2 - 1 : run.number;
}

/** Line by line, as text. */
export function takenApart(runs: readonly LineRun[]): NumberedLine[] {
  return runs.flatMap((run) => (isPlain(run) ? plainTexts(run) : [run]));
}

function plainTexts({ first, bytes, cuts }: PlainLines): NumberedLine[] {
  const lines: NumberedLine[] = [];
  for (let at = 0; at < cuts.length; at += 2) {
    lines.push({ number: first + at / 2, text: bytes.toString("utf8", cuts[at], cuts[at + 1]) });
  }
  return lines;
}
