// Parts of a text that are folded by themselves, such as JSON below a sentence or inside a fence. Each stands between
// its mark and [bosun:end]; everything around is untouched.
import type { RegionKind } from "./detect.ts";
import { detect } from "./detect.ts";
import type { Candidate, Layout } from "./fold-structure.ts";
import { foldStructure } from "./fold-structure.ts";
import { foldNamed } from "./folds/all.ts";
import { UnfoldError } from "./folds/fold.ts";
import { MARK_OPENING, readMark } from "./folds/mark.ts";
import { countTokens, PieceBuffer } from "./tokens/count.ts";

const END = `\n${MARK_OPENING}end]`;
/** What the two marks cost, with something to spare. */
const MIN_SAVED = 16;
const MIN_CHARS = 120;

/** What gains enough by itself to pay for two marks. Code is looked at for the JSON in fences. */
const FOLDED_KINDS = new Set<RegionKind>(["json", "code", "tree", "paths", "grep", "diff"]);

const buffer = new PieceBuffer();

export function foldRegions(text: string, tokensBefore: number, threshold: number): Candidate | undefined {
  const out: string[] = [];
  const layouts: Layout[] = [];
  const folds: string[] = [];
  let from = 0;
  for (const { kind, contentStart, contentEnd } of detect(text, threshold, true)) {
    if (!FOLDED_KINDS.has(kind) || contentEnd - contentStart < MIN_CHARS) continue;
    const start = contentStart + (/\S/.exec(text.slice(contentStart, contentEnd))?.index ?? 0);
    // A mark must stand at the start of a line to be seen.
    if (start !== 0 && text[start - 1] !== "\n") continue;
    const region = text.slice(start, contentEnd).trimEnd();
    if (kind === "code" && !/^[{[]/.test(region)) continue;
    const before = countTokens(region);
    const folded = foldStructure(region, before);
    if (folded === undefined || !folded.text.startsWith(MARK_OPENING) || before - folded.tokens < MIN_SAVED) continue;
    out.push(text.slice(from, start), folded.text, END);
    layouts.push(...folded.layouts);
    folds.push(...folded.folds);
    from = start + region.length;
  }
  if (folds.length === 0) return undefined;
  const whole = out.join("") + text.slice(from);
  const pieces = buffer.split(whole);
  const { tokens } = pieces;
  return tokens < tokensBefore ? { text: whole, layouts, tokens, folds, pieces } : undefined;
}

/** undefined: no part of this text was folded by itself. */
export function unfoldRegions(text: string, layouts: readonly Layout[]): string | undefined {
  if (!text.includes(END)) return undefined;
  const rest = [...layouts];
  const out: string[] = [];
  let at = 0;
  for (;;) {
    const found = text.startsWith(MARK_OPENING, at) ? at : text.indexOf(`\n${MARK_OPENING}`, at) + 1;
    if (found === 0 && !(at === 0 && text.startsWith(MARK_OPENING))) break;
    const end = text.indexOf(END, found);
    const region = text.slice(found, end);
    const fold = foldNamed(readMark(region)?.name ?? "");
    if (end < 0 || fold === undefined) throw new UnfoldError("a part has no end, or no fold of that name");
    const layout = rest[0]?.fold === fold.name ? rest.shift()?.layout : undefined;
    out.push(text.slice(at, found), fold.unfold(layout === undefined ? { text: region } : { text: region, layout }));
    at = end + END.length;
  }
  return out.join("") + text.slice(at);
}
