// Exact replacement of text in a file, done on its bytes: nothing but the match changes, whatever the encoding of the
// rest.
import { EngineError } from "../engine-error.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { countOccurrences, countSeparate, replaceOccurrences } from "./byte-search.ts";
import { commit } from "./atomic-write.ts";
import { withFileLock } from "./file-locks.ts";
import { hasNul, kindOfFile } from "./file-kind.ts";
import { ContentHash, fingerprintFrom } from "./fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { NumberedLine } from "./line-run.ts";
import { hasBareNewline, lineEndingsOf, toCrlf } from "./line-endings.ts";
import type { LineEndings } from "./line-endings.ts";
import { describeNearest } from "./nearest-text.ts";
import { openForReading } from "./open-file.ts";
import type { OpenFile } from "./open-file.ts";
import { readWhole } from "./read-whole.ts";
import { snippetAround } from "./snippet.ts";
import { encodeText } from "./write-content.ts";

export type ReplaceRequest = {
  readonly find: string;
  readonly replace: string;
  /** All separate occurrences; else exactly one, which must be the only one. */
  readonly all: boolean;
  /** How many there must be. More than one needs `all`: which of several is meant is never guessed. */
  readonly expectedOccurrences?: number;
  /** Of the file and of the result. */
  readonly maxBytes: number;
  /** Asked before anything is read; throws to refuse (view before edit). */
  readonly guard?: (place: ScopedPath, file: OpenFile) => Promise<void>;
  readonly signal?: AbortSignal;
};

export type Replaced = {
  readonly replacements: number;
  /** The lines around the change, numbered; for a single replacement only. A gap in the numbers is a gap in the text. */
  readonly snippet: readonly NumberedLine[];
  readonly fingerprint: Fingerprint;
};

export async function replaceText(place: ScopedPath, request: ReplaceRequest): Promise<Replaced> {
  if (request.find === "") {
    throw new EngineError("INVALID_INPUT", "the text to find must not be empty", { reason: "empty" });
  }
  encodeText(request.find, "the text to find");
  encodeText(request.replace, "the replacement");
  return withFileLock(place, async (fresh) => {
    using file = openForReading(fresh);
    await request.guard?.(fresh, file);
    refuseBinary(file);
    const content = await readWhole(file, request);
    const edit = planEdit(content, request, file);
    const result = replaceOccurrences(content, edit.find, edit.replace, edit.count);
    const stat = await commit(fresh, fresh.parent, { content: result, expected: file.stat });
    return {
      replacements: edit.count,
      snippet: request.all ? [] : snippetAround(result, content.indexOf(edit.find), edit.replace.length),
      fingerprint: fingerprintFrom(stat, ContentHash.of(result)),
    };
  });
}

type Edit = { readonly find: Buffer; readonly replace: Buffer; readonly count: number };

/** Decides what is replaced by what, how often. Throws when that is not clear, or too much. */
function planEdit(content: Buffer, request: ReplaceRequest, file: OpenFile): Edit {
  const endings = lineEndingsOf(content);
  const find = needleFor(content, request.find, endings);
  const details = { path: file.path, requested: file.shown };
  const occurrences = request.all ? countSeparate(content, find) : countOccurrences(content, find);
  if (occurrences === 0) {
    const nearest = describeNearest(content.toString("utf8"), request.find);
    const facts = nearest === undefined ? details : { ...details, nearest };
    throw new EngineError("TEXT_NOT_FOUND", `the text to find is not in ${file.shown}`, facts);
  }
  const { expectedOccurrences: expected } = request;
  if (expected !== undefined && expected !== occurrences) {
    const facts = { ...details, occurrences, expected };
    throw new EngineError("COUNT_DIFFERS", `found ${occurrences} occurrences, expected ${expected}`, facts);
  }
  if (occurrences > 1 && !request.all) {
    const message = `found ${occurrences} occurrences in ${file.shown}; the match must be unique`;
    const facts = { ...details, occurrences, ...(expected === undefined ? {} : { expected }) };
    throw new EngineError(
      "TEXT_AMBIGUOUS",
      expected === undefined ? message : `${message}, unless all are replaced`,
      facts,
    );
  }
  const replace = Buffer.from(endings === "crlf" ? toCrlf(request.replace) : request.replace, "utf8");
  const count = request.all ? occurrences : 1;
  const bytes = content.length + count * (replace.length - find.length);
  if (bytes > request.maxBytes) {
    const message = `the result would be ${bytes} bytes, exceeds maximum ${request.maxBytes} bytes`;
    throw new EngineError("TOO_LARGE", message, { ...details, what: "result", bytes, maxBytes: request.maxBytes });
  }
  return { find, replace, count };
}

/** As given; else, in a file with CRLF, with its line endings: models see and send bare newlines. */
function needleFor(content: Buffer, text: string, endings: LineEndings): Buffer {
  const given = Buffer.from(text, "utf8");
  if (endings === "lf" || endings === "none" || !hasBareNewline(text) || content.includes(given)) return given;
  return Buffer.from(toCrlf(text), "utf8");
}

function refuseBinary(file: OpenFile): void {
  const kind = kindOfFile(file);
  const isSvg = kind.kind === "svg" && !hasNul(file.start);
  const isText = isSvg || (kind.kind === "text" && kind.encoding === "utf-8");
  if (isText) return;
  const details = { path: file.path, requested: file.shown };
  throw new EngineError("BINARY_FILE", `${file.shown} is not a text file`, details);
}
