// The reader as clients meet it: a process spoken to over stdio.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@bosun/mcp/client";
import { bcpMain, bun, call as callBy, INITIALIZE, pipe, start } from "./reading.ts";

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
const call = (name: string, args: object, by = client) => callBy(by, name, args);

beforeAll(async () => {
  writeFileSync(at("manifest.json"), JSON.stringify(manifest));
  client = await start();
  const made = await call("encode_bcp_file", { manifest_path: at("manifest.json"), output_path: at("made.bcp") });
  expect(made).toEqual({ failed: false, text: expect.stringContaining("made.bcp") });
  writeFileSync(at("corrupt.bcp"), readFileSync(at("made.bcp")).subarray(0, 40));
  writeFileSync(at("longer.bcp"), Buffer.concat([readFileSync(at("made.bcp")), Buffer.from("more")]));
  writeFileSync(at("plain.txt"), "not a payload");
  writeFileSync(at("noise.bcp"), "not a payload");
  writeFileSync(at("bomb.bcp"), bomb());
  writeFileSync(at("huge.bcp"), readFileSync(at("made.bcp")));
  truncateSync(at("huge.bcp"), 1024 ** 3); // costs no disk: all but its beginning is a hole
  expect(Bun.spawnSync(["mkfifo", at("pipe.bcp")]).exitCode).toBe(0);
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

test("a budget summarises any block, and a picture does not hide the rest", async () => {
  const blocks = [
    {
      type: "tool_result",
      tool_name: "ls",
      content: "one\n".repeat(100),
      summary: "A hundred lines.",
      priority: "low",
    },
    { type: "image", media_type: "png", alt_text: "A chart", data: "iVBORw0KGgo=" },
  ];
  writeFileSync(at("mixed.json"), JSON.stringify({ blocks }));
  await call("encode_bcp_file", { manifest_path: at("mixed.json"), output_path: at("mixed.bcp") });
  const whole = await call("read_bcp_file", { path: at("mixed.bcp"), mode: "minimal" });
  expect(whole).toEqual({ failed: false, text: expect.stringContaining("one\none\n") });
  expect(whole.text).toContain("[omitted: image A chart");
  const short = await call("read_bcp_file", { path: at("mixed.bcp"), mode: "minimal", budget: 50 });
  expect(short.text).toContain("A hundred lines.");
  expect(short.text).not.toContain("one\none\n");
});

describe.each(["read_bcp_file", "inspect_bcp_file"])("%s says what is wrong with", (tool) => {
  test.each<[string, string, RegExp]>([
    ["a file that is not there", "missing.bcp", /does not exist/],
    ["a file of another kind", "plain.txt", /not a \.bcp file/],
    ["a corrupt file", "corrupt.bcp", /unexpected end of input[^]*at byte \d+/],
    ["a folder", ".", /not a/],
    ["a pipe", "pipe.bcp", /not a regular file/],
    ["a bomb of 8 KB", "bomb.bcp", /decompressed size \d+ exceeds limit/],
    ["more than it reads", "huge.bcp", /input is larger than \d+ bytes/],
    ["no payload", "noise.bcp", /starts with 42 43 50 00/],
    ["bytes after its end, and recommends nothing that cannot be done", "longer.bcp", /appended[^]*early\s*$/],
    ["a name with a NUL in it", "a\0.bcp", /NUL/],
    ["a name that is too long", `${"a".repeat(5000)}.bcp`, /^no path is longer than \d+ bytes$/],
    // Each folder of it would be looked for: this took minutes.
    ["a path of half a million folders", `${"a/".repeat(500_000)}a.bcp`, /^no path is longer than \d+ bytes$/],
  ])("%s", async (_, name, said) => {
    expect(await call(tool, { path: at(name) })).toEqual({ failed: true, text: expect.stringMatching(said) });
  });

  test("a wrong type and an unknown argument", async () => {
    expect((await call(tool, { path: 7 })).text).toMatch(/arguments\.path must be a string/);
    expect((await call(tool, { path: at("made.bcp"), colour: "red" })).text).toMatch(/unknown property "colour"/);
  });
});

test("inspect_bcp_file gives the table of bcp inspect", async () => {
  const child = Bun.spawn([...bun, bcpMain, "inspect", at("made.bcp")], { stdout: "pipe", env: process.env });
  expect((await call("inspect_bcp_file", { path: at("made.bcp") })).text).toBe(await new Response(child.stdout).text());
});

test("a small file that becomes a large one does not cost the server its memory", async () => {
  const reads = (name: string): string[] => Array.from({ length: 20 }, (_, id) => readCall(id + 2, at(name)));
  const harmless = await pipe([INITIALIZE, ...reads("made.bcp")]);
  const hostile = await pipe([INITIALIZE, ...reads("bomb.bcp")]);
  expect([harmless.lines.length, hostile.lines.length]).toEqual([21, 21]);
  expect(hostile.peakBytes - harmless.peakBytes).toBeLessThan(64e6);
});

test("what does not fit into a message is said, and a budget helps", async () => {
  const line = "a line of twenty-five bytes";
  const blocks = [{ type: "document", title: "long", content: `${line}\n`.repeat(500_000) }];
  writeFileSync(at("long.json"), JSON.stringify({ blocks }));
  await call("encode_bcp_file", { manifest_path: at("long.json"), output_path: at("long.bcp") });
  expect(await call("read_bcp_file", { path: at("long.bcp") })).toEqual({
    failed: true,
    text: expect.stringMatching(/longer than \d+ characters: set a budget/),
  });
  expect(await call("read_bcp_file", { path: at("long.bcp"), budget: 100 })).toEqual({
    failed: false,
    text: expect.stringContaining("omitted"),
  });
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

  test.each([
    ["a pipe", "pipe.bcp", /not a regular file/],
    ["a folder", "folder.bcp", /not a regular file/],
    ["a file of another kind", "plain.txt", /not a \.bcp file/],
  ])("%s is not replaced", async (_, name, said) => {
    mkdirSync(at("folder.bcp"), { recursive: true });
    const outcome = await call("encode_bcp_file", { manifest_path: at("manifest.json"), output_path: at(name) });
    expect(outcome).toEqual({ failed: true, text: expect.stringMatching(said) });
    expect(readFileSync(at("plain.txt"), "utf8")).toBe("not a payload");
  });

  test.each(["pipe.bcp", "/dev/zero"])("content in %s, which never ends, is refused", async (content_file) => {
    const blocks = [{ type: "document", title: "T", content_file }];
    writeFileSync(at("endless.json"), JSON.stringify({ blocks }));
    const args = { manifest_path: at("endless.json"), output_path: at("endless.bcp") };
    const outcome = await call("encode_bcp_file", args);
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("is not a regular file") });
    expect(existsSync(at("endless.bcp"))).toBe(false);
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
    ["what a dangling link names", "inside/dangling.bcp"],
    ["another case", "INSIDE/a.bcp"],
    ["a path with a slash too many", "inside/folder/a.bcp/"],
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

test("--allow-dir may be said more than once, with a slash behind it, by a link, or relative", async () => {
  for (const name of ["one", "two", "three"]) {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/a.bcp`), readFileSync(at("made.bcp")));
  }
  symlinkSync(at("two"), at("link-to-two"));
  const relative = path.relative(process.cwd(), at("one"));
  const scoped = await start(["--allow-dir", `${relative}/`, `--allow-dir=${at("link-to-two")}`]);
  const failed = async (name: string): Promise<boolean> =>
    (await call("read_bcp_file", { path: at(name) }, scoped)).failed;
  expect(await Promise.all(["one/a.bcp", "two/a.bcp", "link-to-two/a.bcp", "three/a.bcp"].map(failed))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  await scoped.close();
});

describe("the raw conversation", () => {
  test("a session piped in gets its four answers and ends cleanly", async () => {
    const { lines, exitCode } = await pipe([
      INITIALIZE,
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      readCall(3, at("made.bcp")),
      '{"jsonrpc":"2.0","id":4,"method":"ping"}',
    ]);
    expect(lines.map((line) => line.id).toSorted()).toEqual([1, 2, 3, 4]);
    expect(lines.find((line) => line.id === 4)?.result).toEqual({});
    expect(exitCode).toBe(0);
  });

  test("a relative path starts in the server's folder", async () => {
    const { lines } = await pipe([INITIALIZE, readCall(2, "./made.bcp")], [], {}, folder);
    expect(JSON.stringify(lines[1]?.result)).toContain("value39");
    const missing = await pipe([INITIALIZE, readCall(2, "../nowhere.bcp")], [], {}, folder);
    expect(JSON.stringify(missing.lines[1]?.result)).toContain(`${path.dirname(folder)}/nowhere.bcp does not exist`);
  });

  test("nonsense is answered and does not end it", async () => {
    const { lines, stderr, exitCode } = await pipe([
      "this is not JSON",
      INITIALIZE,
      '{"jsonrpc":"2.0","id":2,"method":"no/such/method"}',
    ]);
    expect(lines.map((line) => line.error?.code)).toEqual([-32700, undefined, -32601]);
    expect(stderr).toMatch(/^bcp-mcp-server warn: .*JSON/m);
    expect(exitCode).toBe(0);
  });

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ["an unknown mode", ["--mode", "writer"], {}, /--mode must be/],
    ["a proxy of nothing", ["--mode", "proxy"], {}, /which server\?/],
    ["a proxy of nothing, in one word", ["--mode=proxy"], {}, /which server\?/],
    ["an unknown option", ["--colour"], {}, /unknown option --colour/],
    ["an option without its value", ["--allow-dir"], {}, /--allow-dir needs a value/],
    [
      "a folder that is not there",
      ["--allow-dir", "/no/such/folder"],
      {},
      /^bcp-mcp-server: --allow-dir "\/no\/such\/folder": no such folder\n$/,
    ],
    ["a folder without a name", ["--allow-dir", ""], {}, /--allow-dir "": no such folder/],
    ["a folder in a file", ["--allow-dir", `${import.meta.path}/x`], {}, /no such folder/],
    ["a file for a folder", ["--allow-dir", import.meta.path], {}, /not a folder/],
    ["a render mode that does not exist", [], { BCP_RENDER_MODE: "pdf" }, /BCP_RENDER_MODE|--render-mode/],
    ["a timeout that is no number", [], { BCP_CLI_TIMEOUT_MS: "soon" }, /BCP_CLI_TIMEOUT_MS/],
  ])("%s stops the start with a reason", async (_, args, env, said) => {
    const { stderr, exitCode } = await pipe([], args, env);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(said);
  });
});

/** A zstd frame by hand: "128 KiB of the same byte" in four bytes, 2048 times: the 256 MiB that the format allows. */
function bomb(): Uint8Array {
  const word = (last: number): number[] => [last | 2, 0, 0x10, 0];
  const words = Array.from({ length: 2048 }, (_, at) => word(at === 2047 ? 1 : 0));
  return Uint8Array.from([
    ...Buffer.from("BCP\0\x01\0\x01\0", "latin1"),
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0,
    0x58,
    ...words.flat(),
  ]);
}

function readCall(id: number, file: string): string {
  const params = { name: "read_bcp_file", arguments: { path: file } };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}
