// ripgrep over files held open: their matching lines, counts, or just which of them match. Order is that of the files.
import { firstChars } from "../files/line-collector.ts";
import type { GrepPlan, GrepRequest } from "./grep-request.ts";
import type { Pinned } from "./open-candidate.ts";
import { RipgrepRun } from "./ripgrep.ts";

const NEWLINE = 10;
const NUL = 0;
/** A search across lines may have to be stopped: what it has found by then must be out. */
const AS_FOUND = "--line-buffered";
/** ripgrep cuts longer lines itself, so that a minified file costs no memory here. */
const MAX_LINE_BYTES = 16 * 1024;

export type FoundLine =
  | {
      readonly kind: "match" | "context";
      readonly file: Pinned;
      readonly line: number;
      readonly text: string;
      readonly cut: boolean;
    }
  | { readonly kind: "binary"; readonly file: Pinned; readonly offset: number };

export type Matching = {
  readonly plan: GrepPlan;
  readonly program: string;
  readonly signal: AbortSignal;
};

/** No two of the files may have the same argument. */
export async function* matchingLines(
  files: readonly Pinned[],
  matching: Matching,
  request: GrepRequest,
): AsyncGenerator<FoundLine> {
  const args = [
    "--line-number",
    "--no-context-separator",
    `--max-columns=${MAX_LINE_BYTES}`,
    "--max-columns-preview",
    `--before-context=${request.before ?? 0}`,
    `--after-context=${request.after ?? 0}`,
  ];
  if (request.multiline === true) args.push(AS_FOUND);
  // No more matches per file than lines can be shown in all.
  if (request.limit !== undefined && request.limit > 0)
    args.push(`--max-count=${request.limit + (request.offset ?? 0) + 1}`);
  for await (const record of runOver(files, matching, args, NEWLINE)) {
    const found = parseLine(record.bytes, record.file, request.maxLineChars);
    if (found !== undefined) yield found;
  }
}

/** Number of matching lines per file; files without a match are left out. */
export async function countLines(
  files: readonly Pinned[],
  matching: Matching,
  request: GrepRequest,
): Promise<{ file: Pinned; lines: number }[]> {
  const counts = new Map<Pinned, number>();
  // ripgrep's own count is of matches when they may span lines; the contract's is of lines.
  const args = request.multiline === true ? ["--line-number", "--max-columns=1", AS_FOUND] : ["--count"];
  for await (const { bytes, file } of runOver(files, matching, args, NEWLINE)) {
    const nul = bytes.indexOf(NUL);
    if (nul < 0) continue;
    const number = request.multiline === true ? (counts.get(file) ?? 0) + 1 : Number(bytes.toString("latin1", nul + 1));
    counts.set(file, number);
  }
  return files.flatMap((file) => {
    const lines = counts.get(file);
    return lines === undefined || lines === 0 ? [] : [{ file, lines }];
  });
}

export async function whichMatch(files: readonly Pinned[], matching: Matching): Promise<Set<Pinned>> {
  const found = new Set<string>();
  if (files.length === 0) return new Set();
  for await (const { file } of runOver(files, matching, ["--count", "--max-count=1"], NEWLINE))
    found.add(file.argument);
  // By argument: without descriptors a file and a link to it are the same one.
  return new Set(files.filter(({ argument }) => found.has(argument)));
}

type Record = { readonly bytes: Buffer; readonly file: Pinned };

async function* runOver(
  files: readonly Pinned[],
  matching: Matching,
  args: readonly string[],
  delimiter: number,
): AsyncGenerator<Record> {
  const byArgument = new Map(files.map((file) => [file.argument, file]));
  const run = new RipgrepRun({
    program: matching.program,
    // One thread keeps the order; read, not mapped: a file that shrinks under a mapping kills its reader.
    args: [
      "--with-filename",
      "--null",
      "--no-heading",
      "--threads=1",
      "--no-mmap",
      "--no-ignore",
      ...args,
      ...matching.plan.matching,
      "--",
      ...byArgument.keys(),
    ],
    cwd: "/",
    signal: matching.signal,
  });
  for await (const bytes of run.records(delimiter)) {
    const nul = bytes.indexOf(NUL);
    const path =
      nul < 0
        ? bytes.toString("utf8").replace(/: (binary file|WARNING: stopped).*$/s, "")
        : bytes.toString("utf8", 0, nul);
    const file = byArgument.get(path);
    if (file !== undefined) yield { bytes, file };
  }
}

function parseLine(bytes: Buffer, file: Pinned, maxLineChars: number): FoundLine | undefined {
  const nul = bytes.indexOf(NUL);
  if (nul < 0) {
    const offset = /around offset (\d+)/.exec(bytes.toString("utf8"))?.[1];
    return offset === undefined ? undefined : { kind: "binary", file, offset: Number(offset) };
  }
  const head = /^(\d+)([:-])/.exec(bytes.toString("latin1", nul + 1, nul + 24));
  if (head === null) return undefined;
  const start = nul + 1 + head[0].length;
  const end = bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length;
  const { text, cut } = cutLine(bytes.toString("utf8", start, end), end - start, maxLineChars);
  return { kind: head[2] === ":" ? "match" : "context", file, line: Number(head[1]), text, cut };
}

const OMITTED = / \[\.\.\. (omitted end of long line|\d+ more match(es)?)\]$/;

function cutLine(text: string, bytes: number, maxChars: number): { text: string; cut: boolean } {
  const whole = bytes >= MAX_LINE_BYTES / 2 ? text.replace(OMITTED, "") : text;
  const kept = firstChars(whole, maxChars);
  return { text: kept, cut: kept.length < text.length };
}
