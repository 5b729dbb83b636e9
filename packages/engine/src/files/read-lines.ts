// Lines of a text file by number, streamed through one buffer: memory does not grow with the file, nor with a line.
// Numbers, cuts and totals come back as data; how they look is the surface's business.
import { EngineError } from "../failure.ts";
import { Turns } from "../turns.ts";
import { CHUNK_BYTES, Chunk } from "./chunk.ts";
import type { TextEncoding } from "./file-kind.ts";
import { ContentHash, fingerprintFrom, LateHash } from "./fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { giveBack, lendBytes } from "./lent-bytes.ts";
import { LineCollector } from "./line-collector.ts";
import { takenApart } from "./line-run.ts";
import type { CountLines, LineRun, NumberedLine } from "./line-run.ts";
import type { OpenFile } from "./open-file.ts";
import { isReadAtOnce, tooLarge } from "./read-whole.ts";

const NEWLINE = 10;

export type LineRange = {
  /** 1-based, inclusive. `last` may be Infinity: to the end. */
  readonly first: number;
  readonly last: number;
};

export type ReadLinesOptions = {
  readonly encoding: TextEncoding;
  /** Without a range: from the first line, `maxLines` of them, and the rest counted. */
  readonly range?: LineRange | undefined;
  readonly maxLines: number;
  /** In code points; the rest of a longer line is counted, not kept. */
  readonly maxLineChars: number;
  /** Of the file: its reported size, and the bytes actually read. */
  readonly maxBytes: number;
  /** Of the lines returned, together. */
  readonly maxTextBytes: number;
  readonly signal?: AbortSignal;
  /** A faster way to count lines than looking for each. */
  readonly countLines?: CountLines;
};

export type LinesRead = {
  readonly runs: readonly LineRun[];
  /** The same line by line, made when asked for. */
  readonly lines: readonly NumberedLine[];
  /** Known when the end of the file was reached; a range stops at its last line. */
  readonly totalLines: number | undefined;
  /** Without a range: the file has more lines than were returned. */
  readonly more: boolean;
  readonly fingerprint: Fingerprint;
  /** The lines have been used: what they stand in may become something else. */
  release(): void;
};

export async function readLines(file: OpenFile, options: ReadLinesOptions): Promise<LinesRead> {
  const collector = collectorFor(file, options);
  const { whole, hash } = await feed(file, collector, options);
  return linesRead(file, options, collector, whole ? hash.value : undefined);
}

/**
 * The same without waiting, for a file that is small or of a size that takes no time; undefined for others. The lines of
 * a small one are its own bytes: they are gone when it is closed.
 */
export function readLinesAtOnce(file: OpenFile, options: ReadLinesOptions): LinesRead | undefined {
  if (options.encoding !== "utf-8") return undefined;
  const { whole } = file;
  if (whole === undefined) return readLinesInOneGo(file, options);
  if (whole.length > options.maxBytes) return undefined;
  const collector = collectorFor(file, options, true);
  collector.push(whole);
  collector.end();
  return linesRead(file, options, collector, ContentHash.of(whole));
}

function readLinesInOneGo(file: OpenFile, options: ReadLinesOptions): LinesRead | undefined {
  if (!isReadAtOnce(file)) return undefined;
  const lent = lendBytes(file.size + 1);
  let read: LinesRead | undefined;
  try {
    read = readLinesInto(lent, file, options);
  } finally {
    if (read === undefined) giveBack(lent);
  }
  return read;
}

