// Lines that say the same with other values: each pattern once, and below it what differs.
//
//   [bosun: "A 5 x" is pattern A with {1}=5 {2}=x]
//   A = [{1}] 1408 bytes from 151.101.189.67: icmp_seq={2} ttl=59 time={3} ms
//   PING turner.fastly.net (151.101.189.67) 1400(1428) bytes of data.
//   A 1594978465.914536 1 31.4
import { countTokens } from "../tokens/count.ts";
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Folded, Form } from "./form.ts";
import { clusterRows } from "./line-clusters.ts";
import { fill, holdsSlot, patternOf, slotsOf, writePattern } from "./line-pattern-text.ts";
import type { Pattern, Patterned, Row } from "./line-pattern-text.ts";
import type { LineShape } from "./line-shape.ts";
import { shapeOf } from "./line-shape.ts";
import { joinRows } from "./pattern-blocks.ts";

const SEVERAL = '"A 5 x" is pattern A with {1}=5 {2}=x';
const BREAKS = "; ⏎ is a line break";
const SINGLE = /^each line gives the values ((?:\{[\d…]+\} ?)+) of: (.*)$/;
const MIN_LINES = 4;
const MIN_ROWS = 3;
const MAX_PATTERNS = 20;
/** About what a pattern costs beside its text. */
const PATTERN_TOKENS = 6;
/** Words at the beginning of lines by which they share a pattern whose end is open. */
const HEAD_WORDS = 4;

export const linePatterns: Form = {
  name: "patterns",
  fold(text) {
    const lines = text.split("\n");
    if (lines.length < MIN_LINES || holdsSlot(text) || text.includes("⏎") || text.includes("\r")) return undefined;
    const rows: Row[] = lines.map((line) => ({ line }));
    const patterns: Pattern[] = [];
    const left = addPatterns(
      lines,
      lines.map((_, i) => i),
      rows,
      patterns,
    );
    addOpenPatterns(lines, left, rows, patterns);
    if (patterns.length === 0) return undefined;
    return print(joinRows(worthwhile({ rows, patterns }, lines)));
  },
  unfold({ phrase, body }) {
    const [, values, single] = SINGLE.exec(phrase) ?? [];
    let chars = 0;
    const add = (line: string): string => {
      chars += line.length + 1;
      if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the patterns would unfold to too much");
      return line;
    };
    if (values !== undefined && single !== undefined) {
      return body
        .split("\n")
        .map((row) => add(fill(single, row)))
        .join("\n");
    }
    const lines = body.split("\n");
    const patterns: string[] = [];
    while (
      (lines[patterns.length] ?? "").startsWith(`${letterOf(patterns.length)} = `) &&
      patterns.length < MAX_PATTERNS
    )
      patterns.push((lines[patterns.length] ?? "").slice(4));
    return lines
      .slice(patterns.length)
      .map((line) => {
        const pattern = /^[A-T](?: |$)/.test(line) ? patterns[line.charCodeAt(0) - 65] : undefined;
        return add(pattern === undefined ? line : fill(pattern, line.slice(2)).replaceAll("⏎", "\n"));
      })
      .join("\n");
  },
};

// By shape. Gives the lines that no pattern took.
function addPatterns(lines: readonly string[], which: readonly number[], rows: Row[], patterns: Pattern[]): number[] {
  const groups = new Map<string, { at: number; shape: LineShape }[]>();
  const left: number[] = [];
  for (const at of which) {
    const shape = shapeOf(lines[at] ?? "");
    if (shape === undefined || shape.words.length === 0) left.push(at);
    else {
      const group = groups.get(shape.key);
      if (group === undefined) groups.set(shape.key, [{ at, shape }]);
      else group.push({ at, shape });
    }
  }
  for (const group of groups.values()) {
    if (group.length < MIN_ROWS) {
      left.push(...group.map(({ at }) => at));
      continue;
    }
    for (const { rows: inside, isOpen } of clusterRows(
      group.map(({ shape }) => shape.words),
      PATTERN_TOKENS,
    )) {
      const own = inside.map((i) => group[i] as (typeof group)[number]);
      if (own.length < MIN_ROWS) {
        left.push(...own.map(({ at }) => at));
        continue;
      }
      const { pattern, values } = patternOf(
        own.map(({ shape }) => shape),
        isOpen,
      );
      const number = patterns.push({ text: writePattern(pattern) }) - 1;
      const cost = saved(
        own.map(({ at }) => lines[at] ?? ""),
        values,
        patterns[number]?.text ?? "",
      );
      if (cost <= 0) {
        patterns.pop();
        left.push(...own.map(({ at }) => at));
      } else own.forEach(({ at }, i) => (rows[at] = { pattern: number, values: values[i] ?? [] }));
    }
  }
  return left.sort((a, b) => a - b);
}

