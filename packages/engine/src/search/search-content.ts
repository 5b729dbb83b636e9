// Content search. Two steps: ripgrep walks the tree by name and says which files match, at its own speed;
// then those files are opened through the scope, and only what was opened is read again and shown.
import { accessSync, constants } from "node:fs";
import { EngineError, ioError } from "../engine-error.ts";
import { kindOfFile } from "../files/file-kind.ts";
import { notRegular, openForReading } from "../files/open-file.ts";
import { tooLarge } from "../files/read-whole.ts";
import { openListed } from "../files/list-directory.ts";
import type { Directory } from "../scope/directory.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { Deadline } from "./search-deadline.ts";
import type { Ended } from "./search-deadline.ts";
import type { FileSource } from "./file-source.ts";
import { FoundFiles } from "./found-files.ts";
import type { GrepLine } from "./grep-line.ts";
import { planGrep } from "./grep-request.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { Matching } from "./match-files.ts";
import type { PageEnd } from "./result-page.ts";
import { pinEntry } from "./open-candidate.ts";
import type { Pinned } from "./open-candidate.ts";
import { findRipgrep } from "./ripgrep.ts";
import { showContent, showCounts, showFiles } from "./grep-results.ts";

/**
 * ripgrep looks for the ends of the line around each match that may span lines: in a line without end, with a match at every
 * character, that takes hours. An honest tree of several gigabytes is searched within this.
 */
const MULTILINE_MS = 5_000;
const MULTILINE_SHOWING_MS = 3_000;

export type GrepResult = PageEnd & {
  /** Why the search ended before everything was seen, when it did. */
  readonly ended: Ended | undefined;
  /** How long it was allowed to look. */
  readonly timeoutMs: number;
} & (
    | { readonly mode: "content"; readonly lines: readonly GrepLine[] }
    | { readonly mode: "files_with_matches"; readonly paths: readonly string[] }
    | { readonly mode: "count"; readonly counts: readonly { readonly path: string; readonly lines: number }[] }
  );

/** Searches a directory's tree or a single file. Paths in the result are relative to the directory. */
export async function grep(place: ScopedPath, request: GrepRequest): Promise<GrepResult> {
  const plan = planGrep(place.scope, request);
  const program = findRipgrep(request.ripgrep);
  const isMultiline = request.multiline === true;
  const timeoutMs = isMultiline ? Math.min(request.timeoutMs, MULTILINE_MS) : request.timeoutMs;
  using deadline = new Deadline(timeoutMs, request.signal, isMultiline ? MULTILINE_SHOWING_MS : undefined);
  const matching: Matching = { plan, program, signal: deadline.showing };
  const source =
    place.entry?.kind === "directory" ? await openTree(place, request, matching, deadline) : oneFile(place, request);
  await using files = source;
  const shown = await show(files, matching, request);
  return { ...shown, ended: deadline.ended, timeoutMs };
}

async function show(files: FileSource, matching: Matching, request: GrepRequest) {
  if (request.mode === "content")
    return { mode: request.mode, ...(await showContent(files, matching, request)) } as const;
  if (request.mode === "count") return { mode: request.mode, ...(await showCounts(files, matching, request)) } as const;
  return { mode: request.mode, ...(await showFiles(files, matching, request)) } as const;
}

async function openTree(
  place: ScopedPath,
  request: GrepRequest,
  matching: Matching,
  deadline: Deadline,
): Promise<FileSource> {
  const directory = openListed(place);
  refuseUnreadable(place, directory);
  return new FoundFiles(directory, place.scope, request, {
    plan: matching.plan,
    program: matching.program,
    signal: deadline.looking,
  });
}

/** Below it what cannot be read is passed over; of the place that was asked for that would be a lie. */
function refuseUnreadable(place: ScopedPath, directory: Directory): void {
  try {
    accessSync(directory.self, constants.R_OK | constants.X_OK);
  } catch (error) {
    directory[Symbol.dispose]();
    throw ioError("list directory", place.shown, error, place.path);
  }
}

/** A file named by the caller is searched whatever the filters say, and shown as it was written. */
function oneFile(place: ScopedPath, request: GrepRequest): FileSource {
  const { entry, path, shown } = place;
  if (entry === undefined) throw new EngineError("NOT_FOUND", `${shown} does not exist`, { path, requested: shown });
  if (entry.kind !== "file") throw notRegular(shown, path);
  if (request.multiline === true && Number(entry.stat.size) > request.maxFileBytes) {
    throw tooLarge(place, Number(entry.stat.size), request.maxFileBytes);
  }
  using file = openForReading(place);
  const kind = kindOfFile(file).kind;
  // The place keeps the descriptor; disposing of the pin must not close it.
  const pinned: Pinned = { ...pinEntry(entry, path, shown, false), [Symbol.dispose]: () => undefined };
  const files = kind === "binary" || kind === "image" ? [] : [pinned];
  return {
    async *batches() {
      if (files.length > 0) yield files;
    },
    async *newestFirst() {
      for (const file of files) yield { path: file.path, sure: false, pin: () => file };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
