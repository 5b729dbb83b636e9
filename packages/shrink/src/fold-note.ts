// What travels in `_meta` beside a shrunk result: everything the way back needs that is not in the text itself.
import type { Layout } from "./fold-structure.ts";
import { UnfoldError } from "./folds/fold.ts";

export const ORIGINAL_KEY = "bosun/original";
export const NOTE_KEY = "bosun/fold";

/** One shown block of the result. */
export type NotedPart = {
  /** UTF-16 units of the block as emitted: where it ends in the joined text. */
  chars: number;
  /** The text went through folds; without this it is as it was. */
  folded?: true;
  layouts?: Layout[];
  /** Which disguise foreign marks wear. */
  escaped?: number;
  /** Lines that stand for earlier ones. */
  repeats?: true;
  /** Something was left out for the budget: only the original has it. */
  omitted?: true;
  /** Of a resource: as the server sent it, even where it looks like ours. */
  foreign?: true;
};

export type FoldNote = {
  parts: NotedPart[];
  /** Digest of each earlier text that this one refers to, by its handle. */
  seen?: Record<string, string>;
};

/** Parses what came in as `_meta`. undefined: this result was not shrunk. Throws UnfoldError when it is damaged. */
export function readNote(meta: unknown): FoldNote | undefined {
  if (typeof meta !== "object" || meta === null || !(NOTE_KEY in meta)) return undefined;
  const note = meta[NOTE_KEY];
  if (!isNote(note)) throw new UnfoldError(`${NOTE_KEY} in the _meta is damaged`);
  return note;
}

function isNote(note: unknown): note is FoldNote {
  if (typeof note !== "object" || note === null || !("parts" in note) || !Array.isArray(note.parts)) return false;
  if (!note.parts.every(isPart)) return false;
  const seen = "seen" in note ? note.seen : {};
  if (typeof seen !== "object" || seen === null) return false;
  return Object.values(seen).every((digest) => typeof digest === "string");
}

function isPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { chars, layouts, escaped, folded, repeats, omitted, foreign } = part as Record<string, unknown>;
  if (!isCount(chars) || (escaped !== undefined && !isCount(escaped))) return false;
  if ([folded, repeats, omitted, foreign].some((flag) => flag !== undefined && flag !== true)) return false;
  return layouts === undefined || (Array.isArray(layouts) && layouts.every(isLayout));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isLayout(layout: unknown): boolean {
  if (typeof layout !== "object" || layout === null) return false;
  const { fold, layout: own } = layout as Record<string, unknown>;
  return typeof fold === "string" && typeof own === "string";
}
