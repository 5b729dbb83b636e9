// One text → the smallest of its folds, proven, or nothing. Deterministic: only the text decides.
import { abbreviate } from "./folds/abbreviations.ts";
import { DEFAULT_THRESHOLD, detect } from "./detect.ts";
import { foldRegions, unfoldRegions } from "./fold-regions.ts";
import type { Candidate, Layout } from "./fold-structure.ts";
import { foldStructure } from "./fold-structure.ts";
import { foldNamed } from "./folds/all.ts";
import { digests } from "./folds/digests.ts";
import type { Fold, Folded } from "./folds/fold.ts";
import { UnfoldError } from "./folds/fold.ts";
import { MARK_OPENING, readMark, withMark } from "./folds/mark.ts";
import { paint } from "./folds/paint.ts";
import { linesOf } from "./lines.ts";
import { paragraphKind } from "./paragraph-kind.ts";
import type { Pieces } from "./tokens/count.ts";
import { countTokens, splitPieces } from "./tokens/count.ts";
import { isSmallerElsewhere } from "./tokens/second-opinion.ts";

export type FoldedText = { text: string; layouts: Layout[]; tokens: number; tokensBefore: number; folds: string[] };

export type FoldOptions = {
  /** Whether phrases that repeat may become letters: in data only, in everything, or never. */
  abbreviate: "data" | "all" | "never";
  /** How sure we must be of what a part of a text is before it is folded by itself. */
  threshold: number;
};

/** A saving below this is not worth a text that reads differently. */
const MIN_SAVED_TOKENS = 5;
const MIN_SAVED_SHARE = 0.04;
/** Letters for phrases must earn more: they cost the reader, and other tokenizers may spend two tokens on each. */
const MIN_ABBREVIATED_SHARE = 0.06;
/** Where signs have a meaning already, letters on top must be worth more. */
const MIN_ABBREVIATED_SHARE_OF: Readonly<Record<string, number>> = { json: 0.2, grep: 0.12 };
const MIN_ABBREVIATED_TOKENS = 25;
const MIN_ABBREVIATED_SHARE_OF_CODE = 0.2;
/** Digests of which only the beginning can be read must be what a text mostly is. */
const MIN_SHORTENED_SHARE = 0.1;
/** Folds of lists, and the kinds of text that are lists without a fold. */
const LISTS = new Set(["paths", "table"]);
const LISTED = new Set(["paths", "table", "log"]);
/** Around a whole text, whatever is folded inside. */
const OUTER_MARKS = new Set(["abbr", digests.name, paint.name]);
const MIN_CHARS = 40;
const DOS_LINES = "crlf";
/** A longer stretch without a blank, digit or change of case takes long to count and holds nothing to fold. */
const MAX_PIECE_CHARS = 20_000;

export function foldText(text: string, options: FoldOptions): FoldedText | undefined {
  if (text.length < MIN_CHARS || hasLongRun(text)) return undefined;
  // Folds know for certain what they can take back. Who asks for more than the usual means what a text is.
  if (options.threshold > DEFAULT_THRESHOLD && !isRecognized(text, options.threshold)) return undefined;
  const pieces = splitPieces(text);
  const best = hasDosLines(text) ? foldDosLines(text, options) : smallest(text, pieces, options);
  if (best === undefined) return undefined;
  const saved = pieces.tokens - best.tokens;
  // JSON without blanks is the same JSON: there any saving will do, so that nothing is ever above compact JSON.
  const worthwhile = best.text.includes(MARK_OPENING)
    ? saved >= Math.max(MIN_SAVED_TOKENS, pieces.tokens * MIN_SAVED_SHARE) &&
      isSmallerElsewhere(text, best.text, pieces.tokens, best.tokens)
    : saved > 0;
  if (!worthwhile) return undefined;
  if (!unfoldsTo(best, text)) return undefined;
  return { ...best, tokensBefore: pieces.tokens };
}

function isRecognized(text: string, threshold: number): boolean {
  return detect(text, threshold).some(({ kind }) => kind !== "text");
}

function unfoldsTo({ text: folded, layouts }: Candidate, text: string): boolean {
  try {
    const last = withoutOuterFolds(folded, layouts);
    if (typeof last === "string") return last === text;
    return last.fold.unfoldsTo?.(last.folded, text) ?? last.fold.unfold(last.folded) === text;
  } catch (error) {
    if (error instanceof UnfoldError) return false;
    throw error;
  }
}

/** The exact inverse of foldText. Throws UnfoldError on what foldText never writes. */
export function unfoldText(text: string, layouts: readonly Layout[]): string {
  const last = withoutOuterFolds(text, layouts);
  return typeof last === "string" ? last : last.fold.unfold(last.folded);
}

// What is left to be taken back, once everything around it has been: one fold, or nothing.
function withoutOuterFolds(text: string, layouts: readonly Layout[]): string | { fold: Fold; folded: Folded } {
  if (layouts[0]?.fold === DOS_LINES) return unfoldText(text, layouts.slice(1)).replaceAll("\n", "\r\n");
  const mark = readMark(text);
  const regions = mark !== undefined && OUTER_MARKS.has(mark.name) ? undefined : unfoldRegions(text, layouts);
  if (regions !== undefined) return regions;
  const [layout, ...inner] = layouts;
  if (mark === undefined) {
    if (layout === undefined) return text;
    const unmarked = foldNamed(layout.fold);
    if (unmarked === undefined || inner.length > 0) throw new UnfoldError(`no fold ${layout.fold}`);
    return { fold: unmarked, folded: { text, layout: layout.layout } };
  }
  const fold = foldNamed(mark.name);
  if (fold === undefined) throw new UnfoldError(`no fold ${mark.name}`);
  if (fold.name === "abbr" || fold === digests) return withoutOuterFolds(fold.unfold({ text }), layouts);
  if (fold === paint) {
    if (layout?.fold !== fold.name) throw new UnfoldError("what was painted is missing");
    return fold.unfold({ text: withMark(fold.name, "", unfoldText(mark.body, inner)), layout: layout.layout });
  }
  return { fold, folded: layout?.fold === fold.name ? { text, layout: layout.layout } : { text } };
}

