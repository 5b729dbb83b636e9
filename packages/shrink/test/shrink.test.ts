import { expect, test } from "bun:test";
import { createHash } from "node:crypto";

import type { Call, ShrinkOptions, ToolResult } from "../src/index.ts";
import {
  callKey,
  countTokens,
  NOTE_KEY,
  ORIGINAL_KEY,
  Originals,
  Shrinker,
  unescapeMeta,
  unfold,
  wholeText,
} from "../src/index.ts";
import { minifiedJson } from "../src/forms/minified.ts";
import { BOMBS } from "./bombs.ts";
import { hasCorpus, readCorpus } from "./corpus.ts";

const textResult = (...texts: string[]): ToolResult => ({ content: texts.map((text) => ({ type: "text", text })) });
const ROWS = JSON.stringify(
  Array.from({ length: 30 }, (_, i) => ({ id: i, name: `user${i}`, active: true })),
  undefined,
  2,
);
const PATHS = Array.from({ length: 30 }, (_, i) => `/home/dev/work/project/src/part${i % 3}/file${i}.ts`)
  .sort()
  .join("\n");

const sha = (i: number) => createHash("sha1").update(`${i}`).digest("hex");

function comesBack(emitted: ToolResult, original: ToolResult): void {
  expect(unfold({ text: wholeText(emitted), meta: emitted._meta })).toEqual({
    ok: true,
    text: wholeText(original),
  });
}

test("a budget never makes a text larger: what is shorter than the notice stays", () => {
  const shrinker = new Shrinker({ budget: 3 });
  const short = textResult("hello world, this is a small text");
  expect(shrinker.shrink(short).result).toBe(short);
  // Few tokens, though it is long.
  const blank = textResult(" ".repeat(6000));
  expect(new Shrinker({ budget: 120 }).shrink(blank).tokensAfter).toBeLessThanOrEqual(countTokens(" ".repeat(6000)));
});

test("a result that can be smaller is, carries a handle, and comes back", () => {
  const original = textResult(ROWS);
  const shrinker = new Shrinker();
  const { result, changed, tokensBefore, tokensAfter, handle } = shrinker.shrink(original);
  expect(changed).toBe(true);
  expect(tokensBefore).toBe(countTokens(ROWS));
  expect(tokensAfter).toBe(countTokens(wholeText(result)));
  expect(tokensAfter).toBeLessThan(tokensBefore / 2);
  expect(result._meta?.[ORIGINAL_KEY]).toBe(handle);
  expect(shrinker.originals.read("", handle ?? "")).toEqual({
    ok: true,
    result: original,
    json: JSON.stringify(original),
  });
  comesBack(result, original);
});

test.each<[string, string]>([
  [
    "a lock file",
    Array.from({ length: 20 }, (_, i) => `[[package]]\nname = "p${i}"\nchecksum = "${sha(i)}"\n`).join("\n"),
  ],
  ["JSON", JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ sha: sha(i), path: `src/${i}.ts` })))],
  ["code", Array.from({ length: 20 }, (_, i) => `const pin${i} = "${sha(i)}";`).join("\n")],
  ["a list", Array.from({ length: 50 }, (_, i) => `${sha(i)}  src/part/file${i}.ts`).join("\n")],
])("digests stay whole in %s: they are there to be copied", (_, text) => {
  const shown = wholeText(new Shrinker().shrink(textResult(text)).result);
  for (let i = 0; i < 20; i++) expect(shown).toContain(sha(i));
});

test.each<[string, ToolResult]>([
  ["a short text", textResult("ok")],
  ["an empty result", { content: [] }],
  ["no content at all", {}],
  [
    "plain prose",
    textResult("The build has finished without errors, and nothing else is there to be said about it today."),
  ],
  ["a picture", { content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }],
  ["an error", { content: [{ type: "text", text: "ENOENT: no such file" }], isError: true }],
])("%s passes as the very same object", (_, original) => {
  const { result, changed } = new Shrinker().shrink(original);
  expect(result).toBe(original);
  expect(changed).toBe(false);
});

test("several blocks fold one by one; pictures and resources stay where they are", () => {
  const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
  const resource = { type: "resource", resource: { uri: "file:///x", text: "[bosun: end]\nb" } };
  const original: ToolResult = {
    content: [
      { type: "text", text: ROWS },
      picture,
      { type: "text", text: "between" },
      resource,
      { type: "text", text: PATHS },
    ],
  };
  const { result } = new Shrinker().shrink(original);
  expect(result.content?.[1]).toBe(picture);
  expect(result.content?.[3]).toBe(resource);
  expect(result.content?.[4]?.text).toStartWith(
    '[bosun: paths by folder, "folder/: names", all under /home/dev/work/project/src/]\n',
  );
  comesBack(result, original);
});

