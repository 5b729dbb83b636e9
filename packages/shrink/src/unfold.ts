// The way back for everyone: texts of one session with their `_meta`, in the order they were emitted, become the
// originals again.
import { unescapeMarks } from "./escape.ts";
import type { FoldNote, NotedPart } from "./fold-note.ts";
import { ORIGINAL_KEY, readNote } from "./fold-note.ts";
import { unfoldText } from "./fold-text.ts";
import { UnfoldError } from "./folds/fold.ts";
import { holdsMark } from "./folds/mark.ts";
import { digestOf, unfoldRepeats } from "./repeats.ts";

/** What the client received: all shown text of a result joined by line breaks, and the result's `_meta`. */
export type Emitted = { text: string; meta?: unknown };

export type Unfolded = { ok: true; text: string } | { ok: false; reason: string };

const MAX_CHARS = 64_000_000;

export class Unfolder {
  /** Originals seen so far, by digest, in the order they came. */
  readonly #texts = new Map<string, string>();
  readonly #maxChars: number;
  #chars = 0;

  constructor(maxChars: number = MAX_CHARS) {
    this.#maxChars = maxChars;
  }

  unfold({ text, meta }: Emitted): Unfolded {
    try {
      const note = readNote(meta);
      const original = note === undefined ? withoutMarks(text) : this.#unfoldNoted(text, note);
      this.#remember(original);
      return { ok: true, text: original };
    } catch (error) {
      if (error instanceof UnfoldError || error instanceof SyntaxError)
        return { ok: false, reason: describe(error, meta) };
      // Deeper than the stack, or longer than a string can be: nothing that was folded is.
      if (error instanceof RangeError)
        return {
          ok: false,
          reason: describe(new UnfoldError("the text is too deep or would unfold to too much"), meta),
        };
      throw error;
    }
  }

  #unfoldNoted(text: string, note: FoldNote): string {
    const originals: string[] = [];
    let at = 0;
    for (const part of note.parts) {
      if (at + part.chars > text.length) throw new UnfoldError("the text is shorter than its note says");
      originals.push(this.#unfoldPart(text.slice(at, at + part.chars), part, note));
      at += part.chars + 1;
    }
    if (at !== text.length + 1) throw new UnfoldError("the text is longer than its note says");
    return originals.join("\n");
  }

  #unfoldPart(text: string, part: NotedPart, note: FoldNote): string {
    const { folded, layouts = [], escaped, repeats, omitted, foreign } = part;
    if (foreign === true) return text;
    if (omitted === true) throw new UnfoldError("part of the text was left out for the budget");
    if (repeats === true) return unfoldRepeats(text, (handle) => this.#texts.get(note.seen?.[handle] ?? ""));
    const unfolded = folded === true ? unfoldText(text, layouts) : withoutMarks(text);
    return escaped === undefined ? unfolded : unescapeMarks({ text: unfolded, variant: escaped });
  }

  #remember(text: string): void {
    const digest = digestOf(text);
    if (this.#texts.has(digest)) return;
    this.#texts.set(digest, text);
    this.#chars += text.length;
    for (const [oldest, kept] of this.#texts) {
      if (this.#chars <= this.#maxChars) break;
      this.#texts.delete(oldest);
      this.#chars -= kept.length;
    }
  }
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
