// Parts of a text that are folded by themselves, such as JSON below a sentence or inside a fence. Each stands between
// its mark and [bosun: end]; everything around is untouched.
import type { Region, RegionKind } from "./detect.ts";
import { detect } from "./detect.ts";
import type { FoldedPart } from "./fold-note.ts";
import type { Draft } from "./fold-stretch.ts";
import { foldStretch } from "./fold-stretch.ts";
import type { WayBack } from "./forms/marks.ts";
import { END_MARK, MARK_OPENING } from "./forms/marks.ts";
import { countTokens } from "./tokens/count.ts";

/** By itself and with both marks, a part saves as much as a whole text must. */
const MIN_SAVED = 24;
const MIN_SHARE = 0.1;
const MIN_CHARS = 120;

/** What gains enough by itself to pay for two marks. Code is looked at for the JSON in fences. */
const FOLDED_KINDS = new Set<RegionKind>(["json", "code", "tree", "paths", "grep"]);

const NUMBERED = /^ *\d{1,9}[\t|→]/;
const MAX_PREFIX_CHARS = 24;
const MIN_NUMBERED_LINES = 12;

export function foldRegions(text: string, threshold: number, wayBack: WayBack): Draft | undefined {
  const out: string[] = [];
  const parts: FoldedPart[] = [];
  const folds: string[] = [];
  let from = 0;
  let length = 0;
  const numbered = numberedStretches(text);
  for (const { kind, contentStart, contentEnd } of numbered ?? detect(text, threshold, true)) {
    if (!FOLDED_KINDS.has(kind) || contentEnd - contentStart < MIN_CHARS) continue;
    // The blanks before a line number belong to it.
    const blanks = numbered === undefined ? (/\S/.exec(text.slice(contentStart, contentEnd))?.index ?? 0) : 0;
    const start = contentStart + blanks;
    // A mark must stand at the start of a line to be seen.
    if (start !== 0 && text[start - 1] !== "\n") continue;
    const region = text.slice(start, contentEnd).trimEnd();
    // What follows must stand on a line of its own.
    if (text[start + region.length] !== "\n" && start + region.length !== text.length) continue;
    if (kind === "code" && !/^[{[]|^ *\d+[\t|:→-]/.test(region)) continue;
    const before = countTokens(region);
    const folded = foldStretch(region, parts.length === 0 ? wayBack : undefined);
    if (folded === undefined || !folded.text.startsWith(MARK_OPENING)) continue;
    if (before - countTokens(folded.text) < Math.max(MIN_SAVED, before * MIN_SHARE)) continue;
    const verbatim = text.slice(from, start);
    const [part] = folded.notes.parts as [FoldedPart];
    parts.push({ ...part, at: length + verbatim.length, ended: true });
    out.push(verbatim, folded.text, `\n${END_MARK}`);
    length += verbatim.length + folded.text.length + END_MARK.length + 1;
    folds.push(...folded.folds);
    from = start + region.length;
  }
  return parts.length === 0 ? undefined : { text: out.join("") + text.slice(from), notes: { parts }, folds };
}

type Stretch = Pick<Region, "kind" | "contentStart" | "contentEnd">;

// Numbered code with something said before or after it. undefined: there is none.
function numberedStretches(text: string): Stretch[] | undefined {
  const found: Stretch[] = [];
  let start = 0;
  let lines = 0;
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const isNumbered = end > at && NUMBERED.test(text.slice(at, Math.min(end, at + MAX_PREFIX_CHARS)));
    if (isNumbered && lines++ === 0) start = at;
    if ((!isNumbered || newline < 0) && lines > 0) {
      if (lines >= MIN_NUMBERED_LINES)
        found.push({ kind: "code", contentStart: start, contentEnd: isNumbered ? end : at });
      lines = 0;
    }
    at = end + 1;
  }
  return found.length === 0 ? undefined : found;
}
