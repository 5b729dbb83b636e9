import { expect, test } from "bun:test";

import type { ToolResult } from "../src/index.ts";
import { callName, countTokens, Originals, Shrinker, Unfolder, wholeText } from "../src/index.ts";
import { Repeats } from "../src/repeats.ts";

const textResult = (text: string): ToolResult => ({ content: [{ type: "text", text }] });
const CODE = Array.from(
  { length: 60 },
  (_, i) => `  const value${i} = compute(${i * 37}, "${(i * 7919).toString(36)}");`,
);

test("a file that is read again is one line, and comes back from what was sent before", () => {
  const shrinker = new Shrinker({ abbreviate: "never" });
  const unfolder = new Unfolder();
  const first = CODE.join("\n");
  const second = ["// changed", ...CODE.slice(0, 30), "  inserted();", ...CODE.slice(30)].join("\n");
  const emitted = [first, first, second].map((text) => shrinker.shrink(textResult(text)).result);
  expect(wholeText(emitted[0] ?? {})).toBe(first);
  expect(wholeText(emitted[1] ?? {})).toMatch(/^\[bosun:seen \d{24}\]$/);
  expect(wholeText(emitted[2] ?? {})).toMatch(
    /^\/\/ changed\n\[bosun:seen \d{24} 1-30\]\n {2}inserted\(\);\n\[bosun:seen \d{24} 31-60\]$/,
  );
  const back = emitted.map((result) => unfolder.unfold({ text: wholeText(result), meta: result._meta }));
  expect(back.map((one) => one.ok && one.text)).toEqual([first, first, second]);
});

test("a reference names the call that gave the lines, once, and the one where they stand in full", () => {
  const shrinker = new Shrinker({ abbreviate: "never" });
  const unfolder = new Unfolder();
  const first = CODE.join("\n");
  const third = ["// changed", ...CODE.slice(0, 30), "  inserted();", ...CODE.slice(30)].join("\n");
  const emitted = [
    shrinker.shrink(textResult(first), undefined, callName("read_file", { path: "src/a.ts" })),
    shrinker.shrink({ ...textResult(first), isError: true }, undefined, callName("read_file", { path: "copy.ts" })),
    shrinker.shrink(textResult(third), undefined, callName("read_file", { path: "src/b.ts" })),
  ].map(({ result }) => result);
  expect(wholeText(emitted[1] ?? {})).toMatch(/^\[bosun:seen \d{24} of read_file src\/a\.ts\]$/);
  expect(wholeText(emitted[2] ?? {})).toMatch(
    /^\/\/ changed\n\[bosun:seen (\d{24}) 1-30 of read_file src\/a\.ts\]\n {2}inserted\(\);\n\[bosun:seen \1 31-60\]$/,
  );
  const back = emitted.map((result) => unfolder.unfold({ text: wholeText(result), meta: result._meta }));
  expect(back.map((one) => one.ok && one.text)).toEqual([first, first, third]);
});

test.each<[string, unknown, string]>([
  ["read_file", { path: "a.ts" }, "read_file a.ts"],
  ["search", { pattern: "x", path: "src", limit: 5 }, "search x src"],
  ["write", { text: "x".repeat(41), path: "a.ts" }, "write a.ts"],
  ["run", { command: "a\n]b [c\u200b" }, "run a b c"],
  ["list", [1, 2], "list"],
  ["none", undefined, "none"],
  ["long".repeat(40), {}, "long".repeat(15)],
])("the call %s %p is remembered as %s", (tool, args, name) => {
  expect(callName(tool, args)).toBe(name);
});

test("the handle in a reference can be redeemed for those lines", () => {
  const shrinker = new Shrinker({ abbreviate: "never" });
  shrinker.shrink(textResult(CODE.join("\n")));
  const text = wholeText(shrinker.shrink(textResult(["new", ...CODE.slice(10, 50)].join("\n"))).result);
  const [, handle = "", from, to] = /seen (\d{24}) (\d+)-(\d+)/.exec(text) ?? [];
  const read = shrinker.originals.read("", handle, { lines: [Number(from), Number(to)] });
  expect(read.ok && wholeText(read.result)).toBe(CODE.slice(10, 50).join("\n"));
});

test("three equal lines, or lines that cost less than a reference, stay", () => {
  const shrinker = new Shrinker({ abbreviate: "never" });
  shrinker.shrink(textResult(CODE.join("\n")));
  const short = ["x", ...CODE.slice(0, 3), "y"].join("\n");
  expect(wholeText(shrinker.shrink(textResult(short)).result)).toBe(short);
  shrinker.shrink(textResult(`${"{\n}\n".repeat(40)}${"long enough to be remembered ".repeat(9)}`));
  const braces = "{\n}\n{\n}\n{\n}\n";
  expect(wholeText(shrinker.shrink(textResult(braces)).result)).toBe(braces);
});

test("nothing refers to what another session saw, or to an original that is gone", () => {
  const originals = new Originals({ maxCount: 1 });
  const text = CODE.join("\n");
  const one = new Shrinker({ abbreviate: "never", originals, client: "a" });
  one.shrink(textResult(text));
  expect(wholeText(new Shrinker({ abbreviate: "never", originals, client: "b" }).shrink(textResult(text)).result)).toBe(
    text,
  );
  originals.forget("a");
  const other = wholeText(one.shrink(textResult(`${text}\nend`)).result);
  expect(other).toBe(`${text}\nend`);
});

test("memory is bounded whatever comes", () => {
  const repeats = new Repeats({ maxChars: 10_000, maxTexts: 20 });
  for (let i = 0; i < 500; i++) repeats.remember(`${i} ${CODE.join("\n")}`, String(i).padStart(24, "0"));
  expect(repeats.chars).toBeLessThanOrEqual(10_000);
  repeats.remember(`again ${CODE.join("\n")}`, "9".repeat(24));
  expect(countTokens(repeats.fold(CODE.join("\n"))?.text ?? "")).toBeGreaterThan(0);
});

test("a reference to a result the decoder never saw is an error, not a guess", () => {
  const shrinker = new Shrinker({ abbreviate: "never" });
  shrinker.shrink(textResult(CODE.join("\n")));
  const { result } = shrinker.shrink(textResult(CODE.join("\n")));
  expect(new Unfolder().unfold({ text: wholeText(result), meta: result._meta })).toMatchObject({ ok: false });
});
