// One table, every way to write a flag: what is read, from where, and what is refused with which words.
import { describe, expect, test } from "bun:test";
import { helpText, misspeltVariables, oneOf, readFlags, size, UsageError, whole } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";

const TOOL: Program = {
  name: "tool",
  summary: "an example",
  usage: ["tool [options] [file]"],
  operands: true,
  prefixes: ["TOOL"],
  flags: [
    { name: "out", short: "o", value: "FILE", help: "where to" },
    { name: "mode", value: "fast|slow", help: "how" },
    { name: "dir", value: "FOLDER", commas: true, repeatable: true, help: "where" },
    { name: "add", short: "a", value: "WORD", repeatable: true, help: "each", wordOnly: true },
    { name: "verbose", short: "v", help: "more" },
    { name: "quiet", short: "q", help: "less", wordOnly: true },
    { name: "again", value: "[ID]", optionalValue: /^\d+$/, help: "once more", wordOnly: true },
    { name: "rest", value: "WORDS", takesAnything: true, help: "somebody else's", aliases: ["others"] },
    { name: "level", value: "N", variable: "OTHER_LEVEL", variableOnly: true, help: "how much" },
  ],
  examples: [["tool -o x", "the usual"]],
};

function read(words: string[], env: Record<string, string> = {}, layer?: Map<string, string[]>): object {
  const flags = readFlags(TOOL, words, env, layer);
  const names = TOOL.flags.map(({ name }) => name).filter((name) => flags.has(name));
  return { ...Object.fromEntries(names.map((name) => [name, flags.list(name)])), operands: flags.operands };
}

test.each<[string, string[], Record<string, string>, object]>([
  ["after a blank", ["--out", "x"], {}, { out: ["x"] }],
  ["after an equals sign", ["--out=x=y"], {}, { out: ["x=y"] }],
  ["a letter", ["-o", "x"], {}, { out: ["x"] }],
  ["a letter with its value", ["-ox", "-o=y"], {}, { out: ["x", "y"] }],
  ["letters together", ["-vqo", "x"], {}, { verbose: ["true"], quiet: ["true"], out: ["x"] }],
  ["a lone dash is an operand or a value", ["-", "-o", "-"], {}, { operands: ["-"], out: ["-"] }],
  ["behind two dashes all are operands", ["a", "--", "--out", "-v"], {}, { operands: ["a", "--out", "-v"] }],
  ["commas part a list, outside of braces", ["--dir", "a,{b,c}", "--dir=d"], {}, { dir: ["a", "{b,c}", "d"] }],
  ["commas do not part others", ["--add", "a,b", "--add", "c"], {}, { add: ["a,b", "c"] }],
  ["a value that may be left out", ["--again", "7", "--again", "x"], {}, { again: ["7"], operands: ["x"] }],
  ["an older name", ["--others", "x"], {}, { rest: ["x"] }],
  ["a value that looks like a flag", ["--rest", "--out"], {}, { rest: ["--out"] }],
  ["a value that begins with a dash", ["--add", "-5x"], {}, { add: ["-5x"] }],
  ["a variable", [], { TOOL_OUT: "x" }, { out: ["x"] }],
  ["a variable of a list, in the plural", [], { TOOL_DIRS: "a, b" }, { dir: ["a", "b"] }],
  ["a variable of its own", [], { OTHER_LEVEL: "3" }, { level: ["3"] }],
  ["an empty variable is none", [], { TOOL_OUT: "" }, {}],
  ["a word beats its variable", ["--out", "y"], { TOOL_OUT: "x" }, { out: ["y"] }],
])("%s", (_, words, env, expected) => {
  expect(read(words, env)).toEqual({ operands: [], ...expected });
});

test("a variable beats the layer below", () => {
  const layer = new Map([
    ["out", ["low"]],
    ["mode", ["slow"]],
  ]);
  expect(read([], { TOOL_OUT: "x" }, layer)).toEqual({ out: ["x"], mode: ["slow"], operands: [] });
});