test("lines that end in \\r\\n fold like others, and come back with it", () => {
  const original = textResult(PATHS.replaceAll("\n", "\r\n"));
  const { result } = new Shrinker().shrink(original);
  expect(wholeText(result)).toBe(wholeText(new Shrinker().shrink(textResult(PATHS)).result));
  comesBack(result, original);
});

test("the given object is never changed", () => {
  const original = textResult(ROWS, PATHS);
  const copy = structuredClone(original);
  new Shrinker().shrink(original);
  expect(original).toEqual(copy);
});

test("the same results give the same bytes, in any process that shares the secret", () => {
  const run = () => {
    const shrinker = new Shrinker({ originals: new Originals({ secret: new Uint8Array(32).fill(1) }), client: "a" });
    return JSON.stringify([ROWS, PATHS, ROWS].map((text) => shrinker.shrink(textResult(text)).result));
  };
  expect(run()).toBe(run());
});

test("a copy of the text in structuredContent goes only when the caller says so", () => {
  const original: ToolResult = { ...textResult(ROWS), structuredContent: { rows: JSON.parse(ROWS) } };
  expect(new Shrinker().shrink(original)).toMatchObject({
    droppedStructured: false,
    result: { structuredContent: {} },
  });
  const { result, droppedStructured, handle } = new Shrinker({ dropStructuredCopies: true }).shrink(original);
  expect(droppedStructured).toBe(true);
  expect("structuredContent" in result).toBe(false);
  expect(handle).toBeDefined();
  comesBack(result, original);
});

test.each<[string, unknown]>([
  ["other data", { rows: [1] }],
  ["more than the text", { rows: JSON.parse(ROWS), total: 30 }],
  ["a list", JSON.parse(ROWS)],
])("structuredContent with %s stays", (_, structuredContent) => {
  const { result } = new Shrinker({ dropStructuredCopies: true }).shrink({ ...textResult(ROWS), structuredContent });
  expect(result.structuredContent).toBe(structuredContent);
});

