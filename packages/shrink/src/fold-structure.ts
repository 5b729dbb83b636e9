// One text → the smallest of the folds that know its kind. Proven by whoever lets it out.
import { JSON_FOLDS, LINE_FOLDS } from "./folds/all.ts";
import type { Fold } from "./folds/fold.ts";
import { countTokens } from "./tokens/count.ts";

/** The layout of one fold in a text; outermost first, then in the order of the text. */
export type Layout = { fold: string; layout: string };

export type Candidate = { text: string; layouts: Layout[]; tokens: number; folds: string[] };

/** Other tokenizers write JSON and blanks more cheaply than o200k: below this, a win here may be a loss there. */
const MIN_SAVED_SHARE: Record<string, number> = { json: 0.12, table: 0.12 };

export function foldStructure(text: string, tokensBefore: number): Candidate | undefined {
  let best: Candidate | undefined;
  let least = tokensBefore;
  for (const fold of foldsFor(text)) {
    const folded = fold.fold(text);
    if (folded === undefined || folded.text.length >= text.length + 16) continue;
    const tokens = countTokens(folded.text);
    if (tokens > tokensBefore * (1 - (MIN_SAVED_SHARE[fold.name] ?? 0))) continue;
    if (tokens >= least) continue;
    const layouts = folded.layout === undefined ? [] : [{ fold: fold.name, layout: folded.layout }];
    best = { text: folded.text, layouts, tokens, folds: [fold.name] };
    least = tokens;
  }
  return best;
}

function foldsFor(text: string): readonly Fold[] {
  const first = /\S/.exec(text)?.[0];
  return first === "{" || (first === "[" && !text.startsWith("[FILE] ") && !text.startsWith("[DIR] "))
    ? JSON_FOLDS
    : LINE_FOLDS;
}
