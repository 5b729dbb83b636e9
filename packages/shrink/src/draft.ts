// One text block before and after, as far as it has come: what it was, what would be sent, and what the note must say of it.
import { DisguisedLater } from "./disguised-later.ts";
import { variantFor } from "./escape.ts";
import type { NotedPart } from "./fold-note.ts";
import { digests, withHandle } from "./folds/digests.ts";
import type { Repeated } from "./repeats.ts";
import { countTokens } from "./tokens/count.ts";

/** A text that refers back must save at least a tenth: the reader has to look things up. */
const MAX_REPEATED_SHARE = 0.9;
/** What leaves more characters than this in place cannot save that tenth: counting would only take time. */
const MAX_REPEATED_SHARE_OF_CHARS = 0.97;

export type Draft = {
  before: string;
  /** After marks were disguised: what the folds were given. */
  plain: string | DisguisedLater;
  after: string | DisguisedLater;
  note: Omit<NotedPart, "chars">;
  folds: string[];
  tokensBefore: number;
  tokens: number;
  seen?: Record<string, string>;
};

// A text that is not folded: where nobody reads it in disguise, it is not made.
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

export function draftOfRepeats(
  text: string,
  { text: after, seen }: Repeated,
  tokensBefore = countTokens(text),
): Draft | undefined {
  if (after.length > text.length * MAX_REPEATED_SHARE_OF_CHARS) return undefined;
  const tokens = countTokens(after);
  if (tokens > tokensBefore * MAX_REPEATED_SHARE) return undefined;
  return { before: text, plain: text, after, note: { repeats: true }, folds: ["seen"], tokensBefore, tokens, seen };
}

/** The variant of a text that was disguised, and nothing else. */
export function disguiseOnly({ note }: Draft): number | undefined {
  return note.folded === undefined && note.repeats === undefined ? note.escaped : undefined;
}

// A text without its digests must say who has them.
export function namingOriginal(draft: Draft, handle: string | undefined): Draft | undefined {
  if (!draft.folds.includes(digests.name)) return draft;
  return handle === undefined ? undefined : { ...draft, after: withHandle(String(draft.after), handle) };
}
