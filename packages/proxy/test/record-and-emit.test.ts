// Results as BCP: recorded to a file, or rendered for the model where that is fewer tokens.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { decode, render } from "@bosun/bcp";
import type { Block } from "@bosun/bcp";
import { countTokens, ORIGINAL_KEY, Originals, Shrinker } from "@bosun/shrink";
import type { ToolResult } from "@bosun/shrink";
import { Recording } from "../src/results/recording.ts";
import { BcpRendering } from "../src/results/bcp-rendering.ts";
import {
  bun,
  cleanUp,
  proxyCommand,
  faulty,
  folder,
  original,
  reasonOf,
  record,
  run,
  shown,
  start,
  stateIn,
  unfolded,
} from "./proxy-process.ts";

afterAll(cleanUp);

const PATCH = [
  "diff --git a/a.txt b/a.txt",
  "--- a/a.txt",
  "+++ b/a.txt",
  "@@ -1,2 +1,2 @@",
  " one",
  "-two",
  "+three",
  "",
].join("\n");

/** Words that nobody has seen, far in: what there is to leave out is white space. */
const RECORD = JSON.stringify(
  { of: { all: Array.from({ length: 60 }, (_, i) => `${Bun.hash(`${i}`).toString(36)}, ${i}`) } },
  undefined,
  4,
);

function texts(blocks: readonly Block[]): string[] {
  return blocks.map((block) => ("content" in block ? new TextDecoder().decode(block.content) : block.type));
}

test.concurrent("--record writes what the servers said as one payload, typed, at the end", async () => {
  const file = path.join(folder, "session.bcp");
  {
    await using proxied = await start({ options: ["--record", file] });
    await proxied.call("plain", { text: "Just words." });
    await proxied.call("tree");
    await proxied.call("plain", { text: PATCH });
    await proxied.call("plain", { text: '{"a": [1, 2, 3], "b": {"c": "d"}}' });
    await proxied.call("plain", { text: "```ts\nexport const answer = 42;\n```" });
    expect(existsSync(file)).toBe(false);
  }
  const { blocks } = decode(new Uint8Array(readFileSync(file)));
  const types = ["tool_result", "file_tree", "annotation", "diff", "structured_data", "code", "annotation"];
  expect(blocks.map(({ type }) => type)).toEqual(types as Block["type"][]);
  expect(texts(blocks)[0]).toBe("Just words.");
  expect(texts(blocks)[4]).toBe('{"a": [1, 2, 3], "b": {"c": "d"}}');
  expect(blocks[0]).toMatchObject({ toolName: "plain", status: "ok" });
  expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test.concurrent("where a block holds less than was said, a tag that nobody renders has all of it", async () => {
  const file = path.join(folder, "whole.bcp");
  const recording = new Recording(file);
  const sizes = `[FILE] ${"a.md".padEnd(30)} ${"4.99 KB".padStart(10)}\n[DIR] ${"b".padEnd(30)} \n\nTotal: 1 files, 1 directories`;
  const resource = { type: "resource", resource: { uri: "file:///x", text: "Said." } };
  const said = [
    sizes,
    sizes.replace("4.99 KB", "  499 B"),
    "[FILE] a.md\n[DIR] b",
    "Half: \ud800",
    "```ts\nlet a;\n```",
  ];
  for (const text of said) recording.add("t", { content: [{ type: "text", text }] });
  recording.add("t", { content: [resource] });
  await recording.write();
  const { blocks } = decode(new Uint8Array(readFileSync(file)));
  const given = blocks.flatMap((block) =>
    block.type === "annotation" ? [JSON.parse(new TextDecoder().decode(block.value)) as object] : [],
  );
  const tag = (content: object) => ({ "bosun/given": { tool: "t", content } });
  expect(texts(blocks)[0]).toBe(sizes);
  expect(given).toEqual([...said.slice(1).map((text) => tag({ type: "text", text })), tag(resource)]);
  const targets = blocks.flatMap((block) => (block.type === "annotation" ? [blocks[block.targetBlockId]?.type] : []));
  expect(targets).toEqual(["file_tree", "file_tree", "tool_result", "code", "tool_result"]);
  expect(render(blocks, { mode: "minimal" })).not.toContain("bosun/given");
  expect(render(blocks, { mode: "minimal" })).not.toContain("(0 bytes)");
});

test.concurrent("a session without results has nothing to record, and that is no failure", async () => {
  const file = path.join(folder, "nothing.bcp");
  const { code, err } = await run(["--record", file, "--", ...bun, faulty, record()]);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("recorded nothing") });
  expect(existsSync(file)).toBe(false);
});