// Lines that begin alike and end anyhow.
function addOpenPatterns(lines: readonly string[], which: readonly number[], rows: Row[], patterns: Pattern[]): void {
  const groups = new Map<string, { at: number; shape: LineShape; rest: string }[]>();
  for (const at of which) {
    const line = lines[at] ?? "";
    const shape = shapeOf(line);
    if (shape === undefined || shape.words.length <= HEAD_WORDS) continue;
    const words = shape.words.slice(0, HEAD_WORDS);
    const gaps = shape.gaps.slice(0, HEAD_WORDS + 1);
    const rest = line.slice(
      words.reduce((sum, word, i) => sum + word.length + (gaps[i] ?? "").length, 0) + (gaps[HEAD_WORDS] ?? "").length,
    );
    if (rest === "") continue;
    const key = `${gaps.join("\u0000")}\u0001${words.map((word) => (/\d/.test(word) ? "" : word)).join("\u0000")}`;
    const group = groups.get(key);
    const entry = { at, shape: { words, gaps, key }, rest };
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  for (const group of groups.values()) {
    if (group.length < MIN_ROWS) continue;
    const [first] = group;
    const isOpen = (first?.shape.words ?? []).map((word, i) => group.some(({ shape }) => shape.words[i] !== word));
    const { pattern, values } = patternOf(
      group.map(({ shape }) => shape),
      isOpen,
    );
    const literals = [...pattern.literals, ""];
    const text = writePattern({ literals, slots: pattern.slots + 1 }, true);
    const all = values.map((row, i) => [...row, group[i]?.rest ?? ""]);
    if (
      saved(
        group.map(({ at }) => lines[at] ?? ""),
        all,
        text,
      ) <= 0
    )
      continue;
    const number = patterns.push({ text }) - 1;
    group.forEach(({ at }, i) => (rows[at] = { pattern: number, values: all[i] ?? [] }));
  }
}

function saved(lines: readonly string[], values: readonly string[][], pattern: string): number {
  return (
    countTokens(lines.join("\n")) -
    countTokens(values.map((row) => ["A", ...row].join(" ")).join("\n")) -
    countTokens(`\nA = ${pattern}`)
  );
}

// The patterns that save most, as many as there are letters; lines of all others stand as they are.
function worthwhile({ rows, patterns }: Patterned, lines: readonly string[]): Patterned {
  if (patterns.length <= MAX_PATTERNS * 3) return { rows, patterns };
  const chars = patterns.map(() => 0);
  rows.forEach((row, i) => {
    if ("pattern" in row)
      chars[row.pattern] = (chars[row.pattern] ?? 0) + (lines[i] ?? "").length - row.values.join(" ").length;
  });
  const best = new Set([...chars.keys()].sort((a, b) => (chars[b] ?? 0) - (chars[a] ?? 0)).slice(0, MAX_PATTERNS * 3));
  return {
    patterns,
    rows: rows.map((row, i) => ("pattern" in row && !best.has(row.pattern) ? { line: lines[i] ?? "" } : row)),
  };
}

// Letters are given in the order of first use.
function print({ rows, patterns }: Patterned): Folded | undefined {
  const kept = mostSaving(rows, patterns);
  const letters = new Map<number, string>();
  const out: string[] = [];
  for (const row of rows) {
    if ("line" in row) {
      out.push(row.line);
      continue;
    }
    const pattern = patterns[row.pattern]?.text ?? "";
    if (!kept.has(row.pattern)) {
      out.push(fill(pattern, row.values.join(" ")).replaceAll("⏎", "\n"));
      continue;
    }
    let letter = letters.get(row.pattern);
    if (letter === undefined) letters.set(row.pattern, (letter = letterOf(letters.size)));
    out.push([letter, ...row.values].join(" "));
  }
  if (letters.size === 0) return undefined;
  const [[only = -1] = []] = letters;
  if (letters.size === 1 && rows.every((row) => "pattern" in row && row.pattern === only)) {
    const text = patterns[only]?.text ?? "";
    const slots = slotsOf(text);
    if (slots.length > 0 && !text.includes("⏎") && !text.includes("]"))
      return {
        phrase: `each line gives the values ${slots.join(" ")} of: ${text}`,
        body: out.map((row) => row.slice(2)).join("\n"),
      };
  }
  const known = [...letters].map(([number, letter]) => `${letter} = ${patterns[number]?.text ?? ""}`);
  const hasBreaks = known.some((line) => line.includes("⏎"));
  // A line that stands as it is must not look like a row, or like one more pattern.
  const last = letterOf(letters.size - 1);
  const misleads = rows.some(
    (row) =>
      !("pattern" in row && kept.has(row.pattern)) && asIs(row, patterns).some((line) => looksLikeRow(line, last)),
  );
  const next = out[0] ?? "";
  if (misleads || next.startsWith(`${letterOf(letters.size)} = `)) return undefined;
  return { phrase: hasBreaks ? SEVERAL + BREAKS : SEVERAL, body: [...known, ...out].join("\n") };
}

function asIs(row: Row, patterns: readonly Pattern[]): string[] {
  if ("line" in row) return [row.line];
  return fill(patterns[row.pattern]?.text ?? "", row.values.join(" ")).split("⏎");
}

function looksLikeRow(line: string, last: string): boolean {
  const [letter = ""] = line;
  return letter >= "A" && letter <= last && (line.length === 1 || line[1] === " ");
}

function mostSaving(rows: readonly Row[], patterns: readonly Pattern[]): Set<number> {
  const tokens = new Map<number, { before: string[]; after: string[] }>();
  for (const row of rows) {
    if ("line" in row) continue;
    const own = tokens.get(row.pattern) ?? { before: [], after: [] };
    tokens.set(row.pattern, own);
    own.before.push(fill(patterns[row.pattern]?.text ?? "", row.values.join(" ")).replaceAll("⏎", "\n"));
    own.after.push(["A", ...row.values].join(" "));
  }
  const gains = [...tokens].map(([number, { before, after }]): [number, number] => [
    number,
    countTokens(before.join("\n")) -
      countTokens(after.join("\n")) -
      countTokens(`\nA = ${patterns[number]?.text ?? ""}`),
  ]);
  const best = gains.filter(([, gain]) => gain > 0).sort((a, b) => b[1] - a[1]);
  return new Set(best.slice(0, MAX_PATTERNS).map(([number]) => number));
}

function letterOf(number: number): string {
  return String.fromCharCode(65 + number);
}
