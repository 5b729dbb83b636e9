// The README's example, run as it stands.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../../platform/test/temporary-folder.ts";

const fresh = temporaryFolder();

test("the example says what its comments say", async () => {
  const readme = readFileSync(path.join(import.meta.dir, "../README.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const folder = fresh();
  mkdirSync(folder);
  const expected = [...example.matchAll(/\/\/ ((?:allow|ask|deny): .*)$/gm)].map(([, said]) => said);
  const code = example
    .replace('"@bosun/policy"', JSON.stringify(path.join(import.meta.dir, "../../policy/src/index.ts")))
    .replace('"@bosun/settings"', JSON.stringify(path.join(import.meta.dir, "../src/index.ts")))
    .replace(/^tell\((.*)\);.*$/gm, "said.push(tell($1));");
  const file = path.join(folder, "example.ts");
  writeFileSync(
    file,
    `import type { ShellText } from ${JSON.stringify(path.join(import.meta.dir, "../../policy/src/index.ts"))};\nexport const said: string[] = [];\nconst stateFolder = ${JSON.stringify(path.join(folder, "state"))};\n${code}`,
  );
  const { said } = (await import(file)) as { said: string[] };
  expect(expected).toHaveLength(3);
  expect(said).toEqual(expected as string[]);
});
