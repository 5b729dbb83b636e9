// One text block before and after, as far as it has come: what it was, what would be sent, and what the note must say of it.
import { DisguisedLater } from "./lazy-escaped-text.ts";
import { escapeMarks, variantFor } from "./escape.ts";
import type { NotedPart } from "./fold-note.ts";
import type { FoldOptions } from "./fold-text.ts";
import { foldText } from "./fold-text.ts";
import { countTokens } from "./tokens/count.ts";

export type Draft = {
  before: string;
  /** After marks were disguised: what the forms were given. */
  plain: string | DisguisedLater;
  after: string | DisguisedLater;
  note: Omit<NotedPart, "chars">;
  folds: string[];
  tokensBefore: number;
  tokens: number;
};

/** undefined: nothing to fold, and nothing to disguise. */
export function draftOf(text: string, options: FoldOptions): Draft | undefined {
  const escaped = escapeMarks(text);
  const plain = escaped?.text ?? text;
  const note: Omit<NotedPart, "chars"> = escaped === undefined ? {} : { escaped: escaped.variant };
  const folded = foldText(plain, options);
  if (folded !== undefined) {
    const { text: after, notes, folds, tokensBefore, tokens } = folded;
    return { before: text, plain, after, note: { ...note, folded: notes }, folds, tokensBefore, tokens };
  }
  if (escaped === undefined) return undefined;
  const [tokensBefore, tokens] = [countTokens(text), countTokens(plain)];
  return { before: text, plain, after: plain, note, folds: ["escape"], tokensBefore, tokens };
}

/** A text that is not folded: where nobody reads it in disguise, it is not made. */
export function draftOfDisguise(text: string): Draft | undefined {
  const variant = variantFor(text);
  if (variant === undefined) return undefined;
  const after = new DisguisedLater(text, variant);
  return {
    before: text,
    plain: after,
    after,
    note: { escaped: variant },
    folds: ["escape"],
    tokensBefore: 0,
    tokens: 0,
  };
}

/** The variant of a text that was disguised, and nothing else. */
export function disguiseOnly({ note }: Draft): number | undefined {
  return note.folded === undefined ? note.escaped : undefined;
}
