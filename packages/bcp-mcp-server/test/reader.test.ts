// The reader as clients meet it: a process spoken to over stdio.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import type { Client } from "@bosun/mcp/client";

const entry = path.resolve(import.meta.dir, "../src/index.ts");
const bcpMain = path.resolve(import.meta.dir, "../../bcp/src/main.ts");
const bun = [process.execPath, "--no-env-file", "--config=/dev/null"];
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bcp-reader-")));
const at = (name: string): string => path.join(folder, name);
const long = Array.from({ length: 40 }, (_, line) => `export const value${line} = ${line};`).join("\n");
const manifest = {
  blocks: [
    {
      type: "code",
      lang: "typescript",
      path: "src/a.ts",
      content: long,
      summary: "Forty constants.",
      priority: "low",
    },
    { type: "tool_result", tool_name: "grep", status: "ok", content: "3 matches" },
  ],
};
let client: Client;

beforeAll(async () => {
  writeFileSync(at("manifest.json"), JSON.stringify(manifest));
  client = await start();
  const made = await call("encode_bcp_file", { manifest_path: at("manifest.json"), output_path: at("made.bcp") });
  expect(made).toEqual({ failed: false, text: expect.stringContaining("made.bcp") });
  writeFileSync(at("corrupt.bcp"), readFileSync(at("made.bcp")).subarray(0, 40));
  writeFileSync(at("plain.txt"), "not a payload");
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

test("tools/list has the three tools and no other", async () => {
  const tools = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]);
  expect(tools.map(({ inputSchema }) => inputSchema["required"])).toEqual([
    ["path"],
    ["path"],
    ["manifest_path", "output_path"],
  ]);
});

test.each([
  ["xml", '<code lang="typescript" path="src/a.ts">'],
  ["markdown", "## src/a.ts"],
  ["minimal", "--- src/a.ts [typescript] ---"],
])("read_bcp_file renders %s", async (mode, shown) => {
  expect(await call("read_bcp_file", { path: at("made.bcp"), mode })).toEqual({
    failed: false,
    text: expect.stringContaining(shown),
  });
});

test("a budget summarises what matters least", async () => {
  const whole = await call("read_bcp_file", { path: at("made.bcp") });
  const budgeted = await call("read_bcp_file", { path: at("made.bcp"), budget: 60 });
  expect(whole.text).toContain("value39");
  expect(budgeted.text).not.toContain("value39");
  expect(budgeted.text).toContain("Forty constants.");
});

describe.each(["read_bcp_file", "inspect_bcp_file"])("%s says what is wrong with", (tool) => {
  test.each<[string, string, RegExp]>([
    ["a file that is not there", "missing.bcp", /does not exist/],
    ["a file of another kind", "plain.txt", /not a \.bcp file/],
    ["a corrupt file", "corrupt.bcp", /\S{5}/],
    ["a folder", ".", /not a/],
  ])("%s", async (_, name, said) => {
    expect(await call(tool, { path: at(name) })).toEqual({ failed: true, text: expect.stringMatching(said) });
  });

  test("a relative path, a wrong type and an unknown argument", async () => {
    expect((await call(tool, { path: "made.bcp" })).text).toMatch(/absolute/);
    expect((await call(tool, { path: 7 })).text).toMatch(/arguments\.path must be a string/);
    expect((await call(tool, { path: at("made.bcp"), colour: "red" })).text).toMatch(/unknown property "colour"/);
  });
});

test("inspect_bcp_file gives the table of bcp inspect", async () => {
  const child = Bun.spawn([...bun, bcpMain, "inspect", at("made.bcp")], { stdout: "pipe", env: process.env });
  expect((await call("inspect_bcp_file", { path: at("made.bcp") })).text).toBe(await new Response(child.stdout).text());
});