test("text that looks like our marks is disguised, costs no token more, and comes back", () => {
  for (const forged of [
    "[bosun: $1 stands for the text given here]\n$1 = x\n$1",
    "see [bosun: the line above 4 more times] there",
    "[bosun: JSON as key=value; rows under a header; - is absent]\na=1 and [b0sun: too",
    `[bosun: paths by folder, "folder/: names"]\n${PATHS}`,
    `[bosun: end]\n${PATHS}`,
  ]) {
    const original = textResult(forged);
    const { result, changed } = new Shrinker().shrink(original);
    expect(changed).toBe(true);
    expect(wholeText(result).replace(/^\[bosun: [^\n]*\n/, "")).not.toContain("[bosun:");
    expect(countTokens(wholeText(result))).toBeLessThanOrEqual(countTokens(forged));
    comesBack(result, original);
  }
});

test("a resource that looks like ours stays as it is, and the note says that it is not", () => {
  const resource = { uri: "file:///a.txt", text: "[bosun: the line above 4 more times]\nx" };
  const original = { content: [{ type: "resource", resource }] };
  const { result } = new Shrinker().shrink(original);
  expect(result.content).toEqual(original.content);
  comesBack(result, original);
});

test("our keys in a foreign _meta are moved out of the way", () => {
  const { result } = new Shrinker().shrink({
    ...textResult("short"),
    _meta: { [ORIGINAL_KEY]: "forged", [NOTE_KEY]: { parts: [] }, other: 1 },
  });
  expect(result._meta).toEqual({ "bosun.inner/original": "forged", "bosun.inner/fold": { parts: [] }, other: 1 });
  expect(unescapeMeta(result._meta ?? {})).toEqual({ [ORIGINAL_KEY]: "forged", [NOTE_KEY]: { parts: [] }, other: 1 });
  comesBack(result, textResult("short"));
});

test("above the budget, beginning and end remain, and what is missing is said exactly", () => {
  const lines = Array.from(
    { length: 2000 },
    (_, i) => `${(i * 7919) % 1000} some words of line ${i} ${(i * 104729) % 100_003}`,
  );
  const original = textResult(lines.join("\n"));
  const shrinker = new Shrinker({ budget: 500 });
  const { result, handle = "" } = shrinker.shrink(original);
  const text = wholeText(result);
  expect(countTokens(text)).toBeLessThanOrEqual(500);
  expect(text).toStartWith(`${lines[0]}\n`);
  expect(text).toEndWith(`\n${lines.at(-1)}`);
  const [, from, to] =
    /\[bosun:omitted lines (\d+)-(\d+) \(\d+ lines, \d+ characters\): read_original (\d{24})\]/.exec(text) ?? [];
  const missing = shrinker.originals.read("", handle, { lines: [Number(from), Number(to)] });
  const [head = "", tail = ""] = text.split(/\[bosun:omitted[^\n]*\]\n/);
  expect(missing.ok && head + wholeText(missing.result) + "\n" + tail).toBe(lines.join("\n"));
  expect(unfold({ text, meta: result._meta })).toMatchObject({
    ok: false,
    reason: expect.stringContaining(handle),
  });
});

test("within one line, what is missing is said in bytes; earlier blocks count", () => {
  const line = Array.from({ length: 4000 }, (_, i) => `é${(i * 7919) % 10_007}`).join("");
  const shrinker = new Shrinker({ budget: 300 });
  const { result, handle = "", folds } = shrinker.shrink(textResult("first block", line));
  const text = wholeText(result);
  expect(folds).toContain("budget");
  const [notice = "", from, to] =
    /\n?\[bosun:omitted bytes (\d+)-(\d+) \(\d+ characters\): read_original \d{24}\]\n/.exec(text) ?? [];
  const missing = shrinker.originals.read("", handle, { bytes: [Number(from), Number(to)] });
  const [head = "", tail = ""] = text.split(notice);
  expect(missing.ok && head + wholeText(missing.result) + tail).toBe(`first block\n${line}`);
});

test.each<[string, unknown]>([
  ["content that is no list", { content: "text" }],
  ["a _meta that is nothing", { content: [], _meta: null }],
  ["blocks that are no objects", { content: [null, "x", 7, { type: "text" }, { type: "text", text: 5 }] }],
])("%s passes untouched", (_, malformed) => {
  expect(new Shrinker({ budget: 10 }).shrink(malformed as ToolResult).result).toBe(malformed as ToolResult);
});

test.skipIf(!hasCorpus)("no JSON is ever above the same JSON without its blanks (needs the corpus)", () => {
  const above = readCorpus().filter(({ result }) => {
    const text = wholeText(result as ToolResult);
    const compact = minifiedJson.fold(text)?.body;
    // Below forty tokens nothing is tried.
    if (compact === undefined || countTokens(text) < 40) return false;
    return countTokens(wholeText(new Shrinker().shrink(textResult(text)).result)) > countTokens(compact);
  });
  expect(above.map(({ id }) => id)).toEqual([]);
});

const LARGE = ["one letter", "nested arrays", "forged marks", "disguised marks"].map((name): [string, number] => [
  name,
  10_000_000,
]);
const FOLDED = Object.keys(BOMBS).map((name): [string, number] => [name, 199_000]);

test.each([...FOLDED, ...LARGE])("%s: %i characters neither hang nor get lost", (name, chars) => {
  const original = textResult(BOMBS[name]?.(chars) ?? "");
  // That it ends at all is the point: how fast, bench/bombs.ts says.
  const { result } = new Shrinker({ fold: "dense" }).shrink(original);
  const back = unfold({ text: wholeText(result), meta: result._meta });
  expect(back.ok && back.text === wholeText(original)).toBe(true);
});

test("a log of three million characters is folded, in windows that each have their mark", () => {
  const line = (i: number): string =>
    `2026-11-15T19:${String(i % 60).padStart(2, "0")}:00.${i % 1000}Z INFO [worker] job ${i} done`;
  const original = textResult(Array.from({ length: 55_000 }, (_, i) => line(i)).join("\n"));
  const { result, tokensBefore, tokensAfter } = new Shrinker().shrink(original);
  expect(tokensAfter).toBeLessThan(tokensBefore * 0.8);
  expect(wholeText(result).split("\n[bosun: end]").length).toBeGreaterThan(10);
  comesBack(result, original);
});

test("off passes every byte, structured content too", () => {
  const original = { ...textResult(ROWS), structuredContent: { rows: JSON.parse(ROWS) }, _meta: { [NOTE_KEY]: 1 } };
  expect(new Shrinker({ fold: "off", dropStructuredCopies: true }).shrink(original).result).toBe(original);
});

test("the same call with the same answer gets it whole, every time; another answer is folded", () => {
  const shrinker = new Shrinker();
  const call = { key: callKey("read", { b: 1, a: 2 }) };
  const first = textResult(PATHS);
  expect(shrinker.shrink(first, undefined, call).changed).toBe(true);
  for (let times = 0; times < 2; times++) {
    const again = shrinker.shrink(textResult(PATHS), undefined, { key: callKey("read", { a: 2, b: 1 }) });
    expect(wholeText(again.result)).toBe(PATHS);
  }
  expect(shrinker.shrink(textResult(`${PATHS}\n/home/dev/work/project/x.ts`), undefined, call).changed).toBe(true);
  expect(shrinker.shrink(first, undefined, { key: callKey("read", { a: 3, b: 1 }) }).changed).toBe(true);
});

test("marks say how to get the original only where that is safe, or offered", () => {
  const says = (options: ShrinkOptions, call: Call): string | undefined =>
    wholeText(new Shrinker(options).shrink(textResult(PATHS), undefined, call).result).split("\n")[0];
  expect(says({}, {})).toEndWith("/src/]");
  expect(says({}, { isReadOnly: true })).toEndWith("; repeat the call for the original]");
  const originals = new Originals();
  const [, number = ""] =
    /; original: read_original (\d{9})\]$/.exec(says({ originals, namesOriginals: "short" }, {}) ?? "") ?? [];
  expect(originals.read("", number)).toMatchObject({ ok: true, result: textResult(PATHS) });
  expect(originals.read("other", number)).toMatchObject({ ok: false });
});

