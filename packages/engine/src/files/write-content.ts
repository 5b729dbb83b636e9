// A file with exactly this content, made or replaced.
import type { BigIntStats } from "node:fs";
import { EngineError } from "../engine-error.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { commit } from "./atomic-write.ts";
import { withFileLock } from "./file-locks.ts";
import { ContentHash, fingerprintFrom } from "./fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import { makeParents } from "./make-directories.ts";
import { needFile, openForReading } from "./open-file.ts";
import type { OpenFile } from "./open-file.ts";

/** Bytes that may be written. Only `encodeContent` makes them. */
export type FileContent = Buffer & { readonly checked: unique symbol };

export type WriteOptions = {
  /** Asked before an existing file is overwritten; throws to refuse (view before edit). */
  readonly guard?: (place: ScopedPath, file: OpenFile) => Promise<void>;
};

export type Written = { readonly bytes: number; readonly created: boolean; readonly fingerprint: Fingerprint };

/** `content` is what `encodeContent` made: its limits come before anything that could be wrong with the path. */
export async function writeFile(place: ScopedPath, content: FileContent, options: WriteOptions = {}): Promise<Written> {
  return withFileLock(place, async (fresh) => {
    refuseDirectoryForm(fresh);
    const expected = fresh.entry === undefined ? undefined : await approve(fresh, options);
    using parent = makeParents(fresh);
    const stat = await commit(fresh, parent, { content, ...(expected === undefined ? {} : { expected }) });
    return {
      bytes: content.length,
      created: fresh.entry === undefined,
      fingerprint: fingerprintFrom(stat, ContentHash.of(content)),
    };
  });
}

/** Text as the bytes of a file. Throws TOO_LARGE or INVALID_INPUT. */
export function encodeContent(text: string, maxBytes: number): FileContent {
  const content = encodeText(text, "content");
  if (content.length <= maxBytes) return content as FileContent;
  throw new EngineError("TOO_LARGE", `content is ${content.length} bytes, exceeds maximum ${maxBytes} bytes`, {
    what: "content",
    bytes: content.length,
    maxBytes,
  });
}

/** UTF-8, refusing what UTF-8 cannot hold: encoders turn an unpaired surrogate into U+FFFD without a word. */
export function encodeText(text: string, what: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  throw new EngineError("INVALID_INPUT", `${what} contains an unpaired surrogate, which no file can hold as text`, {
    reason: "surrogate",
  });
}

async function approve(place: ScopedPath, options: WriteOptions): Promise<BigIntStats | undefined> {
  needFile(place);
  if (options.guard === undefined) return undefined;
  using file = openForReading(place);
  await options.guard(place, file);
  return file.stat;
}

function refuseDirectoryForm(place: ScopedPath): void {
  if (place.entry !== undefined || !place.directoryOnly) return;
  const { path, shown } = place;
  throw new EngineError("NOT_DIRECTORY", `${shown} ends in a slash but is to be a file`, { path, requested: shown });
}
