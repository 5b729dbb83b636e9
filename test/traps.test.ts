// The traps of Bun that no lint rule can see, looked for in the sources themselves.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");
const files = readdirSync(path.join(root, "packages"), { recursive: true, encoding: "utf8" })
  .filter((name) => /^[^/]+\/(src|examples)\/.*\.ts$/.test(name))
  .map((name) => ({ name, source: withoutComments(readFileSync(path.join(root, "packages", name), "utf8")) }));

test("there are sources to look at", () => {
  expect(files.length).toBeGreaterThan(50);
});

/** `holds` looks at the call, or, where options are put together elsewhere, at the file. */
test.each<[string, RegExp, (call: string, source: string) => boolean]>([
  [
    "a child's pipe is never read ahead of us: lazy",
    /\bBun\.spawn\(/g,
    (call, source) => !/std(out|err): "pipe"|"pipe"\]/.test(call) || /\blazy:\s*true/.test(source),
  ],
  [
    "a child gets the environment we name, not the one we were started with",
    /\bBun\.spawn\(/g,
    (_, source) => /\benv\b/.test(source),
  ],
  [
    "a quiet connection is not closed after ten seconds",
    /\bBun\.serve\(/g,
    (call, source) => /\bidleTimeout:\s*0/.test(call) || /\.timeout\(request, 0\)/.test(source),
  ],
  [
    "what the linter forbids of Bun is not had by another name either",
    /\bimport\s+(?!type\b)[^;"']*\bfrom\s+["']bun["']|\}\s*=\s*Bun\b|\bBun\[|\bglobalThis\.(Bun|fetch)\b/g,
    () => false,
  ],
  ["no login shell: it costs 150 ms", /["'`]-lc["'`]/g, () => false],
  ["stdin is not read through console: it invents an empty last line", /\bof\s+console\b/g, () => false],
  ["no slice of a file as a source or a target: writes ignore it", /\bBun\.file\([^)]*\)\s*\.slice\(/g, () => false],
  [
    "nothing waits in a file that may be a FIFO",
    /\bBun\.file\([^)]*\)\s*\.(text|json|bytes|arrayBuffer)\(/g,
    () => false,
  ],
  [
    "whether a child has ended is not asked of .killed: it is true after any exit",
    /\b(child|proc|process|subprocess)\.killed\b/g,
    () => false,
  ],
])("%s", (_, pattern, holds) => {
  const broken = files.flatMap(({ name, source }) =>
    [...source.matchAll(pattern)]
      .filter((match) => !holds(callAt(source, match.index), source))
      .map((match) => `${name}:${source.slice(0, match.index).split("\n").length}`),
  );
  expect(broken).toEqual([]);
});

test("every file that can be started directly turns off bunfig.toml and .env of the current folder", () => {
  const started = files.filter(({ source }) => source.startsWith("#!"));
  const soft = started.filter(
    ({ source }) => !source.startsWith("#!/usr/bin/env -S bun --no-env-file --config=/dev/null\n"),
  );
  expect(soft.map(({ name }) => name)).toEqual([]);
});

test("every file that can be started says what to do with a rejection nobody handled", () => {
  const started = files.filter(({ source }) => source.startsWith("#!") || source.includes("import.meta.main"));
  const mute = started.filter(({ source }) => !source.includes('process.on("unhandledRejection"'));
  expect(started.length).toBeGreaterThan(5);
  // The confining helper is synchronous from its first line to the program that it becomes.
  expect(mute.map(({ name }) => name)).toEqual(["engine/src/sandbox/landlock-program.ts"]);
});

/** The text of a call from its name to its closing parenthesis. */
function callAt(source: string, start: number): string {
  let depth = 0;
  for (let at = source.indexOf("(", start); at < source.length && at !== -1; at++) {
    if (source[at] === "(") depth++;
    else if (source[at] === ")" && --depth === 0) return source.slice(start, at + 1);
  }
  return source.slice(start);
}

function withoutComments(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
    .replace(/(^|\s)\/\/.*$/gm, "$1");
}
