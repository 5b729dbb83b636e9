// Phrases that repeat, in any text: each gets one letter in a legend at the top. The letter never occurs in the text
// itself, so putting the phrases back is exact.
//
//   [bosun:abbr]
//   α=error TS7006: Parameter '
//   β=' implicitly has an 'any' type.
//   index.js(67,26): αfnβ
import type { Pieces } from "../tokens/count.ts";
import { splitPieces } from "../tokens/count.ts";
import type { Fold, Folded } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import { isInsideWord, placesOf, Taken } from "./phrase-places.ts";
import type { Phrase } from "./phrases.ts";
import { findPhrases } from "./phrases.ts";

/**
 * Letters no tool output is full of, none like a Latin one. One token each in o200k, and the first ones elsewhere too;
 * the others are for texts that hold some of these.
 */
const LETTERS = [..."αβγεθλμπσφωΔжшщюяцчэбдфыЯЧБДФИЛПЗГилпзгйδζηξψΓΘΛΞΠΣΦΨΩЖШЩЮЦЭЫ"];
const [FIRST_LETTER, LAST_LETTER] = [0x370, 0x44f];
const ANY_LETTER = /[\u0370-\u044f]/;
const LEGEND_TOKENS = 3;
/** What a damaged or hostile text may unfold to. */
const MAX_UNFOLDED_CHARS = 64 << 20;
/** More entries than this and the legend is a riddle. */
const MAX_PHRASES = 40;
/** Below this nothing can pay for the mark and a legend. */
const MIN_TOKENS = 40;
/** Shorter phrases would save a token here and there and make the text unreadable. */
const MIN_COST = 3;
/** How far letters and what stands beside them may make the tokens differ from their sum; never seen above 0.04. */
const MAX_BLURRED_SHARE = 0.05;
const MIN_CHARS = 5;
/** Of what is cut off a phrase, about. */
const CHARS_PER_TOKEN = 3;

export const abbreviations: Fold = {
  name: "abbr",
  fold: (text) => abbreviate(text, splitPieces(text)),
  unfold({ text }) {
    const { body = "" } = readMark(text) ?? {};
    const legend: (string | undefined)[] = [];
    let at = 0;
    for (const letter of LETTERS) {
      if (!body.startsWith(`${letter}=`, at)) continue;
      const end = body.indexOf("\n", at);
      if (end < 0) break;
      legend[letter.charCodeAt(0) - FIRST_LETTER] = body.slice(at + 2, end);
      at = end + 1;
    }
    const out: string[] = [];
    let chars = body.length;
    for (let from = at; at < body.length; at++) {
      const unit = body.charCodeAt(at);
      const phrase = unit < FIRST_LETTER ? undefined : legend[unit - FIRST_LETTER];
      if (phrase !== undefined) {
        chars += phrase.length;
        if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the phrases would unfold to too much");
        out.push(body.slice(from, at), phrase);
        from = at + 1;
      }
      if (at + 1 === body.length) out.push(body.slice(from));
    }
    return out.join("");
  },
};

/**
 * The same, for a text whose pieces are known already. Nothing is written when not even a generous guess of what would
 * be saved is worthwhile.
 */
export function abbreviate(
  text: string,
  pieces: Pieces,
  isWorthwhile: (saved: number) => boolean = () => true,
): Folded | undefined {
  if (pieces.tokens < MIN_TOKENS) return undefined;
  const letters = lettersNotIn(text);
  const found = findPhrases(text, pieces).map((phrase) => withWholeWords(text, phrase));
  const phrases = choosePhrases(found, Math.min(letters.length, MAX_PHRASES));
  if (phrases.length === 0 || !isWorthwhile(mostSaved(phrases))) return undefined;
  const legend: string[] = [];
  const taken = new Taken(text.length);
  const places = placesOf(text, phrases);
  let saved = 0;
  for (const [i, { start, end, cost }] of phrases.entries()) {
    const free = taken.free(places[i] ?? [], end - start);
    // An earlier, longer phrase may have taken most of its places.
    if (free.length * (cost - 1) <= cost + LEGEND_TOKENS) continue;
    legend.push(`${letters[legend.length] ?? ""}=${text.slice(start, end)}\n`);
    taken.take(free, end - start);
    saved += free.length * (cost - 1) - cost - LEGEND_TOKENS;
  }
  if (legend.length === 0 || !isWorthwhile(saved + pieces.tokens * MAX_BLURRED_SHARE)) return undefined;
  return { text: withMark("abbr", "", legend.join("") + taken.write(text, letters)) };
}

// Most texts hold no letter that could be one of ours. Those that do are gone through once for all of them.
function lettersNotIn(text: string): string[] {
  const first = text.search(ANY_LETTER);
  if (first < 0) return LETTERS;
  const taken = new Set<number>();
  for (let at = first; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= FIRST_LETTER && unit <= LAST_LETTER) taken.add(unit);
  }
  return LETTERS.filter((letter) => !taken.has(letter.charCodeAt(0)));
}

// Phrases are also found where the grammar cut the text differently: seldom more than twice as often as was counted.
function mostSaved(phrases: Phrase[]): number {
  let worth = 0;
  for (const phrase of phrases) worth += phrase.worth;
  return worth * 2.5;
}

// What reaches into a word or a number ends before it.
function withWholeWords(text: string, phrase: Phrase): Phrase {
  let { start, end } = phrase;
  while (end > start && isInsideWord(text, end)) end--;
  while (start < end && isInsideWord(text, start)) start++;
  const cut = phrase.end - phrase.start - (end - start);
  if (cut === 0) return phrase;
  const cost = phrase.cost - Math.ceil(cut / CHARS_PER_TOKEN);
  return { start, end, cost, worth: (phrase.worth * cost) / phrase.cost };
}

// The most worthy, then the longest first: a long phrase must be taken before the short ones inside it.
function choosePhrases(found: Phrase[], atMost: number): Phrase[] {
  return found
    .filter(({ start, end, cost }) => cost >= MIN_COST && end - start >= MIN_CHARS)
    .sort((left, right) => right.worth - left.worth)
    .slice(0, atMost)
    .sort((left, right) => right.end - right.start - (left.end - left.start));
}
