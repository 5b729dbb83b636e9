// One text → its smallest form, proven, or nothing. Deterministic: only the text decides.
import { DEFAULT_THRESHOLD, detect } from "./detect.ts";
import type { FoldedPart, FoldNotes } from "./fold-note.ts";
import { foldRegions } from "./fold-regions.ts";
import type { Draft } from "./fold-stretch.ts";
import { foldStretch, MIN_SAVED_TOKENS, pays } from "./fold-stretch.ts";
import { withDictionary } from "./forms/dictionary.ts";
import { UnfoldError } from "./forms/form.ts";
import type { WayBack } from "./forms/marks.ts";
import { END_MARK, MARK_OPENING, markOf } from "./forms/marks.ts";
import { parseDocument } from "./json-document.ts";
import { readsWordByWord } from "./reading-kind.ts";
import { countTokens } from "./tokens/count.ts";
import { unfoldText } from "./unfold-text.ts";

export type FoldLevel = "plain" | "dense" | "off";

export type FoldOptions = {
  fold: FoldLevel;
  /** How sure we must be of what a part of a text is before it is folded by itself. */
  threshold: number;
  /** What marks say about the original. */
  wayBack?: WayBack;
};

export type FoldedText = { text: string; notes: FoldNotes; tokens: number; tokensBefore: number; folds: string[] };

const MIN_TOKENS = 40;
const MIN_CHARS = 80;
/** A longer text is folded in windows of this size, so that time and memory stay linear. */
const WINDOW_CHARS = 200_000;
export const MAX_FOLDED_CHARS = 4_000_000;
/** A longer stretch without a blank, digit or change of case takes long to count and holds nothing to fold. */
const MAX_PIECE_CHARS = 20_000;

export function foldText(text: string, options: FoldOptions): FoldedText | undefined {
  if (options.fold === "off" || text.length < MIN_CHARS || text.length > MAX_FOLDED_CHARS || hasLongRun(text))
    return undefined;
  // Forms know for certain what they can take back. Who asks for more than the usual means what a text is.
  if (options.threshold > DEFAULT_THRESHOLD && !isRecognized(text, options.threshold)) return undefined;
  const tokensBefore = countTokens(text);
  if (tokensBefore < MIN_TOKENS) return undefined;
  const hasDosLines = isDos(text);
  const unix = hasDosLines ? text.replaceAll("\r\n", "\n") : text;
  const plain =
    unix.length > WINDOW_CHARS && parseDocument(unix) === undefined
      ? foldWindows(unix, options)
      : foldWhole(unix, options);
  const best = options.fold === "dense" ? (dense(unix, plain, options) ?? plain) : plain;
  if (best === undefined) return undefined;
  const tokens = countTokens(best.text);
  // JSON without blanks is the same JSON: there any saving will do.
  const isWorthwhile = best.text.includes(MARK_OPENING)
    ? pays(text, best.text, tokensBefore, tokens)
    : tokens < tokensBefore;
  if (!isWorthwhile) return undefined;
  const notes: FoldNotes = hasDosLines ? { ...best.notes, dos: true } : best.notes;
  if (!isExact(best.text, notes, text)) return undefined;
  return { ...best, notes, tokens, tokensBefore };
}

function isRecognized(text: string, threshold: number): boolean {
  return detect(text, threshold).some(({ kind }) => kind !== "text");
}

function isExact(folded: string, notes: FoldNotes, text: string): boolean {
  try {
    return unfoldText(folded, notes) === text;
  } catch (error) {
    if (error instanceof UnfoldError) return false;
    throw error;
  }
}

// The whole text in one form, or parts of it by themselves.
function foldWhole(text: string, options: FoldOptions): Draft | undefined {
  return foldStretch(text, options.wayBack) ?? foldRegions(text, options.threshold, options.wayBack);
}

// Cut at line ends, each window with its own mark.
function foldWindows(text: string, { wayBack }: FoldOptions): Draft | undefined {
  const out: string[] = [];
  const parts: FoldedPart[] = [];
  const folds = new Set<string>();
  let length = 0;
  const add = (piece: string): void => {
    out.push(piece);
    length += piece.length;
  };
  for (let from = 0; from < text.length;) {
    const cut = from + WINDOW_CHARS >= text.length ? text.length : text.lastIndexOf("\n", from + WINDOW_CHARS) + 1;
    const to = cut > from ? cut : Math.min(text.length, from + WINDOW_CHARS);
    const window = text.slice(from, to);
    const folded = cut > from ? foldStretch(window, parts.length === 0 ? wayBack : undefined) : undefined;
    const [part] = folded?.notes.parts ?? [];
    if (folded === undefined || part === undefined) add(window);
    else {
      parts.push({ ...part, at: length, ended: true });
      for (const fold of folded.folds) folds.add(fold);
      // The line breaks behind the body stand behind the end of the form.
      add(`${folded.text.slice(0, part.chars)}\n${END_MARK}${folded.text.slice(part.chars)}`);
    }
    from = to;
  }
  return parts.length === 0 ? undefined : { text: out.join(""), notes: { parts }, folds: [...folds] };
}

// Long phrases on top of what is there already. Never in what is read word by word.
function dense(text: string, plain: Draft | undefined, { wayBack }: FoldOptions): Draft | undefined {
  if (text.length > WINDOW_CHARS || (plain === undefined && parseDocument(text) === undefined && readsWordByWord(text)))
    return undefined;
  if (plain?.folds.some((fold) => fold === "numbered" || fold === "patch") === true) return undefined;
  const base = plain?.text ?? text;
  const found = withDictionary(base);
  if (found === undefined) return undefined;
  const mark = markOf([found.phrase], base.includes("[bosun:") ? undefined : wayBack);
  const shown = [mark, ...found.legend, found.body].join("\n");
  if (countTokens(base) - countTokens(shown) < MIN_SAVED_TOKENS) return undefined;
  return {
    text: shown,
    notes: { ...(plain?.notes ?? { parts: [] }), dictionary: true },
    folds: [...(plain?.folds ?? []), "dictionary"],
  };
}

function isDos(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n|\r(?!\n)/.test(text);
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
