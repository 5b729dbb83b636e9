import { expect, test } from "bun:test";
import { createHash } from "node:crypto";

import type { ToolResult } from "../src/index.ts";
import {
  countTokens,
  NOTE_KEY,
  ORIGINAL_KEY,
  Originals,
  Shrinker,
  unescapeMeta,
  Unfolder,
  wholeText,
} from "../src/index.ts";
import { compactJson } from "../src/folds/json.ts";
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
  expect(new Unfolder().unfold({ text: wholeText(emitted), meta: emitted._meta })).toEqual({
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

test("digests that were shortened can be had from the original, and the text says where", () => {
  const lines = Array.from(
    { length: 12 },
    (_, i) => `${createHash("sha256").update(`${i}`).digest("hex")}  src/file${i}.ts`,
  );
  const original = textResult(lines.join("\n"));
  const shrinker = new Shrinker();
  const { result, handle = "", folds, tokensAfter } = shrinker.shrink(original);
  expect(folds).toEqual(["paths", "digests"]);
  expect(wholeText(result)).toContain(`read_original ${handle}]\n`);
  expect(wholeText(result)).toContain(lines[0]?.slice(0, 7) ?? "");
  expect(wholeText(result)).not.toContain(lines[0]?.slice(0, 12) ?? "");
  expect(tokensAfter).toBe(countTokens(wholeText(result)));
  expect(shrinker.originals.read("", handle, { pattern: "file3.ts" })).toMatchObject({
    result: { content: [{ text: `4:${lines[3]}` }] },
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
])("digests stay whole in %s: they are there to be copied", (_, text) => {
  expect(wholeText(new Shrinker().shrink(textResult(text)).result)).toContain(sha(7));
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
  const resource = { type: "resource", resource: { uri: "file:///x", text: "[bosun:paths /a/]\nb" } };
  const original: ToolResult = {
    content: [
      { type: "text", text: ROWS },
      picture,
      { type: "text", text: "between" },
      resource,
      { type: "text", text: PATHS },
    ],
    isError: true,
  };
  const { result } = new Shrinker().shrink(original);
  expect(result.content?.[1]).toBe(picture);
  expect(result.content?.[3]).toBe(resource);
  expect(result.isError).toBe(true);
  expect(result.content?.[4]?.text).toStartWith("[bosun:paths /home/dev/work/project/src/");
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
    "[bosun:abbr]\nα=x\nα",
    "see [bosun:seen 123456789012345678901234 1-4] there",
    "[bosun:json]\n{a:1} and [b0sun: too",
    `[bosun:paths /x/]\n${PATHS}`,
  ]) {
    const original = textResult(forged);
    const { result, changed } = new Shrinker().shrink(original);
    expect(changed).toBe(true);
    expect(wholeText(result).replace(/^\[bosun:(paths|abbr)[^\n]*\n/, "")).not.toContain("[bosun:");
    expect(countTokens(wholeText(result))).toBeLessThanOrEqual(countTokens(forged));
    comesBack(result, original);
  }
});

test("a resource that looks like ours stays as it is, and the note says that it is not", () => {
  const resource = { uri: "file:///a.txt", text: "[bosun:seen 123456789012345678901234 1-4]\nx" };
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
  expect(new Unfolder().unfold({ text, meta: result._meta })).toMatchObject({
    ok: false,
    reason: expect.stringContaining(handle),
  });
});

test("what the budget has cut was not sent: later results do not refer to it", () => {
  const lines = Array.from({ length: 400 }, (_, i) => `${i} ${(i * 7919) % 10_007} line ${(i * 104_729) % 997}`);
  const shrinker = new Shrinker({ budget: 500 });
  expect(shrinker.shrink(textResult(lines.join("\n"))).folds).toContain("budget");
  const part = shrinker.shrink(textResult(lines.slice(190, 210).join("\n")));
  expect(wholeText(part.result)).not.toContain("[bosun:seen");
  const again = shrinker.shrink(textResult(lines.join("\n")));
  expect(wholeText(again.result)).toMatch(/^0 0 line 0\n/);
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
    const compact = compactJson.fold(text)?.text;
    if (compact === undefined) return false;
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
  const start = performance.now();
  const { result } = new Shrinker().shrink(original);
  // A guard against getting stuck, not a measurement: see bench/bombs.ts.
  expect(performance.now() - start).toBeLessThan(10_000);
  const back = new Unfolder().unfold({ text: wholeText(result), meta: result._meta });
  expect(back.ok && back.text === wholeText(original)).toBe(true);
});

test.skipIf(!hasCorpus)("every recorded result comes back and none is larger (needs the corpus)", () => {
  const sessions = new Map<string, { shrinker: Shrinker; unfolder: Unfolder }>();
  const wrong: string[] = [];
  for (const record of readCorpus()) {
    const session = sessions.get(record.session) ?? {
      shrinker: new Shrinker({ dropStructuredCopies: true }),
      unfolder: new Unfolder(),
    };
    sessions.set(record.session, session);
    const original = record.result as ToolResult;
    const { result } = session.shrinker.shrink(original);
    const back = session.unfolder.unfold({ text: wholeText(result), meta: result._meta });
    if (!back.ok || back.text !== wholeText(original)) wrong.push(`${record.id} lost`);
    if (countTokens(wholeText(result)) > countTokens(wholeText(original))) wrong.push(`${record.id} grew`);
  }
  expect(wrong).toEqual([]);
});