test.concurrent.each<[string, (file: string) => void]>([
  ["somebody's file", (file) => writeFileSync(file, "precious")],
  ["a folder", (file) => mkdirSync(file)],
  ["a link, also to a payload", (file) => symlinkSync("session.bcp", file)],
])("--record does not take the place of %s", async (what, make) => {
  const file = path.join(folder, `there-${what.replaceAll(" ", "-")}.bcp`);
  make(file);
  const before = lstatSync(file).ctimeMs;
  const { code, err } = await run(["--record", file, "--", ...bun, faulty, record()]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("name another file, or move this one away") });
  expect(lstatSync(file).ctimeMs).toBe(before);
  const recording = new Recording(file);
  recording.add("t", { content: [{ type: "text", text: "x" }] });
  expect(await reasonOf(recording.write())).toContain("is no BCP payload");
  expect(lstatSync(file).ctimeMs).toBe(before);
});

test.concurrent("--record takes the place of an earlier payload, whole", async () => {
  const file = path.join(folder, "again.bcp");
  for (const text of ["the first session", "the second"]) {
    await using proxied = await start({ options: ["--record", file] });
    await proxied.call("plain", { text });
  }
  expect(texts(decode(new Uint8Array(readFileSync(file))).blocks)).toEqual(["the second"]);
});

test.concurrent("pictures, sounds and structured content are recorded too, and can be rendered", async () => {
  const file = path.join(folder, "all-kinds.bcp");
  const recording = new Recording(file);
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  const audio = { type: "audio", data: "aGk=", mimeType: "audio/wav" };
  recording.add("t", { content: [image, audio] });
  recording.add("t", { content: [], structuredContent: { n: 1 } }, '{"n":1.0}');
  recording.add("t", { content: [{ type: "text", text: '{"n": 1}' }], structuredContent: { n: 1 } }, '{"n":1}');
  expect(await recording.write()).toContain("3 results in 4 blocks");
  const { blocks } = decode(new Uint8Array(readFileSync(file)));
  expect(blocks.map(({ type }) => type)).toEqual(["image", "structured_data", "structured_data", "structured_data"]);
  expect(texts(blocks).slice(1)).toEqual([JSON.stringify(audio), '{"n":1.0}', '{"n": 1}']);
  expect(new TextDecoder().decode((blocks[0] as { data: Uint8Array }).data)).toBe("data:image/png;base64,aGk=");
  for (const mode of ["xml", "markdown", "minimal"] as const) expect(render(blocks, { mode })).not.toBe("");
});

test.concurrent(
  "a place that cannot be written is said before the session, and at its end by the exit code",
  async () => {
    const child = Bun.spawn([...proxyCommand, "--record", "/no/such/folder/x.bcp", "--", ...bun, faulty], {
      stdin: "pipe",
      stdout: "ignore",
      stderr: "pipe",
      env: { ...process.env, ...stateIn() },
    });
    const reader = child.stderr.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/warn: --record .*ENOENT/);
    const greeting = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    for (const message of [
      { id: 1, method: "initialize", params: greeting },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "ok" } },
    ])
      await child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    await child.stdin.end();
    expect(await child.exited).toBe(1);
  },
);

test.concurrent("where a budget has no room for a large block, its summary stands in its place", async () => {
  await using proxied = await start({ options: ["--render-mode", "minimal", "--budget", "60"] });
  const result = await proxied.client.callTool("plain", { text: RECORD });
  expect(shown(result)).toMatch(/json: \d+ lines?, \d+ characters/);
  expect(await original(proxied, result)).toBe(RECORD);
});

test.concurrent.each(["xml", "markdown", "minimal"])("--budget holds for renderings too (%s)", async (mode) => {
  await using proxied = await start({ options: ["--render-mode", mode, "--budget", "120"] });
  const tree = await proxied.client.callTool("tree");
  expect(countTokens(shown(tree))).toBeLessThanOrEqual(120);
  expect(await original(proxied, tree)).toContain("module-143.ts");
});

test.concurrent("a recording has a bound, and says what it left out", async () => {
  const file = path.join(folder, "bounded.bcp");
  const recording = new Recording(file, undefined, 1000);
  for (let n = 0; n < 5; n++) recording.add("t", { content: [{ type: "text", text: `${n}`.repeat(400) }] });
  await recording.write();
  const { blocks } = decode(new Uint8Array(readFileSync(file)));
  expect(blocks).toHaveLength(3);
  expect(texts(blocks)[2]).toContain("3 further results not recorded");
});