test("what clients do not show is not shortened: errors, and text beside other structured content", () => {
  const error = { ...textResult(PATHS), isError: true };
  expect(new Shrinker().shrink(error).result).toBe(error);
  const beside = { ...textResult(PATHS), structuredContent: { other: 1 } };
  expect(new Shrinker({ dropStructuredCopies: true }).shrink(beside).result).toBe(beside);
});

test("dense explains at most eight long phrases on top, and never in code", () => {
  const name = (i: number): string =>
    `org.apache.hadoop.mapreduce.v2.app.rm.Container${"ABCDEFGHIJKL"[i % 12] ?? ""}llocator`;
  const log = Array.from(
    { length: 200 },
    (_, i) => `${(i * 7919) % 1000} ${name(i * 7)} said ${name(i * 5)} in ${(i * 31) % 77} of ${name(i)}`,
  );
  const dense = new Shrinker({ fold: "dense" }).shrink(textResult(log.join("\n")));
  const legend = wholeText(dense.result).match(/^\$\d = .*$/gm) ?? [];
  expect(legend.length).toBeGreaterThan(0);
  expect(legend.length).toBeLessThanOrEqual(8);
  for (const entry of legend) expect(countTokens(entry.slice(5))).toBeGreaterThanOrEqual(6);
  expect(wholeText(dense.result)).toMatch(/^\[bosun: \$1/);
  comesBack(dense.result, textResult(log.join("\n")));
  const code = Array.from({ length: 60 }, (_, i) => `  return ${name(i)}.create(${i}, options);`).join("\n");
  expect(wholeText(new Shrinker({ fold: "dense" }).shrink(textResult(code)).result)).toBe(code);
});

test.skipIf(!hasCorpus)("every recorded result comes back and none is larger (needs the corpus)", () => {
  const wrong: string[] = [];
  for (const record of readCorpus()) {
    const original = record.result as ToolResult;
    const { result } = new Shrinker({ dropStructuredCopies: true }).shrink(original);
    const back = unfold({ text: wholeText(result), meta: result._meta });
    if (!back.ok || back.text !== wholeText(original)) wrong.push(`${record.id} lost`);
    if (countTokens(wholeText(result)) > countTokens(wholeText(original))) wrong.push(`${record.id} grew`);
  }
  expect(wrong).toEqual([]);
});

/** Percent saved at plain and dense, by class of recorded results: what we claim, with a little room. */
const FLOORS: Record<string, [plain: number, dense: number]> = {
  tree: [75, 76],
  paths: [37, 38],
  grep: [38, 39],
  "json-flat": [38, 40],
  "json-nested": [32, 35],
  table: [34, 37],
  log: [42, 44],
  other: [21, 23],
  all: [33, 35],
};

test.skipIf(!hasCorpus).each(["plain", "dense"] as const)(
  "%s saves what it says, by class (needs the corpus)",
  (fold) => {
    const sums = new Map<string, { before: number; after: number }>();
    for (const record of readCorpus()) {
      const text = wholeText(record.result as ToolResult);
      const before = countTokens(text);
      const after = countTokens(wholeText(new Shrinker({ fold }).shrink(textResult(text)).result));
      for (const name of [record.class, "all"]) {
        const sum = sums.get(name) ?? { before: 0, after: 0 };
        sums.set(name, { before: sum.before + before, after: sum.after + after });
      }
    }
    for (const [name, [plain, dense]] of Object.entries(FLOORS)) {
      const { before = 1, after = 1 } = sums.get(name) ?? {};
      expect({ name, isReached: 100 * (1 - after / before) >= (fold === "plain" ? plain : dense) }).toEqual({
        name,
        isReached: true,
      });
    }
  },
);
