// The example of the README, as it stands there.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { Workspace } from "./workspace.ts";

test("the README's example does what it says", async () => {
  using workspace = new Workspace();
  const readme = fs.readFileSync(path.join(import.meta.dir, "..", "README.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const program = [
    `const folder = ${JSON.stringify(workspace.root)};`,
    example.replace('"@bosun/engine"', JSON.stringify(path.join(import.meta.dir, "..", "src", "index.ts"))),
    "process.stdout.write(JSON.stringify(lines));",
  ].join("\n");
  const script = path.join(workspace.base, "example.ts");
  fs.writeFileSync(script, program);
  const child = Bun.spawn([process.execPath, "--no-env-file", "--config=/dev/null", script], {
    stdout: "pipe",
    env: {},
  });
  const promised = /\/\/ lines: (.*)/.exec(example)?.[1] ?? "";
  const expected = JSON.parse(promised.replace(/(\w+):/g, '"$1":'));
  expect(JSON.parse(await child.stdout.text())).toEqual(expected);
  expect(workspace.read("notes/list.txt")).toBe("one\n2\nthree\n");
});
