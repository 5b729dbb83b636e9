import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

test("the example of the README prints what the README says", async () => {
  const readme = await readFile(path.join(import.meta.dir, "../README.md"), "utf8");
  const [, source = "", printed = ""] = /```ts\n(.*?)```.*?```\n(.*?)```/s.exec(readme) ?? [];
  const folder = await mkdtemp(path.join(tmpdir(), "bcp-readme-"));
  try {
    const file = path.join(folder, "example.ts");
    await writeFile(file, source.replace("@bosun/bcp", path.join(import.meta.dir, "../src/index.ts")));
    const child = Bun.spawn([process.execPath, file], { stdout: "pipe", stderr: "inherit", env: {} });
    expect(await new Response(child.stdout).text()).toBe(printed);
    expect(await child.exited).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