/** Its beginning, and the rest only if the range goes on there. Undefined when the file has grown meanwhile. */
function readLinesInto(bytes: Buffer, file: OpenFile, options: ReadLinesOptions): LinesRead | undefined {
  const collector = collectorFor(file, options, true);
  let taken = 0;
  for (let filled = 0; ;) {
    // The rest in one go: many small reads take twice as long.
    const piece = filled === 0 ? bytes.subarray(0, CHUNK_BYTES) : bytes.subarray(filled);
    const got = file.readAt(filled, piece);
    filled += got;
    if (filled > file.size) return undefined;
    const atEnd = got < piece.length;
    // Up to the last whole line: so none of them is cut in two where pieces meet.
    const ready = atEnd ? filled : Math.max(taken, bytes.lastIndexOf(NEWLINE, filled - 1) + 1);
    collector.push(bytes.subarray(taken, ready));
    taken = ready;
    if (atEnd) {
      collector.end();
      return linesRead(file, options, collector, new LateHash(bytes.subarray(0, filled)), bytes);
    }
    if (options.range !== undefined && collector.complete) return linesRead(file, options, collector, undefined, bytes);
  }
}

function collectorFor(file: OpenFile, options: ReadLinesOptions, borrow = false): LineCollector {
  const { range } = options;
  if (range !== undefined) checkRange(range);
  if (file.size > options.maxBytes) throw tooLarge(file, file.size, options.maxBytes);
  return new LineCollector({
    first: range?.first ?? 1,
    last: range?.last ?? options.maxLines,
    maxLineChars: options.maxLineChars,
    maxTextBytes: options.maxTextBytes,
    describe: file,
    borrow,
    countLines: options.countLines,
  });
}

/** `hash` is there when the file was read to its end. */
function linesRead(
  file: OpenFile,
  { range, maxLines }: ReadLinesOptions,
  collector: LineCollector,
  hash: bigint | LateHash | undefined,
  lent?: Buffer,
): LinesRead {
  const totalLines = hash === undefined ? undefined : collector.totalLines;
  if (range !== undefined && totalLines !== undefined && range.first > totalLines) {
    throw rangeError(
      `start ${range.first} exceeds total lines ${totalLines} in ${file.shown}`,
      { ...range, totalLines },
      file,
    );
  }
  return {
    runs: collector.runs,
    get lines() {
      return takenApart(collector.runs);
    },
    totalLines,
    more: range === undefined && (totalLines ?? 0) > maxLines,
    fingerprint: fingerprintFrom(file.stat, hash),
    release() {
      if (hash instanceof LateHash) void hash.value;
      if (lent !== undefined) giveBack(lent);
    },
  };
}

async function feed(
  file: OpenFile,
  collector: LineCollector,
  options: ReadLinesOptions,
): Promise<{ whole: boolean; hash: ContentHash }> {
  const hash = new ContentHash();
  using chunk = new Chunk();
  const turns = new Turns(options.signal);
  const recode = options.encoding === "utf-8" ? undefined : new TextDecoder(options.encoding, { ignoreBOM: true });
  for (let position = 0; ;) {
    const got = file.readAt(position, chunk.bytes);
    const bytes = chunk.bytes.subarray(0, got);
    position += got;
    if (position > options.maxBytes) throw tooLarge(file, position, options.maxBytes);
    hash.add(bytes);
    const atEnd = got < chunk.bytes.length;
    collector.push(recode === undefined ? bytes : Buffer.from(recode.decode(bytes, { stream: !atEnd })));
    if (atEnd) {
      collector.end();
      return { whole: true, hash };
    }
    // Only a range may stop early; without one the total is part of the answer.
    if (options.range !== undefined && collector.complete) return { whole: false, hash };
    if (turns.due) await turns.rest();
    turns.check();
  }
}

function checkRange(range: LineRange): void {
  const { first, last } = range;
  const isInteger = Number.isSafeInteger(first) && (Number.isSafeInteger(last) || last === Infinity);
  if (!isInteger) throw rangeError("both ends must be integers", range);
  if (first < 1) throw rangeError(`start must be >= 1, got ${first}`, range);
  if (first > last) throw rangeError(`start ${first} > end ${last}`, range);
}

function rangeError(why: string, range: LineRange & { totalLines?: number }, file?: OpenFile): EngineError {
  return new EngineError("RANGE_INVALID", `invalid view_range: ${why}`, {
    start: range.first,
    end: range.last,
    ...(range.totalLines === undefined ? {} : { totalLines: range.totalLines }),
    ...(file === undefined ? {} : { path: file.path, requested: file.shown }),
  });
}