test.each<[string, string[], Record<string, string>, string]>([
  ["an unknown flag, with the nearest", ["--ouut"], {}, "unknown option --ouut; did you mean --out?"],
  ["an unknown flag far from any", ["--zzzzzzzz"], {}, "unknown option --zzzzzzzz; there are: --out, --mode"],
  ["an unknown letter", ["-z"], {}, "unknown option -z"],
  ["a value forgotten at the end", ["--out"], {}, "--out needs a value: --out FILE"],
  ["a value forgotten before a flag", ["--out", "--verbose"], {}, "--out needs a value"],
  ["an empty list", ["--dir", ""], {}, "--dir needs a value"],
  ["a value for a switch", ["--quiet=1"], {}, "--quiet takes no value"],
  ["a choice that is none", ["--mode", "fats"], {}, 'must be fast or slow; got "fats", did you mean fast?'],
  ["a choice of a variable, by its name", [], { TOOL_MODE: "x" }, "TOOL_MODE must be fast or slow"],
  ["a flag that is only a variable", ["--level", "3"], {}, "unknown option --level"],
])("%s is refused", (_, words, env, said) => {
  expect(() => readFlags(TOOL, words, env)).toThrow(UsageError);
  expect(() => readFlags(TOOL, words, env)).toThrow(said);
});

test("where nothing may come twice, it is said; where values with dashes must be attached, too", () => {
  const strict: Program = { ...TOOL, once: true, attachedDashes: true };
  expect(() => readFlags(strict, ["--out", "x", "-oy"])).toThrow("-o cannot be used twice");
  expect(() => readFlags(strict, ["--out", "-x"])).toThrow("--out needs a value");
  expect(readFlags(strict, ["--out=-x", "--add", "a", "--add", "b"]).list("add")).toEqual(["a", "b"]);
});

describe("what values mean", () => {
  test("a switch that a variable can hold can be switched off", () => {
    expect(readFlags(TOOL, ["--verbose=no"], { TOOL_VERBOSE: "1" }).isOn("verbose")).toBe(false);
    expect(() => readFlags(TOOL, [], { TOOL_VERBOSE: "maybe" }).isOn("verbose")).toThrow("TOOL_VERBOSE must be true");
  });

  test.each(["1.5", "-1", "x", "", "18446744073709551616"])("%p is no whole number up to 2^64-1", (text) => {
    const flags = readFlags(TOOL, [`--out=${text}`]);
    expect(() => whole(flags, "out", { max: 2n ** 64n - 1n })).toThrow("--out must be a whole number from 0 to");
  });

  test("sizes and choices", () => {
    expect(size(readFlags(TOOL, ["--out", "10mb"]), "out")).toBe(10 * 1024 * 1024);
    expect(() => size(readFlags(TOOL, ["--out", "1.5MB"]), "out")).toThrow("is not a size");
    expect(oneOf(readFlags(TOOL, []), "mode", ["fast", "slow"], "slow")).toBe("slow");
  });
});

test("whoever asks for help gets it, whatever else is wrong, and not behind two dashes", () => {
  expect(readFlags(TOOL, ["--nonsense", "-h"]).isHelp).toBe(true);
  expect(readFlags(TOOL, ["--", "--help"]).isHelp).toBe(false);
});

test("help says every flag that can be typed, and the variables", () => {
  const help = helpText(TOOL);
  expect(help).toContain("  -o, --out FILE        where to\n");
  expect(help).toContain("Environment:\n  OTHER_LEVEL  how much");
  expect(help).toContain("Every option is also read from TOOL_<NAME>");
  expect(help).not.toContain("--level");
  expect(help.split("\n").every((line) => line.length <= 120)).toBe(true);
});

test("a variable that is nearly one of ours is named", () => {
  expect(misspeltVariables(TOOL, { TOOL_VERBOSSE: "1", TOOL_OTHER: "1", HOME: "/" })).toEqual([
    { name: "TOOL_VERBOSSE", meant: "TOOL_VERBOSE" },
  ]);
});
