// Lines of a text file by number, streamed through one buffer: memory does not grow with the file, nor with a line.
// Numbers, cuts and totals come back as data; how they look is the surface's business.
import { EngineError } from "../engine-error.ts";
import { TimeSlices } from "../time-slices.ts";
import { ReadBuffer } from "./read-buffer.ts";
import type { TextEncoding } from "./file-kind.ts";
import { ContentHash, fingerprintFrom } from "./fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { LineCollector } from "./line-collector.ts";
import { takenApart } from "./line-run.ts";
import type { LineRun, NumberedLine } from "./line-run.ts";
import type { OpenFile } from "./open-file.ts";
import { tooLarge } from "./read-whole.ts";

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
};

export async function readLines(file: OpenFile, options: ReadLinesOptions): Promise<LinesRead> {
  return file.whole === undefined ? readLinesStreamed(file, options) : linesOf(file, file.whole, options);
}

/** Of a small file, which was read whole when its beginning was looked at: no buffer of its own for each of many calls. */
function linesOf(file: OpenFile, whole: Buffer, options: ReadLinesOptions): LinesRead {
  if (whole.length > options.maxBytes) throw tooLarge(file, whole.length, options.maxBytes);
  const collector = collectorFor(file, options);
  collector.push(options.encoding === "utf-8" ? whole : Buffer.from(recoderFor(options).decode(whole)));
  collector.end();
  return linesRead(file, options, collector, ContentHash.of(whole));
}

async function readLinesStreamed(file: OpenFile, options: ReadLinesOptions): Promise<LinesRead> {
  const collector = collectorFor(file, options);
  const hash = new ContentHash();
  using chunk = new ReadBuffer();
  const slices = new TimeSlices(options.signal);
  const recode = options.encoding === "utf-8" ? undefined : recoderFor(options);
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
      return linesRead(file, options, collector, hash.value);
    }
    // Only a range may stop early; without one the total is part of the answer.
    if (options.range !== undefined && collector.complete) return linesRead(file, options, collector, undefined);
    if (slices.due) await slices.pause();
    slices.check();
  }
}

function recoderFor({ encoding }: ReadLinesOptions): TextDecoder {
  return new TextDecoder(encoding, { ignoreBOM: true });
}

function collectorFor(file: OpenFile, options: ReadLinesOptions): LineCollector {
  const { range } = options;
  if (range !== undefined) checkRange(range);
  if (file.size > options.maxBytes) throw tooLarge(file, file.size, options.maxBytes);
  return new LineCollector({
    first: range?.first ?? 1,
    last: range?.last ?? options.maxLines,
    maxLineChars: options.maxLineChars,
    maxTextBytes: options.maxTextBytes,
    describe: file,
  });
}

/** `hash` is there when the file was read to its end. */
function linesRead(
  file: OpenFile,
  { range, maxLines }: ReadLinesOptions,
  collector: LineCollector,
  hash: bigint | undefined,
): LinesRead {
  const totalLines = hash === undefined ? undefined : collector.totalLines;
  if (range !== undefined && totalLines !== undefined && range.first > totalLines) {
    const why = `start ${range.first} exceeds total lines ${totalLines} in ${file.shown}`;
    throw rangeError(why, { ...range, totalLines }, file);
  }
  return {
    runs: collector.runs,
    get lines() {
      return takenApart(collector.runs);
    },
    totalLines,
    more: range === undefined && (totalLines ?? 0) > maxLines,
    fingerprint: fingerprintFrom(file.stat, hash),
  };
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
