// bosun serve --tools bcp: the three tools, and no way past the server's scope.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import type { Client } from "@bosun/mcp/client";

const MAIN = path.join(import.meta.dir, "../src/main.ts");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-bcp-")));
const at = (name: string): string => path.join(folder, name);
let client: Client;

beforeAll(async () => {
  for (const name of ["work", "work/private"]) mkdirSync(at(name));
  writeFileSync(at("outside.txt"), "outside");
  writeFileSync(at("work/private/key.txt"), "a key");
  writeFileSync(at("work/manifest.json"), manifest({ content: "inside" }));
  writeFileSync(at("work/steals.json"), manifest({ content_file: "../outside.txt" }));
  writeFileSync(at("work/denied.json"), manifest({ content_file: "private/key.txt" }));
  client = await serve([]);
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

test("has the three tools, and they work with relative paths", async () => {
  const tools = (await client.listTools()).map(({ name }) => name);
  expect(tools).toEqual(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]);
  const written = await call("encode_bcp_file", { manifest_path: "manifest.json", output_path: "made.bcp" });
  expect(written).toContain(`Wrote ${at("work/made.bcp")}`);
  expect(await call("read_bcp_file", { path: "made.bcp", mode: "minimal" })).toContain("inside");
  expect(await call("inspect_bcp_file", { path: at("work/made.bcp") })).toContain("Block 0: DOCUMENT");
});

test("reads and writes nothing outside its scope, nor what is denied", async () => {
  const steals = await call("encode_bcp_file", { manifest_path: "steals.json", output_path: "stolen.bcp" });
  expect(steals).toMatch(/cannot read content_file/);
  const denied = await call("encode_bcp_file", { manifest_path: "denied.json", output_path: "stolen.bcp" });
  expect(denied).toMatch(/cannot read content_file/);
  expect(existsSync(at("work/stolen.bcp"))).toBe(false);
  const away = await client.callTool("encode_bcp_file", { manifest_path: "manifest.json", output_path: at("x.bcp") });
  expect(away.isError).toBe(true);
  expect(existsSync(at("x.bcp"))).toBe(false);
});

test("does not write when the server is read-only, and stands beside other surfaces", async () => {
  const reading = await serve(["--read-only", "--tools", "shell,bcp"]);
  expect((await reading.listTools()).map(({ name }) => name)).toEqual(["read_bcp_file", "inspect_bcp_file"]);
  await reading.close();
});

test("rules hold for what a manifest names, and for where a link leads", async () => {
  mkdirSync(at("work/ruled"));
  writeFileSync(at("work/ruled/text.txt"), "ruled out");
  writeFileSync(at("work/ruled.json"), manifest({ content_file: "ruled/text.txt" }));
  writeFileSync(at("rules.toml"), '[[rules]]\nname = "not that"\ndecide = "deny"\npath = ["ruled/**"]\n', {
    mode: 0o600,
  });
  symlinkSync("ruled/out.bcp", at("work/link.bcp"));
  symlinkSync("made-by-link.bcp", at("work/fine.bcp"));
  const ruled = await serve(["--config", at("rules.toml")]);
  const encode = (manifest_path: string, output_path: string) =>
    ruled.callTool("encode_bcp_file", { manifest_path, output_path });
  expect(JSON.stringify(await encode("ruled.json", "stolen.bcp"))).toMatch(/cannot read content_file/);
  expect(JSON.stringify(await encode("manifest.json", "link.bcp"))).toMatch(/not that/);
  expect(JSON.stringify(await encode("manifest.json", "fine.bcp"))).toContain(`Wrote ${at("work/made-by-link.bcp")}`);
  for (const name of ["stolen.bcp", "ruled/out.bcp"]) expect(existsSync(at(`work/${name}`))).toBe(false);
  await ruled.close();
});

function manifest(content: object): string {
  return JSON.stringify({ blocks: [{ type: "document", title: "T", ...content }] });
}

function serve(words: string[]): Promise<Client> {
  const args = [MAIN, "serve", "--transport", "stdio", "--audit", "off", "--deny-dir", "**/private"];
  const tools = words.includes("--tools") ? [] : ["--tools", "bcp"];
  return connectChild(
    {
      command: process.execPath,
      args: [...args, "--workdir", at("work"), ...tools, ...words],
      env: { HOME: folder, PATH: process.env["PATH"] ?? "" },
    },
    { name: "test", version: "1" },
  );
}

async function call(name: string, args: Record<string, string>): Promise<string> {
  const { content } = await client.callTool(name, args);
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
