// Consecutive lines of a file. Most of them stay the bytes they are, found but not taken apart: a view of a thousand lines
// is then two passes over bytes instead of a thousand strings.

const [NEWLINE, RETURN] = [0x0a, 0x0d];

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
  readonly count: number;
  /** They stand between these two places of it. */
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  #ends: readonly number[] | undefined;

  constructor(first: number, count: number, bytes: Buffer, start: number, end: number, ends?: readonly number[]) {
    this.first = first;
    this.count = count;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.#ends = ends;
  }

  /** Where each of them meets its newline, after which the next one starts; looked for when it is asked for. */
  get ends(): readonly number[] {
    return (this.#ends ??= newlinesIn(this));
  }
}

/** How many lines end in these bytes, which end with one; undefined if one of them is longer than that. */
export type CountLines = (bytes: Buffer, from: number, to: number, maxLineBytes: number) => number | undefined;

export type LineRun = PlainLines | NumberedLine;

export function isPlain(run: LineRun): run is PlainLines {
  return run instanceof PlainLines;
}

/** One run of two whose lines follow each other in memory, too; undefined for others. */
export function joined(one: LineRun, next: PlainLines): PlainLines | undefined {
  if (!isPlain(one) || one.bytes.buffer !== next.bytes.buffer) return undefined;
  const [start, end] = [one.bytes.byteOffset + one.start, one.bytes.byteOffset + one.end];
  if (end !== next.bytes.byteOffset + next.start || one.first + one.count !== next.first) return undefined;
  const length = next.end - next.start;
  const bytes = Buffer.from(one.bytes.buffer, start, end + length - start);
  return new PlainLines(one.first, one.count + next.count, bytes, 0, bytes.length);
}

export function lastNumber(run: LineRun): number {
  return isPlain(run) ? run.first + run.count - 1 : run.number;
}

/** Line by line, as text. */
export function takenApart(runs: readonly LineRun[]): NumberedLine[] {
  return runs.flatMap((run) => (isPlain(run) ? plainTexts(run) : [run]));
}

function plainTexts({ first, bytes, start, ends }: PlainLines): NumberedLine[] {
  let from = start;
  return ends.map((end, i) => {
    const text = bytes.toString("utf8", from, visibleEnd(bytes, from, end));
    from = end + 1;
    return { number: first + i, text };
  });
}

function newlinesIn({ bytes, start, end }: PlainLines): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(NEWLINE, start); at >= 0 && at < end; at = bytes.indexOf(NEWLINE, at + 1)) found.push(at);
  return found;
}

/** A carriage return before the newline belongs to the line ending. */
export function visibleEnd(bytes: Uint8Array, from: number, end: number): number {
  return end > from && bytes[end - 1] === RETURN ? end - 1 : end;
}
