// Files that match → one page of what was asked for: lines, counts or paths.
import { countChars } from "../files/line-collector.ts";
import { formatGrepLine } from "./grep-line.ts";
import type { GrepLine } from "./grep-line.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { FileSource } from "./file-source.ts";
import { countLines, matchingLines, whichMatch } from "./match-files.ts";
import type { FoundLine, Matching } from "./match-files.ts";
import { Page } from "./result-page.ts";
import type { PageEnd } from "./result-page.ts";
import type { Pinned } from "./open-candidate.ts";

/** Files checked together when it is not sure that they match. */
const CHECKED_AT_ONCE = 100;

export async function showContent(
  files: FileSource,
  matching: Matching,
  request: GrepRequest,
): Promise<PageEnd & { lines: GrepLine[] }> {
  const page = pageOf<GrepLine>(request);
  let last: FoundLine | undefined;
  const add = (line: GrepLine) => {
    page.add(line, page.skipping ? 0 : countChars(formatGrepLine(line, request.lineNumbers ?? true)) + 1);
  };
  for await (const batch of files.batches()) {
    for await (const found of matchingLines(batch, matching, request)) {
      // Also without context: lines that do not follow each other belong to different groups.
      if (last !== undefined && !follows(last, found)) add({ kind: "separator" });
      add(lineOf(found));
      last = found;
      if (page.full) break;
    }
    if (page.full) break;
  }
  return { lines: page.items, ...page.end };
}

export async function showCounts(
  files: FileSource,
  matching: Matching,
  request: GrepRequest,
): Promise<PageEnd & { counts: { path: string; lines: number }[] }> {
  const page = pageOf<{ path: string; lines: number }>(request);
  for await (const batch of files.batches()) {
    for (const { file, lines } of await countLines(batch, matching, request)) {
      page.add({ path: file.path, lines }, countChars(`${file.path}:${lines}\n`));
    }
    if (page.full) break;
  }
  return { counts: page.items, ...page.end };
}

export async function showFiles(
  files: FileSource,
  matching: Matching,
  request: GrepRequest,
): Promise<PageEnd & { paths: string[] }> {
  const page = pageOf<string>(request);
  let waiting: { path: string; sure: boolean; pin: () => Pinned | undefined }[] = [];
  const settle = async () => {
    const matches = await matchesOf(
      waiting.filter(({ sure }) => !sure),
      matching,
    );
    for (const { path, sure } of waiting) if (sure || matches.has(path)) page.add(path, countChars(path) + 1);
    waiting = [];
  };
  for await (const file of files.newestFirst()) {
    waiting.push(file);
    // Nothing to check ahead of it: no reason to wait for company.
    if (waiting.length >= CHECKED_AT_ONCE || waiting.every(({ sure }) => sure)) await settle();
    if (page.full) break;
  }
  await settle();
  return { paths: page.items, ...page.end };
}

async function matchesOf(
  files: readonly { pin: () => Pinned | undefined }[],
  matching: Matching,
): Promise<Set<string>> {
  if (files.length === 0) return new Set();
  const pinned = files.map(({ pin }) => pin()).filter((file) => file !== undefined);
  try {
    return new Set([...(await whichMatch(pinned, matching))].map(({ path }) => path));
  } finally {
    for (const file of pinned) file[Symbol.dispose]();
  }
}

function pageOf<T>(request: GrepRequest): Page<T> {
  return new Page<T>({ offset: request.offset ?? 0, limit: request.limit ?? 0, maxChars: request.maxChars });
}

function follows(last: FoundLine, next: FoundLine): boolean {
  if (last.file !== next.file) return false;
  if (last.kind === "binary" || next.kind === "binary") return true;
  return next.line === last.line + 1;
}

function lineOf(found: FoundLine): GrepLine {
  if (found.kind === "binary") return { kind: "binary", path: found.file.path, offset: found.offset };
  return { kind: found.kind, path: found.file.path, line: found.line, text: found.text, cut: found.cut };
}