describe("encode_bcp_file", () => {
  test("reports the stats of what it wrote, and compresses when asked to", async () => {
    const plain = await call("encode_bcp_file", { manifest_path: at("manifest.json"), output_path: at("plain.bcp") });
    const small = await call("encode_bcp_file", {
      manifest_path: at("manifest.json"),
      output_path: at("small.bcp"),
      compress: true,
    });
    expect(plain).toEqual({ failed: false, text: expect.stringMatching(/blocks/i) });
    expect(small.failed).toBe(false);
    expect(statSync(at("small.bcp")).size).toBeLessThan(statSync(at("plain.bcp")).size);
    expect((await call("read_bcp_file", { path: at("small.bcp") })).text).toContain("value39");
  });

  test("a bad manifest writes nothing and leaves no trace", async () => {
    writeFileSync(at("bad.json"), '{"blocks": [{"type": "code", "lang": "rust"}]}');
    writeFileSync(at("kept.bcp"), "old");
    const before = readdirSync(folder);
    const outcome = await call("encode_bcp_file", { manifest_path: at("bad.json"), output_path: at("kept.bcp") });
    expect(outcome).toEqual({ failed: true, text: expect.stringMatching(/\S{5}/) });
    expect(readFileSync(at("kept.bcp"), "utf8")).toBe("old");
    expect(readdirSync(folder)).toEqual(before);
  });

  test("a folder that is not there is named", async () => {
    const output = at("nowhere/out.bcp");
    const outcome = await call("encode_bcp_file", { manifest_path: at("manifest.json"), output_path: output });
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("nowhere") });
  });
});

describe("--allow-dir", () => {
  const inside = at("inside");
  const outside = at("outside");
  let scoped: Client;

  beforeAll(async () => {
    for (const name of [inside, outside, at("inside-evil")]) mkdirSync(name);
    for (const name of ["inside/a.bcp", "outside/a.bcp", "inside-evil/a.bcp"]) {
      writeFileSync(at(name), readFileSync(at("made.bcp")));
    }
    writeFileSync(at("inside/manifest.json"), JSON.stringify(manifest));
    symlinkSync(path.join(outside, "a.bcp"), path.join(inside, "link.bcp"));
    symlinkSync(outside, path.join(inside, "folder"));
    symlinkSync(path.join(outside, "new.bcp"), path.join(inside, "dangling.bcp"));
    scoped = await start(["--allow-dir", inside]);
  });
  afterAll(() => scoped.close());

  test("what is inside can be read and written", async () => {
    expect((await call("read_bcp_file", { path: path.join(inside, "a.bcp") }, scoped)).failed).toBe(false);
    const args = { manifest_path: path.join(inside, "manifest.json"), output_path: path.join(inside, "b.bcp") };
    expect((await call("encode_bcp_file", args, scoped)).failed).toBe(false);
  });

  test.each([
    ["a file outside", "outside/a.bcp"],
    ["a file that does not exist, outside", "outside/missing.bcp"],
    ["a sibling with the same beginning", "inside-evil/a.bcp"],
    ["a link to a file outside", "inside/link.bcp"],
    ["a linked folder", "inside/folder/a.bcp"],
    ["a way out by ..", "inside/../outside/a.bcp"],
  ])("%s cannot be read", async (_, name) => {
    const outcome = await call("read_bcp_file", { path: at(name) }, scoped);
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("outside the allowed folders") });
  });

  test.each([
    ["a file outside", "outside/new.bcp"],
    ["through a dangling link", "inside/dangling.bcp"],
    ["through a linked folder", "inside/folder/new.bcp"],
  ])("%s cannot be written", async (_, name) => {
    const args = { manifest_path: path.join(inside, "manifest.json"), output_path: at(name) };
    expect((await call("encode_bcp_file", args, scoped)).failed).toBe(true);
    expect(existsSync(path.join(outside, "new.bcp"))).toBe(false);
  });
});

