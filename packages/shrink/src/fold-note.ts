// What travels in `_meta` beside a shrunk result: everything the way back needs that is not in the text itself.
import { UnfoldError } from "./forms/form.ts";

export const ORIGINAL_KEY = "bosun/original";
export const NOTE_KEY = "bosun/fold";

/** A stretch of a text in another form. `forms`: by name, in the order in which they are undone, with their white space. */
export type FoldedPart = { at: number; chars: number; forms: [name: string, layout?: string][]; ended?: true };

/** `dos`: all lines ended in \r\n. `dictionary`: phrases were replaced last, all over the text. */
export type FoldNotes = { parts: FoldedPart[]; dictionary?: true; dos?: true };

/** One shown block of the result. */
export type NotedPart = {
  /** UTF-16 units of the block as emitted: where it ends in the joined text. */
  chars: number;
  /** Which parts of the text have another form; without this it is as it was. */
  folded?: FoldNotes;
  /** Which disguise foreign marks wear. */
  escaped?: number;
  /** Something was left out for the budget: only the original has it. */
  omitted?: true;
  /** Of a resource: as the server sent it, even where it looks like ours. */
  foreign?: true;
};

export type FoldNote = { parts: NotedPart[] };

/** Parses what came in as `_meta`. undefined: this result was not shrunk. Throws UnfoldError when it is damaged. */
export function readNote(meta: unknown): FoldNote | undefined {
  if (typeof meta !== "object" || meta === null || !(NOTE_KEY in meta)) return undefined;
  const note = meta[NOTE_KEY];
  if (!isNote(note)) throw new UnfoldError(`${NOTE_KEY} in the _meta is damaged`);
  return note;
}

function isNote(note: unknown): note is FoldNote {
  return (
    typeof note === "object" &&
    note !== null &&
    "parts" in note &&
    Array.isArray(note.parts) &&
    note.parts.every(isPart)
  );
}

function isPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { chars, escaped, folded, omitted, foreign } = part as Record<string, unknown>;
  if (!isCount(chars) || (escaped !== undefined && !isCount(escaped))) return false;
  if (![omitted, foreign].every(isFlag)) return false;
  return folded === undefined || isFolded(folded);
}

function isFolded(folded: unknown): boolean {
  if (typeof folded !== "object" || folded === null) return false;
  const { parts, dictionary, dos } = folded as Record<string, unknown>;
  return isFlag(dictionary) && isFlag(dos) && Array.isArray(parts) && parts.every(isFoldedPart);
}

function isFoldedPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { at, chars, forms, ended } = part as Record<string, unknown>;
  if (!isCount(at) || !isCount(chars) || !isFlag(ended) || !Array.isArray(forms)) return false;
  return forms.every(
    (form) =>
      Array.isArray(form) && form.length <= 2 && form.length > 0 && form.every((word) => typeof word === "string"),
  );
}

function isFlag(flag: unknown): boolean {
  return flag === undefined || flag === true;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
