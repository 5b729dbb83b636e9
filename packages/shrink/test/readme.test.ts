// The example of the README, run as it stands there.
import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

test("the README's example prints what it says", async () => {
  const readme = readFileSync(path.join(import.meta.dirname, "..", "README.md"), "utf8");
  const example = /```ts\n([^]*?)```/.exec(readme)?.[1] ?? "";
  const promised = [...example.matchAll(/^\/\/ (.*)$|; \/\/ (true)$/gm)].map(([, line, word]) => line ?? word);
  const file = path.join(import.meta.dirname, `readme-example-${process.pid}.ts`);
  writeFileSync(file, example.replace('"@bosun/shrink"', '"../src/index.ts"'));
  const printed: string[] = [];
  const log = console.log;
  try {
    console.log = (...words: unknown[]) => void printed.push(words.join(" "));
    await import(file);
  } finally {
    console.log = log;
    rmSync(file);
  }
  expect(printed.join("\n").split("\n")).toEqual(promised as string[]);
});