test.concurrent("a recording that cannot be written is said, and the session was served all the same", async () => {
  await using proxied = await start({ options: ["--record", "/no/such/folder/x.bcp"] });
  expect((await proxied.call("ok")).text).toBe("fine");
});

describe.each(["xml", "markdown", "minimal"])("--emit bcp --render-mode %s", (mode) => {
  test.concurrent("data is rendered in fewer tokens than were sent, and the handle gives back every byte", async () => {
    await using proxied = await start({ options: ["--emit", "bcp", "--render-mode", mode] });
    const result = await proxied.client.callTool("plain", { text: RECORD });
    expect(shown(result)).toContain(mode === "xml" ? '<data format="json">' : "json");
    expect(shown(result)).toContain(JSON.stringify(JSON.parse(RECORD)));
    expect(countTokens(shown(result))).toBeLessThan(countTokens(RECORD));
    expect(await original(proxied, result)).toBe(RECORD);
    // A rendering cannot be taken back from itself: unfold says so and names who can.
    expect(await unfolded([{ text: shown(result), meta: result._meta }])).toEqual([undefined as unknown as string]);
  });

  test.concurrent("a listing is rendered where that is smaller than the text, whatever a fold would cost", async () => {
    await using proxied = await start({ options: ["--render-mode", mode] });
    const result = await proxied.client.callTool("tree");
    expect(shown(result)).toContain("folder-11/\n  module-132.ts");
    expect(JSON.parse(await original(proxied, result))).toHaveLength(12);
  });

  test.concurrent("what would not get smaller passes as it came", async () => {
    await using proxied = await start({ options: ["--render-mode", mode] });
    for (const text of ["Just words.", PATCH, "```ts\nexport const answer = 42;\n```"]) {
      const result = await proxied.client.callTool("plain", { text });
      expect(countTokens(shown(result))).toBeLessThanOrEqual(countTokens(text));
      const [back] = await unfolded([{ text: shown(result), meta: result._meta }]);
      expect(back ?? (await original(proxied, result))).toBe(text);
    }
  });
});

test.concurrent("--emit text is folded, whatever the mode", async () => {
  await using proxied = await start({ options: ["--emit", "text", "--render-mode", "xml"] });
  const result = await proxied.client.callTool("tree");
  expect(shown(result)).not.toContain("<");
  expect(result._meta?.[ORIGINAL_KEY]).toBeString();
  expect(await unfolded([{ text: shown(result), meta: result._meta }])).toEqual([await original(proxied, result)]);
});

test.concurrent("texts of one result are rendered, folded or left one by one, and its copy is dropped", async () => {
  const originals = new Originals();
  const shrinker = new Shrinker({ originals, client: "c", dropStructuredCopies: true });
  const paths = Array.from({ length: 60 }, (_, i) => `packages/some/folder/module-${i}.ts`).join("\n");
  const copied = { content: [{ type: "text", text: RECORD }], structuredContent: JSON.parse(RECORD) as object };
  const three = { content: [RECORD, paths, "Just words."].map((text) => ({ type: "text", text })) };
  const rendered = new BcpRendering({ mode: "xml", threshold: undefined, budget: undefined });
  const emit = (result: ToolResult) =>
    rendered.render(
      originals,
      { result, json: JSON.stringify(result), toolName: "t", client: "c" },
      shrinker.shrink(result, { json: JSON.stringify(result) }),
    );
  const { result, folds } = await emit(three);
  expect(result.content?.map(({ text }) => String(text).split("\n")[0])).toEqual([
    "<context>",
    expect.stringContaining("[bosun: paths by folder"),
    "Just words.",
  ]);
  expect(folds).toContain("bcp");
  const once = await emit(copied);
  expect(once).toMatchObject({ droppedStructured: true });
  expect(once.result).not.toHaveProperty("structuredContent");
});

test.concurrent("text that looks like our marks is not rendered: there it would pass for one", async () => {
  await using proxied = await start({ options: ["--emit", "bcp"] });
  const text = JSON.stringify({ ...(JSON.parse(RECORD) as object), mark: "[bosun:seen abc 1-2]" }, undefined, 4);
  expect(shown(await proxied.client.callTool("plain", { text }))).not.toContain("[bosun:seen");
});
