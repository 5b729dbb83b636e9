// Tokens of tool results, before and after: live results of the official filesystem server over this repository, and
// recorded results by class where a corpus is at hand (BOSUN_SHARED). Every result is unfolded again and compared.
import { createRequire } from "node:module";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import { countTokens, Shrinker, unfold, wholeText } from "@bosun/shrink";
import type { ToolResult } from "@bosun/shrink";
import { hasCorpus, readCorpus } from "../../packages/shrink/test/corpus.ts";
import type { Row, Section } from "../report.ts";

const root = path.resolve(import.meta.dir, "../..");
const filesystem = path.join(root, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
// Made once: its own countTokens builds the vocabulary anew for every text.
const claude = (
  createRequire(import.meta.url)("@anthropic-ai/tokenizer") as {
    getTokenizer(): { encode(text: string, ...special: unknown[]): number[] };
  }
).getTokenizer();
const claudeTokens = (text: string): number => claude.encode(text.normalize("NFKC"), [], []).length;

/** Of class paths those that are lists of paths and nothing else: the class also has digests, sizes and commits. */
const PLAIN_PATHS = "paths, every line one";
const PATH_LINE = /^[^\s:"<>|]*[/.][^\s:"<>|]*$/;

/** Percent of tokens saved that the design asks for, by class. */
const TARGETS: { [name: string]: number } = {
  tree: 76,
  paths: 38,
  grep: 32,
  "json-flat": 35,
  "json-nested": 30,
  table: 33,
  log: 30,
  live: 45,
};

type Tally = { o200k: [number, number]; claude: [number, number]; grew: number; results: number };

export const tokens: Section = {
  name: "tokens",
  about: "tokens saved without losing a byte, size-weighted, by class of result",
  async run(progress) {
    const tallies = new Map<string, Tally>();
    progress("live results of the official filesystem server");
    weigh(tallies, "live", [await liveResults()]);
    if (hasCorpus) {
      progress("recorded results");
      for (const session of sessions()) for (const [name, results] of session) weigh(tallies, name, [results]);
    }
    return [...tallies].flatMap(([name, tally]) => rowsOf(name, tally));
  },
};

async function liveResults(): Promise<ToolResult[]> {
  const folder = path.join(root, "packages");
  const client = await connectChild({ command: "node", args: [filesystem, folder] }, { name: "bench", version: "1" });
  const calls: [string, object][] = [
    ["directory_tree", { path: folder, excludePatterns: ["node_modules"] }],
    ["search_files", { path: folder, pattern: "**/*.test.ts" }],
    ["list_directory", { path: path.join(folder, "mcp/src/server") }],
    ["list_directory_with_sizes", { path: path.join(folder, "engine/src/search") }],
    ["read_text_file", { path: path.join(folder, "mcp/package.json") }],
    ["get_file_info", { path: path.join(folder, "mcp/package.json") }],
  ];
  const results: ToolResult[] = [];
  for (const [name, args] of calls) results.push((await client.callTool(name, { ...args })) as ToolResult);
  await client.close();
  return results;
}

/** The recorded results of each session, by class. */
function sessions(): Map<string, ToolResult[]>[] {
  const bySession = new Map<string, Map<string, ToolResult[]>>();
  for (const record of readCorpus()) {
    const classes = bySession.get(record.session) ?? new Map<string, ToolResult[]>();
    bySession.set(record.session, classes);
    const result = record.result as ToolResult;
    const names = record.class === "paths" && isPlainPaths(result) ? [record.class, PLAIN_PATHS] : [record.class];
    for (const name of names) classes.set(name, [...(classes.get(name) ?? []), result]);
  }
  return [...bySession.values()];
}

function isPlainPaths(result: ToolResult): boolean {
  const lines = wholeText(result)
    .split("\n")
    .filter((line) => line !== "");
  return lines.length > 0 && lines.every((line) => PATH_LINE.test(line));
}

function weigh(tallies: Map<string, Tally>, name: string, sets: ToolResult[][]): void {
  const tally = tallies.get(name) ?? { o200k: [0, 0], claude: [0, 0], grew: 0, results: 0 };
  tallies.set(name, tally);
  for (const results of sets) {
    const shrinker = new Shrinker({ dropStructuredCopies: true });
    for (const result of results) {
      const shrunk = shrinker.shrink(result).result;
      const [before, after] = [wholeText(result), wholeText(shrunk)];
      const back = unfold({ text: after, meta: shrunk._meta });
      if (!back.ok || back.text !== before) throw new Error(`a result of class ${name} did not come back`);
      add(tally.o200k, countTokens(before), countTokens(after));
      add(tally.claude, claudeTokens(before), claudeTokens(after));
      tally.results++;
      if (countTokens(after) > countTokens(before)) tally.grew++;
    }
  }
}

function add(sum: [number, number], before: number, after: number): void {
  sum[0] += before;
  sum[1] += after;
}

function rowsOf(name: string, { o200k, claude: second, grew, results }: Tally): Row[] {
  const saved = ([before, after]: [number, number]): number => (before === 0 ? 0 : (1 - after / before) * 100);
  const goal = TARGETS[name];
  const target = goal === undefined ? undefined : { text: `≥ ${goal} %`, reached: saved(o200k) >= goal && grew === 0 };
  return [
    {
      what: `${name}, ${results} results, ${o200k[0].toLocaleString("en-US")} tokens, ${grew} grew`,
      unit: "% saved",
      ours: saved(o200k),
      theirs: { "old Claude vocabulary": saved(second) },
      ...(target ? { target } : {}),
    },
  ];
}
