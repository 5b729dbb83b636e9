// The second example of the README, as it stands there.
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

test("the README's example of commands does what it says", async () => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "readme-")));
  for (const name of ["folder", "home"]) mkdirSync(path.join(base, name));
  const readme = readFileSync(path.join(import.meta.dir, "..", "README.md"), "utf8");
  const example = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)][1]?.[1] ?? "";
  const program = [
    `const folder = ${JSON.stringify(path.join(base, "folder"))};`,
    `const home = ${JSON.stringify(path.join(base, "home"))};`,
    example.replace('"@bosun/engine"', JSON.stringify(path.join(import.meta.dir, "..", "src", "index.ts"))),
    "process.stdout.write(JSON.stringify(facts));",
  ].join("\n");
  writeFileSync(path.join(base, "example.ts"), program);
  const child = Bun.spawn([process.execPath, "--no-env-file", "--config=/dev/null", path.join(base, "example.ts")], {
    stdout: "pipe",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const promised = /\/\/ facts: (.*)/.exec(example)?.[1] ?? "";
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual(
    JSON.parse(promised.replaceAll(/(\w+):/g, '"$1":')),
  );
  rmSync(base, { recursive: true });
});