// Lines that all end in \r\n are folded as if they did not; the layout says so.
function foldDosLines(text: string, options: FoldOptions): Candidate | undefined {
  const unix = text.replaceAll("\r\n", "\n");
  const inner = smallest(unix, splitPieces(unix), options);
  return inner && { ...inner, layouts: [{ fold: DOS_LINES, layout: "" }, ...inner.layouts] };
}

function hasDosLines(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/.test(text);
}

function smallest(text: string, pieces: Pieces, options: FoldOptions): Candidate | undefined {
  const unpainted = paint.fold(text);
  if (unpainted === undefined) return foldPlain(text, pieces, options);
  const { body = "" } = readMark(unpainted.text) ?? {};
  const inner = foldPlain(body, splitPieces(body), options);
  const whole = withMark(paint.name, "", inner?.text ?? body);
  const layouts = [{ fold: paint.name, layout: unpainted.layout ?? "" }, ...(inner?.layouts ?? [])];
  return { text: whole, layouts, tokens: countTokens(whole), folds: [paint.name, ...(inner?.folds ?? [])] };
}

function foldPlain(text: string, pieces: Pieces, options: FoldOptions): Candidate | undefined {
  const structural = foldStructure(text, pieces.tokens) ?? foldRegions(text, pieces.tokens, options.threshold);
  if (options.abbreviate === "never") return structural;
  const shortened = foldDigests(text, pieces.tokens, structural) ?? structural;
  return foldPhrases(text, pieces, shortened, options) ?? shortened;
}

// Only in listings: what is read to be edited or run needs its digests as they are.
function foldDigests(text: string, tokensBefore: number, structural: Candidate | undefined): Candidate | undefined {
  const base = structural ?? { text, layouts: [], tokens: tokensBefore, folds: [] };
  const folded = digests.fold(base.text);
  if (folded === undefined || !(structural?.folds.some((fold) => LISTS.has(fold)) ?? isListing(text))) return undefined;
  const tokens = countTokens(folded.text);
  if (tokens > base.tokens * (1 - MIN_SHORTENED_SHARE)) return undefined;
  return { text: folded.text, layouts: base.layouts, tokens, folds: [...base.folds, digests.name] };
}

function foldPhrases(
  text: string,
  pieces: Pieces,
  structural: Candidate | undefined,
  options: FoldOptions,
): Candidate | undefined {
  const base = structural ?? { text, layouts: [], tokens: pieces.tokens, folds: [], pieces };
  const share = Math.max(...base.folds.map((fold) => MIN_ABBREVIATED_SHARE_OF[fold] ?? 0), MIN_ABBREVIATED_SHARE);
  const least = base.tokens * share + MIN_ABBREVIATED_TOKENS;
  const leastOfCode = options.abbreviate === "data" ? base.tokens * MIN_ABBREVIATED_SHARE_OF_CODE : 0;
  const isWorthwhile = (saved: number): boolean => {
    if (saved < least || saved >= leastOfCode) return saved >= least;
    return !(structural === undefined ? isForReading(text) : structural.folds.includes("diff"));
  };
  const folded = abbreviate(base.text, base.pieces ?? splitPieces(base.text), isWorthwhile);
  if (folded === undefined) return undefined;
  const tokens = countTokens(folded.text);
  const saved = base.tokens - tokens;
  if (!isWorthwhile(saved) || !isSmallerElsewhere(base.text, folded.text, base.tokens, tokens)) return undefined;
  return { text: folded.text, layouts: base.layouts, tokens, folds: [...base.folds, "abbr"] };
}

// Whether the tokenizer might take so long a stretch as one piece: of blanks, of letters, or of signs. Such a stretch
// would fill at least one of the blocks of half its length that the text is made of, so few characters are looked at.
function hasLongRun(text: string): boolean {
  const half = MAX_PIECE_CHARS / 2;
  for (let block = 0; block + half <= text.length; block += half) {
    const kind = kindOfUnit(text.charCodeAt(block));
    if (kind === DIGIT) continue;
    let end = block + 1;
    while (end < text.length && kindOfUnit(text.charCodeAt(end)) === kind) end++;
    if (end < block + half) continue;
    let start = block;
    while (start > 0 && kindOfUnit(text.charCodeAt(start - 1)) === kind) start--;
    if (end - start > MAX_PIECE_CHARS) return true;
  }
  return false;
}

const DIGIT = 2;

function kindOfUnit(unit: number): number {
  if (unit === 32 || (unit >= 9 && unit <= 13)) return 0;
  if ((unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit > 127) return 1;
  return unit >= 48 && unit <= 57 ? DIGIT : 3;
}

function isListing(text: string): boolean {
  return LISTED.has(paragraphKind(text).kind) || linesOf(text).every((line) => /^[0-9a-f ]*$/.test(line));
}

// Code, patches and prose are read word by word and quoted back; letters would get in the way.
function isForReading(text: string): boolean {
  const { kind } = paragraphKind(text);
  return kind === "code" || kind === "diff" || kind === "html" || kind === "text";
}
