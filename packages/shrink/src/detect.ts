// Text → regions with a kind and how sure we are of it. Only the text decides, never the tool's name.
// Fenced blocks are cut out first; what stands between them is judged whole, then paragraph by paragraph.
import { parseJson } from "./json-parse.ts";
import { paragraphKind } from "./paragraph-kind.ts";

export type RegionKind =
  | "code"
  | "tree"
  | "json"
  | "yaml"
  | "toml"
  | "csv"
  | "diff"
  | "grep"
  | "paths"
  | "table"
  | "log"
  | "stack-trace"
  | "test-report"
  | "ls-long"
  | "ps"
  | "html"
  | "base64"
  | "text";

export type Region = {
  kind: RegionKind;
  /** From 0 to 1; 0 for plain text, which nobody detects. */
  confidence: number;
  start: number;
  end: number;
  /** The part without fences, or without the line that names the file. */
  contentStart: number;
  contentEnd: number;
  lang?: string;
  path?: string;
};

export type Judgement = { kind: RegionKind; confidence: number; lang?: string; path?: string; skipLines?: number };

export const DEFAULT_THRESHOLD = 0.7;
/** Above this only the beginning is looked at: a longer text does not change its nature. */
const MAX_JUDGED_CHARS = 400_000;
const FENCE = /^([ ]{0,3})(`{3,}|~{3,})[ \t]*([^\n`]*)$/;

/**
 * Regions in order, without gaps. What stays below the threshold is plain text. `foldedOnly`: so may be paragraphs of
 * kinds that are never folded by themselves, which are most of the questions.
 */
export function detect(text: string, threshold: number = DEFAULT_THRESHOLD, foldedOnly = false): Region[] {
  const regions: Region[] = [];
  let plainFrom = 0;
  for (const fenced of fencedBlocks(text)) {
    regions.push(...judgeStretch(text, plainFrom, fenced.start, foldedOnly), fenced);
    plainFrom = fenced.end;
  }
  regions.push(...judgeStretch(text, plainFrom, text.length, foldedOnly));
  return mergePlain(regions.map((region) => (region.confidence < threshold ? asPlain(region) : region)));
}

/** What most of a text is: the class under which its savings are counted. */
export function kindOf(text: string, threshold: number = DEFAULT_THRESHOLD): RegionKind {
  const chars = new Map<RegionKind, number>();
  for (const { kind, start, end } of detect(text, threshold)) chars.set(kind, (chars.get(kind) ?? 0) + end - start);
  return [...chars].sort((left, right) => right[1] - left[1])[0]?.[0] ?? "text";
}

function asPlain({ start, end }: Region): Region {
  return { kind: "text", confidence: 0, start, end, contentStart: start, contentEnd: end };
}

function mergePlain(regions: Region[]): Region[] {
  const merged: Region[] = [];
  for (const region of regions) {
    const last = merged.at(-1);
    if (last?.kind === "text" && region.kind === "text")
      merged[merged.length - 1] = asPlain({ ...last, end: region.end });
    else if (region.end > region.start) merged.push(region);
  }
  return merged;
}

function* fencedBlocks(text: string): Generator<Region> {
  if (!text.includes("```") && !text.includes("~~~")) return;
  let open: { start: number; contentStart: number; fence: string; lang: string } | undefined;
  for (let at = 0; at < text.length;) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found + 1;
    const match = end - at < 200 ? FENCE.exec(text.slice(at, found < 0 ? end : found)) : null;
    if (match !== null) {
      const [, , fence = "", info = ""] = match;
      if (open === undefined) open = { start: at, contentStart: end, fence, lang: info.trim().split(/\s+/)[0] ?? "" };
      else if (fence.startsWith(open.fence) && info.trim() === "") {
        const { start, contentStart, lang } = open;
        const region = { kind: "code" as const, start, end, contentStart, contentEnd: at };
        yield lang === "" ? { ...region, confidence: 0.7 } : { ...region, confidence: 0.95, lang };
        open = undefined;
      }
    }
    at = end;
  }
}

function judgeStretch(text: string, start: number, end: number, foldedOnly: boolean): Region[] {
  if (start >= end) return [];
  const stretch = text.slice(start, Math.min(end, start + MAX_JUDGED_CHARS));
  const cut = jsonAfterText(text, start, end);
  if (cut !== undefined) {
    return [...judgeStretch(text, start, cut, foldedOnly), regionOf(text, { kind: "json", confidence: 0.9 }, cut, end)];
  }
  const whole = judge(stretch, end - start === stretch.length);
  if (whole.kind !== "text") return [regionOf(text, whole, start, end)];
  return judgeParagraphs(text, start, end, foldedOnly);
}

function judge(stretch: string, complete: boolean, foldedOnly = false): Judgement {
  const first = /\S/.exec(stretch)?.[0];
  if (complete && (first === "{" || first === "[") && isJson(stretch)) return { kind: "json", confidence: 0.9 };
  return paragraphKind(stretch, foldedOnly);
}

function isJson(text: string): boolean {
  if (parseJson(text) !== undefined) return true;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => parseJson(line) !== undefined);
}

// An answer often says something first and then gives the JSON: it starts a line and reaches to the end.
function jsonAfterText(text: string, start: number, end: number): number | undefined {
  if (/^\s*[{[]/.test(text.slice(start, start + 100))) return undefined;
  const opening = /\n(?=[{[])/g;
  opening.lastIndex = start;
  for (let tries = 0; tries < 3; tries++) {
    const found = opening.exec(text);
    if (found === null || found.index + 1 >= end) return undefined;
    if (parseJson(text.slice(found.index + 1, end)) !== undefined) return found.index + 1;
  }
  return undefined;
}

function judgeParagraphs(text: string, start: number, end: number, foldedOnly: boolean): Region[] {
  const regions: Region[] = [];
  for (let at = start; at < end;) {
    const gap = text.indexOf("\n\n", at);
    let next = gap < 0 || gap + 2 > end ? end : gap + 2;
    while (next < end && text[next] === "\n") next++;
    const paragraph = text.slice(at, Math.min(next, at + MAX_JUDGED_CHARS));
    const region = regionOf(
      text,
      at === start && next === end ? { kind: "text", confidence: 0 } : judge(paragraph, true, foldedOnly),
      at,
      next,
    );
    const last = regions.at(-1);
    const joins =
      last !== undefined && last.kind === region.kind && last.path === undefined && region.path === undefined;
    if (joins && last.kind !== "json")
      Object.assign(last, { end: next, contentEnd: next, confidence: Math.min(last.confidence, region.confidence) });
    else regions.push(region);
    at = next;
  }
  return regions;
}

function regionOf(text: string, { skipLines = 0, ...judged }: Judgement, start: number, end: number): Region {
  let contentStart = start;
  for (let i = 0; i < skipLines; i++) contentStart = text.indexOf("\n", contentStart) + 1;
  return { ...judged, start, end, contentStart, contentEnd: end };
}
