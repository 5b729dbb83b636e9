// What the README shows is what happens: its commands are run and its code is started.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";

const root = path.resolve(import.meta.dir, "..");
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const bun = [process.execPath, "--no-env-file", "--config=/dev/null"];
const bosun = [...bun, path.join(root, "packages/cli/src/main.ts")];
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-readme-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the two commands are there, and npm knows them", () => {
  expect(readme).toContain("npm ci && npm start");
  expect(readme).toContain("npm ci && npm test");
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(Object.keys(scripts)).toEqual(
    expect.arrayContaining(["start", "test", "typecheck", "lint", "format", "conformance", "bench"]),
  );
});

test("bcp inspect prints what the README shows", async () => {
  const [, shown = ""] = /\$ bosun bcp inspect context\.bcp\n([\s\S]*?)```/.exec(readme) ?? [];
  const content = 'fn main() {\n    println!("Hello, BCP!");\n}';
  const manifest = { blocks: [{ type: "code", lang: "rust", path: "src/main.rs", content }] };
  writeFileSync(path.join(folder, "manifest.json"), JSON.stringify(manifest));
  await run(["bcp", "encode", "manifest.json", "-o", "context.bcp"]);
  expect(await run(["bcp", "inspect", "context.bcp"])).toBe(shown);
});

test("the server of the README answers", async () => {
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  // Inside the repository, so that it finds the package as any workspace member would.
  const file = path.join(root, "packages/mcp/test/fixtures", `readme-${process.pid}.ts`);
  writeFileSync(file, code);
  try {
    const [command = "", ...args] = [...bun, file];
    const client = await connectChild({ command, args }, { name: "test", version: "1" });
    const { content } = await client.callTool("echo", { text: "hello" });
    expect(content).toEqual([{ type: "text", text: "hello" }]);
    await client.close();
  } finally {
    rmSync(file);
  }
});

test("the configuration it tells to paste starts a server with tools", async () => {
  const [, json = ""] = /```json\n([\s\S]*?)```/.exec(readme) ?? [];
  const { args } = (JSON.parse(json) as { mcpServers: { bosun: { args: string[] } } }).mcpServers.bosun;
  const [command = "", ...flags] = bosun;
  const env = {
    HOME: folder,
    XDG_STATE_HOME: path.join(folder, "state"),
    XDG_CONFIG_HOME: path.join(folder, "config"),
  };
  const client = await connectChild(
    { command, args: [...flags, ...args], cwd: folder, env },
    { name: "test", version: "1" },
  );
  expect((await client.listTools()).map(({ name }) => name)).toContain("bash");
  await client.close();
});

test("every page it points to is there", () => {
  for (const [, target = ""] of readme.matchAll(/\]\((?!http)([^)#]+)\)/g)) {
    expect({ target, there: existsSync(path.join(root, target)) }).toEqual({ target, there: true });
  }
});

async function run(args: string[]): Promise<string> {
  const child = Bun.spawn([...bosun, ...args], { cwd: folder, stdout: "pipe", stderr: "inherit", env: process.env });
  return new Response(child.stdout).text();
}
