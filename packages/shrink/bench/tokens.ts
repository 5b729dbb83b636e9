// Tokens saved over the recorded results, by class, with two tokenizers. Every session starts with an empty memory;
// every result is unfolded again and compared; what grew in either tokenizer is named.
//
//   node scripts/bun.mjs packages/shrink/bench/tokens.ts [--fold plain|dense] [--show CLASS|ID|FOLD [N [CHARS]]]
import { createRequire } from "node:module";

import type { FoldLevel, ToolResult } from "../src/index.ts";
import { countTokens, Shrinker, unfold, wholeText } from "../src/index.ts";
import type { Recorded } from "../test/corpus.ts";
import { hasCorpus, readCorpus } from "../test/corpus.ts";

type Tally = {
  results: number;
  before: number;
  after: number;
  claudeBefore: number;
  claudeAfter: number;
  grew: number;
};
type Row = {
  record: Recorded;
  folds: string[];
  text: string;
  before: number;
  after: number;
  ms: number;
  chars: number;
};

const FILESYSTEM = new Set(
  "directory_tree list_directory list_directory_with_sizes search_files get_file_info read_text_file read_multiple_files list_allowed_directories".split(
    " ",
  ),
);
const claude = createRequire(import.meta.url)("@anthropic-ai/tokenizer").getTokenizer() as {
  encode(text: string, ...special: unknown[]): number[];
};
const claudeTokens = (text: string) => claude.encode(text.normalize("NFKC"), [], []).length;

const LEVEL: FoldLevel = process.argv.includes("dense") ? "dense" : "plain";

if (!hasCorpus) {
  console.log("no corpus here: set BOSUN_SHARED to the folder that holds corpus/");
} else {
  report(measure(readCorpus()));
}

function measure(records: Recorded[]): Row[] {
  const sessions = new Map<string, Recorded[]>();
  for (const record of records) sessions.set(record.session, [...(sessions.get(record.session) ?? []), record]);
  return [...sessions.values()].flatMap((session) => {
    const shrinker = new Shrinker({ dropStructuredCopies: true, fold: LEVEL });
    return session.map((record) => {
      const start = performance.now();
      const shrunk = shrinker.shrink(record.result as ToolResult);
      const ms = performance.now() - start;
      const original = wholeText(record.result as ToolResult);
      const text = wholeText(shrunk.result);
      const back = unfold({ text, meta: shrunk.result._meta });
      if (!back.ok || back.text !== original)
        throw new Error(`${record.id} does not come back: ${back.ok ? "another text" : back.reason}`);
      return {
        record,
        folds: shrunk.folds,
        text,
        before: countTokens(original),
        after: countTokens(text),
        ms,
        chars: original.length,
      };
    });
  });
}

function report(rows: Row[]): void {
  const tallies = new Map<string, Tally>();
  for (const row of rows) {
    const { record, text, before, after } = row;
    const original = wholeText(record.result as ToolResult);
    const claudeBefore = claudeTokens(original);
    const claudeAfter = text === original ? claudeBefore : claudeTokens(text);
    if (after > before || claudeAfter > claudeBefore)
      console.log(`GREW ${record.id}: ${before} → ${after}, ${claudeBefore} → ${claudeAfter} (${row.folds.join("+")})`);
    const names = [
      record.class,
      `${record.class} · ${record.source}`,
      "all",
      ...(FILESYSTEM.has(record.tool) ? ["~ filesystem mix", `~ ${record.tool}`] : []),
    ];
    for (const name of names) {
      const tally = tallies.get(name) ?? { results: 0, before: 0, after: 0, claudeBefore: 0, claudeAfter: 0, grew: 0 };
      tally.results++;
      tally.before += before;
      tally.after += after;
      tally.claudeBefore += claudeBefore;
      tally.claudeAfter += claudeAfter;
      if (after > before || claudeAfter > claudeBefore) tally.grew++;
      tallies.set(name, tally);
    }
  }
  console.log(`${"class".padEnd(34)} results    tokens    saved  (claude)  grew`);
  for (const [name, tally] of [...tallies].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const saved = percent(tally.before - tally.after, tally.before);
    const second = percent(tally.claudeBefore - tally.claudeAfter, tally.claudeBefore);
    console.log(
      `${name.padEnd(34)} ${String(tally.results).padStart(7)} ${String(tally.before).padStart(9)} ${saved.padStart(8)} ${second.padStart(9)} ${String(tally.grew).padStart(5)}`,
    );
  }
  reportFolds(rows);
  reportTimes(rows);
  show(rows);
}

function reportFolds(rows: Row[]): void {
  const folds = new Map<string, { results: number; before: number; saved: number }>();
  for (const { folds: names, before, after } of rows) {
    const name = names.join("+") || "(untouched)";
    const sum = folds.get(name) ?? { results: 0, before: 0, saved: 0 };
    folds.set(name, { results: sum.results + 1, before: sum.before + before, saved: sum.saved + before - after });
  }
  console.log("");
  for (const [name, { results, before, saved }] of [...folds].sort((a, b) => b[1].saved - a[1].saved)) {
    console.log(
      `${name.padEnd(34)} ${String(results).padStart(7)} ${String(before).padStart(9)} ${percent(saved, before).padStart(8)}`,
    );
  }
}

function reportTimes(rows: Row[]): void {
  console.log("");
  for (const [name, from, to] of [
    ["≤ 2 KB", 0, 2000],
    ["≤ 10 KB", 2000, 10_000],
    ["≤ 100 KB", 10_000, 100_000],
  ] as const) {
    const times = rows.flatMap(({ chars, ms }) => (chars > from && chars <= to ? [ms] : [])).sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
    console.log(`${name.padEnd(34)} ${String(times.length).padStart(7)}   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`);
  }
}

function show(rows: Row[]): void {
  const at = process.argv.indexOf("--show");
  if (at < 0) return;
  const [wanted = "", count = "10", chars = "600"] = process.argv.slice(at + 1);
  const chosen = rows.filter(
    ({ record, folds }) => record.class === wanted || record.id.includes(wanted) || folds.join("+") === wanted,
  );
  for (const { record, before, after, folds, text } of chosen
    .sort((a, b) => b.after - a.after)
    .slice(0, Number(count))) {
    console.log(
      `\n### ${record.id}: ${before} → ${after} (${percent(before - after, before)}) ${folds.join("+")}\n${text.slice(0, Number(chars))}`,
    );
  }
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
}
