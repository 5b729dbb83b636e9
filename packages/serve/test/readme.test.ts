// The README's example, run as it stands.
import { afterAll, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { BUN, cleanEnvironment, removeScratch, scratch } from "./harness/server.ts";

afterAll(removeScratch);

test("the example of the README answers", async () => {
  const home = path.resolve(import.meta.dir, "..");
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(path.join(home, "README.md"), "utf8"))?.[1] ?? "";
  expect(example).toContain("serveTools");
  const { base, root } = scratch();
  // Beside the package, so that its imports resolve as they would for a package of the workspace.
  const file = path.join(home, `test/readme-example-${process.pid}.ts`);
  writeFileSync(
    file,
    `${example.replace('"@bosun/serve"', '"../src/index.ts"')}\nconsole.log(JSON.stringify(result.content));\n`,
  );
  try {
    const child = Bun.spawn([...BUN, file], {
      cwd: root,
      env: cleanEnvironment(base),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });
    expect(JSON.parse(await new Response(child.stdout).text())[0].text).toBe("exit_code: 0\n\nstdout:\nhello\n");
    expect(await child.exited).toBe(0);
  } finally {
    rmSync(file);
    rmSync(base, { recursive: true, force: true });
  }
});