describe("BCP_CLI_PATH", () => {
  test("another binary answers the same", async () => {
    const program = at("bcp-wrapper");
    writeFileSync(program, `#!/bin/sh\nexec ${[...bun, bcpMain].map((word) => `'${word}'`).join(" ")} "$@"\n`);
    chmodSync(program, 0o755);
    const external = await start([], { BCP_CLI_PATH: program });
    const args = { path: at("made.bcp"), mode: "markdown" };
    expect(await call("read_bcp_file", args, external)).toEqual(await call("read_bcp_file", args));
    await external.close();
  });

  test("one that hangs is ended, and the call says so", async () => {
    const program = at("bcp-sleeps");
    writeFileSync(program, "#!/bin/sh\nexec sleep 60\n");
    chmodSync(program, 0o755);
    const external = await start([], { BCP_CLI_PATH: program, BCP_CLI_TIMEOUT_MS: "200" });
    const outcome = await call("read_bcp_file", { path: at("made.bcp") }, external);
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("timed out after 200 ms") });
    await external.close();
  });

  test("one that is not there is an answer, not a crash", async () => {
    const external = await start([], { BCP_CLI_PATH: at("no-such-binary") });
    expect(await call("read_bcp_file", { path: at("made.bcp") }, external)).toEqual({
      failed: true,
      text: expect.stringContaining("no-such-binary"),
    });
    expect((await external.listTools()).length).toBe(3);
    await external.close();
  });
});

describe("the raw conversation", () => {
  test("a session piped in gets its four answers and ends cleanly", async () => {
    const { lines, exitCode } = await pipe([
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_bcp_file","arguments":{"path":"${at("made.bcp")}"}}}`,
      '{"jsonrpc":"2.0","id":4,"method":"ping"}',
    ]);
    expect(lines.map((line) => line.id).toSorted()).toEqual([1, 2, 3, 4]);
    expect(lines.find((line) => line.id === 4)?.result).toEqual({});
    expect(exitCode).toBe(0);
  });

  test("nonsense is answered and does not end it", async () => {
    const { lines, exitCode } = await pipe([
      "this is not JSON",
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
      '{"jsonrpc":"2.0","id":2,"method":"no/such/method"}',
    ]);
    expect(lines.map((line) => line.error?.code)).toEqual([-32700, undefined, -32601]);
    expect(exitCode).toBe(0);
  });

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ["an unknown mode", ["--mode", "writer"], {}, /--mode must be/],
    ["an unknown option", ["--colour"], {}, /unknown option --colour/],
    ["an option without its value", ["--allow-dir"], {}, /--allow-dir needs a value/],
    ["a folder that is not there", ["--allow-dir", "/no/such/folder"], {}, /no such folder/],
    ["a render mode that does not exist", [], { BCP_RENDER_MODE: "pdf" }, /BCP_RENDER_MODE|--render-mode/],
    ["a timeout that is no number", [], { BCP_CLI_TIMEOUT_MS: "soon" }, /BCP_CLI_TIMEOUT_MS/],
  ])("%s stops the start with a reason", async (_, args, env, said) => {
    const { stderr, exitCode } = await pipe([], args, env);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(said);
  });
});

function start(args: string[] = [], env: Record<string, string> = {}): Promise<Client> {
  const [command = "", ...flags] = bun;
  return connectChild(
    { command, args: [...flags, entry, "--mode", "reader", ...args], env },
    { name: "test", version: "1" },
  );
}

async function call(name: string, args: object, by: Client = client): Promise<{ failed: boolean; text: string }> {
  const { content, isError } = await by.callTool(name, { ...args });
  const [block] = content;
  return { failed: isError === true, text: block?.type === "text" ? block.text : "" };
}

type Line = { id?: number; result?: unknown; error?: { code: number } };

async function pipe(
  messages: string[],
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<{ lines: Line[]; stderr: string; exitCode: number }> {
  const child = Bun.spawn([...bun, entry, ...args], {
    stdin: Buffer.from(messages.map((message) => `${message}\n`).join("")),
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  const [out, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const lines = out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return { lines, stderr, exitCode };
}
