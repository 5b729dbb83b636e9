// One text → the smallest of the folds that know its kind. Proven by whoever lets it out.
import { JSON_FOLDS, LINE_FOLDS } from "./folds/all.ts";
import type { Fold } from "./folds/fold.ts";
import { jsonNotation, parseDocument } from "./folds/json.ts";
import type { Pieces } from "./tokens/count.ts";
import { PieceBuffer } from "./tokens/count.ts";

/** The layout of one fold in a text; outermost first, then in the order of the text. */
export type Layout = { fold: string; layout: string };

/** `pieces` of the text, where they are known: valid until another text is folded. */
export type Candidate = { text: string; layouts: Layout[]; tokens: number; folds: string[]; pieces?: Pieces };

/** Other tokenizers have whole tokens for the signs between JSON's words: below this, a win here may be a loss there. */
const JSON_MARGIN = { share: 0.1, tokens: 8 };

/** A text that has become so small is of that kind: no other fold needs to look at it. */
const GOOD_ENOUGH = 0.3;
/** JSON that has lost half of its tokens has lost more than the white space that is left to lose. */
const GOOD_ENOUGH_FOR_JSON = 0.5;

// One holds the pieces of the best candidate so far, the other those of the next.
let [best, trial] = [new PieceBuffer(), new PieceBuffer()];

export function foldStructure(text: string, tokensBefore: number): Candidate | undefined {
  let smallest: Candidate | undefined;
  let least = tokensBefore;
  for (const fold of foldsFor(text)) {
    const folded = fold.fold(text);
    if (folded === undefined || folded.text.length >= text.length + 16) continue;
    const pieces = trial.split(folded.text);
    const { tokens } = pieces;
    if (tokens >= least || (fold === jsonNotation && tokens > mostInJson(tokensBefore))) continue;
    const layouts = folded.layout === undefined ? [] : [{ fold: fold.name, layout: folded.layout }];
    smallest = { text: folded.text, layouts, tokens, folds: [fold.name], pieces };
    [best, trial] = [trial, best];
    least = tokens;
    if (tokens < tokensBefore * (fold === jsonNotation ? GOOD_ENOUGH_FOR_JSON : GOOD_ENOUGH)) break;
  }
  return smallest;
}

function mostInJson(tokensBefore: number): number {
  return tokensBefore * (1 - JSON_MARGIN.share) - JSON_MARGIN.tokens;
}

function foldsFor(text: string): readonly Fold[] {
  const first = /\S/.exec(text)?.[0];
  return (first === "{" || first === "[") && parseDocument(text) !== undefined ? JSON_FOLDS : LINE_FOLDS;
}
