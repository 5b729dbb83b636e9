// Long phrases that come again and again, in dense results: at most eight, each explained on top.
//
//   [bosun: $1 $2 stand for the text given here]
//   $1 = org.apache.hadoop.mapreduce.v2.app.rm.RMContainerAllocator
import { countTokens, splitPieces } from "../tokens/count.ts";
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";

const MAX_ENTRIES = 8;
const MIN_TOKENS = 6;
const MIN_USES = 4;
const MAX_WORDS = 24;
const MAX_PHRASE_CHARS = 300;
const SAYS = "for the text given here";

export type Dictionary = { phrase: string; legend: string[]; body: string };

/** `isVerbatim`: lines that must stay, marks above all. undefined: nothing is worth an entry. */
export function withDictionary(text: string): Dictionary | undefined {
  if (/\$\d/.test(text) || text.includes("\r")) return undefined;
  const meanings: string[] = [];
  let lines = text.split("\n");
  while (meanings.length < MAX_ENTRIES) {
    const phrase = bestPhrase(lines);
    if (phrase === undefined) break;
    meanings.push(phrase);
    const name = `$${meanings.length}`;
    lines = lines.map((line) => (isOurs(line) ? line : replaced(line, phrase, name)));
  }
  if (meanings.length === 0) return undefined;
  const names = meanings.map((_, i) => `$${i + 1}`);
  const verb = names.length === 1 ? "stands" : "stand";
  return {
    phrase: `${names.join(" ")} ${verb} ${SAYS}`,
    legend: meanings.map((own, i) => `$${i + 1} = ${own}`),
    body: lines.join("\n"),
  };
}

/** The exact inverse: the text without its first line, which is the mark. */
export function withoutDictionary(text: string): string {
  const lines = text.split("\n");
  const meanings: string[] = [];
  while ((lines[meanings.length] ?? "").startsWith(`$${meanings.length + 1} = `) && meanings.length < MAX_ENTRIES)
    meanings.push((lines[meanings.length] ?? "").slice(5));
  let chars = 0;
  return lines
    .slice(meanings.length)
    .map((line) =>
      line.replace(/\$([1-8])/g, (name, digit: string) => {
        const meaning = meanings[Number(digit) - 1];
        chars += meaning?.length ?? 0;
        if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the phrases would unfold to too much");
        return meaning ?? name;
      }),
    )
    .join("\n");
}

function isOurs(line: string): boolean {
  return line.startsWith("[bosun");
}

// Whole words within a line: runs of words that come often enough, by what they save.
function bestPhrase(lines: readonly string[]): string | undefined {
  const uses = new Map<string, { count: number; cost: number }>();
  const starts: [line: string, at: number, words: number[]][] = [];
  for (const line of lines) {
    if (line.length < 12 || isOurs(line)) continue;
    const ends = wordEnds(line);
    starts.push([line, 0, ends]);
  }
  // Longer and longer runs, of those that came often enough one word shorter.
  let alive: Set<string> | undefined;
  for (let length = 1; length <= MAX_WORDS; length++) {
    const counts = new Map<string, number>();
    for (const [line, , ends] of starts) {
      for (let i = 0; i + length < ends.length; i++) {
        const from = ends[i] ?? 0;
        const to = ends[i + length] ?? 0;
        if (to - from > MAX_PHRASE_CHARS) break;
        if (alive !== undefined && !alive.has(line.slice(from, ends[i + length - 1] ?? 0))) continue;
        const phrase = line.slice(from, to);
        counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
      }
    }
    alive = new Set();
    for (const [phrase, count] of counts) {
      if (count < MIN_USES) continue;
      alive.add(phrase);
      const trimmed = phrase.trim();
      if (trimmed.length < 12 || trimmed.includes("$") || uses.has(trimmed)) continue;
      uses.set(trimmed, { count, cost: 0 });
    }
    if (alive.size === 0) break;
  }
  let best: { phrase: string; saved: number } | undefined;
  // Costs are counted only for those that could still be the best.
  for (const [phrase, { count }] of [...uses]
    .sort((a, b) => b[0].length * b[1].count - a[0].length * a[1].count)
    .slice(0, 60)) {
    const cost = countTokens(phrase);
    if (cost < MIN_TOKENS) continue;
    const saved = (cost - 2) * count - cost - 6;
    if (saved > (best?.saved ?? 0)) best = { phrase, saved };
  }
  return best?.phrase;
}

// Where words end: pieces of the tokenizer, joined so that no name is cut.
function wordEnds(line: string): number[] {
  const { count, ends } = splitPieces(line);
  const whole = [0];
  for (let i = 0; i < count; i++) {
    const end = ends[i] ?? 0;
    if (isBoundary(line, end)) whole.push(end);
  }
  return whole;
}

function isBoundary(line: string, at: number): boolean {
  // Between $ and its digit nothing begins.
  if (line[at - 1] === "$") return false;
  return at >= line.length || !/[\w]/.test(line[at - 1] ?? "") || !/[\w]/.test(line[at] ?? "");
}

function replaced(line: string, phrase: string, by: string): string {
  let out = "";
  let from = 0;
  for (let at = line.indexOf(phrase); at >= 0; at = line.indexOf(phrase, Math.max(from, at + 1))) {
    if (at < from || !isBoundary(line, at) || !isBoundary(line, at + phrase.length)) continue;
    // A digit behind it would be read as part of the name.
    if (/\d/.test(line[at + phrase.length] ?? "")) continue;
    out += line.slice(from, at) + by;
    from = at + phrase.length;
  }
  return out + line.slice(from);
}
