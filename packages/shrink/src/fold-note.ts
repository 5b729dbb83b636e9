// What travels in `_meta` beside a shrunk result: everything the way back needs that is not in the text itself.
import type { Layout } from "./fold-structure.ts";

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
};

export type FoldNote = {
  parts: NotedPart[];
  /** Digest of each earlier text that this one refers to, by its handle. */
  seen?: Record<string, string>;
};

/** Parses what came in as `_meta`. undefined: this result was not shrunk. */
export function readNote(meta: unknown): FoldNote | undefined {
  if (typeof meta !== "object" || meta === null || !(NOTE_KEY in meta)) return undefined;
  const note = meta[NOTE_KEY] as Partial<FoldNote> | null;
  if (typeof note !== "object" || note === null || !Array.isArray(note.parts)) return undefined;
  const parts = note.parts as unknown[];
  return parts.every(isPart) ? (note as FoldNote) : undefined;
}

function isPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { chars, layouts, escaped } = part as Record<string, unknown>;
  if (typeof chars !== "number" || chars < 0) return false;
  if (escaped !== undefined && typeof escaped !== "number") return false;
  return layouts === undefined || (Array.isArray(layouts) && layouts.every(isLayout));
}

function isLayout(layout: unknown): boolean {
  if (typeof layout !== "object" || layout === null) return false;
  const { fold, layout: own } = layout as Record<string, unknown>;
  return typeof fold === "string" && typeof own === "string";
}
