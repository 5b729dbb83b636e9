// Consecutive lines of a file. Most of them stay the bytes they are, found but not taken apart: a view of a thousand lines
// is then two passes over bytes instead of a thousand strings.

const RETURN = 0x0d;

export type NumberedLine = {
  readonly number: number;
  /** Without its line ending; at most as many code points as were asked for. */
  readonly text: string;
  /** Code points of the whole line, given when `text` is only its beginning. */
  readonly totalChars?: number;
};

/** Whole lines, each with its newline, none of them cut. */
export class PlainLines {
  readonly first: number;
  readonly bytes: Buffer;
  /** Where each of them meets its newline, after which the next one starts. */
  readonly ends: readonly number[];

  constructor(first: number, bytes: Buffer, ends: readonly number[]) {
    this.first = first;
    this.bytes = bytes;
    this.ends = ends;
  }
}

export type LineRun = PlainLines | NumberedLine;

export function isPlain(run: LineRun): run is PlainLines {
  return run instanceof PlainLines;
}

export function lastNumber(run: LineRun): number {
  return isPlain(run) ? run.first + run.ends.length - 1 : run.number;
}

/** Line by line, as text. */
export function takenApart(runs: readonly LineRun[]): NumberedLine[] {
  return runs.flatMap((run) => (isPlain(run) ? plainTexts(run) : [run]));
}

function plainTexts({ first, bytes, ends }: PlainLines): NumberedLine[] {
  let from = 0;
  return ends.map((end, i) => {
    const text = bytes.toString("utf8", from, visibleEnd(bytes, from, end));
    from = end + 1;
    return { number: first + i, text };
  });
}

/** A carriage return before the newline belongs to the line ending. */
export function visibleEnd(bytes: Uint8Array, from: number, end: number): number {
  return end > from && bytes[end - 1] === RETURN ? end - 1 : end;
}
