// The way back for everyone: a text with its `_meta` becomes the original again.
import { unescapeMarks } from "./escape.ts";
import type { FoldNote, NotedPart } from "./fold-note.ts";
import { ORIGINAL_KEY, readNote } from "./fold-note.ts";
import { UnfoldError } from "./forms/form.ts";
import { holdsMark } from "./forms/marks.ts";
import { unfoldText } from "./unfold-text.ts";

/** What the client received: all shown text of a result joined by line breaks, and the result's `_meta`. */
export type Emitted = { text: string; meta?: unknown };

export type Unfolded = { ok: true; text: string } | { ok: false; reason: string };

export function unfold({ text, meta }: Emitted): Unfolded {
  try {
    const note = readNote(meta);
    return { ok: true, text: note === undefined ? withoutMarks(text) : unfoldNoted(text, note) };
  } catch (error) {
    if (error instanceof UnfoldError || error instanceof SyntaxError)
      return { ok: false, reason: describe(error, meta) };
    // Deeper than the stack, or longer than a string can be: nothing that was folded is.
    if (error instanceof RangeError)
      return { ok: false, reason: describe(new UnfoldError("the text is too deep or would unfold to too much"), meta) };
    throw error;
  }
}

function unfoldNoted(text: string, note: FoldNote): string {
  const originals: string[] = [];
  let at = 0;
  for (const part of note.parts) {
    if (at + part.chars > text.length) throw new UnfoldError("the text is shorter than its note says");
    originals.push(unfoldPart(text.slice(at, at + part.chars), part));
    at += part.chars + 1;
  }
  if (at !== text.length + 1) throw new UnfoldError("the text is longer than its note says");
  return originals.join("\n");
}

function unfoldPart(text: string, { folded, escaped, omitted, foreign }: NotedPart): string {
  if (foreign === true) return text;
  if (omitted === true) throw new UnfoldError("part of the text was left out for the budget");
  const unfolded = folded === undefined ? withoutMarks(text) : unfoldText(text, folded);
  return escaped === undefined ? unfolded : unescapeMarks({ text: unfolded, variant: escaped });
}

// Foreign marks never leave without a disguise. One that is neither disguised nor noted is ours, and its note is lost.
function withoutMarks(text: string): string {
  if (holdsMark(text)) throw new UnfoldError("the text was shortened, and its _meta does not say how");
  return text;
}

function describe(error: Error, meta: unknown): string {
  const handle = typeof meta === "object" && meta !== null && ORIGINAL_KEY in meta ? meta[ORIGINAL_KEY] : undefined;
  return typeof handle === "string" ? `${error.message}; read_original ${handle} has the original` : error.message;
}
