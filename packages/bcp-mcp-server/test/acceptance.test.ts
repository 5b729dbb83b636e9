// The acceptance lines of the proxy as it was first specified, one test each, in their order and words.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import { decode, encodePlain, render } from "@bosun/bcp";
import { blocksOf, countTokens } from "@bosun/shrink";
import {
  bun,
  cleanUp,
  entry,
  faulty,
  folder,
  json,
  record,
  shown,
  start,
  stateIn,
  tool,
  unfolded,
} from "../../proxy/test/proxied.ts";

afterAll(cleanUp);

const CODE =
  "Here it is:\n\n```typescript\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n```\n";
const LISTING = "src\n├── index.ts\n├── proxy\n│   ├── relay.ts\n│   └── way.ts\n└── tools\n    └── read.ts\n";
const DATA = '{\n  "name": "bosun",\n  "tags": ["a", "b"],\n  "size": 12345678901234567890\n}';
const DIFF = "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n";
const WORDS = "Nothing here is code, a list or data. It is a sentence, and then another one.";

/** What the proxy takes a result for: its blocks in the recording of a session with just this result. */
async function recorded(text: string): Promise<string[]> {
  const file = path.join(folder, `accept-${Bun.hash(text)}.bcp`);
  {
    await using proxied = await start({ options: ["--record", file] });
    await proxied.call("plain", { text });
  }
  return decode(new Uint8Array(readFileSync(file))).blocks.map(({ type }) => type);
}

test.concurrent(
  "Proxy spawns downstream MCP server and completes initialization (as clients' configurations name it)",
  async () => {
    const [command = "", ...flags] = bun;
    const log = record();
    const args = [...flags, entry, "--mode", "proxy", "--downstream-command", command, "--downstream-args"];
    const client = await connectChild(
      { command, args: [...args, [...flags, faulty, log].join(","), "--render-mode", "xml"], env: stateIn() },
      { name: "t", version: "1", era: "legacy" },
    );
    expect(client.serverInfo).toEqual({ name: "faulty", version: "1" });
    // "tools/list returns merged tools (local BCP tools + downstream tools)"
    const names = (await client.listTools()).map(({ name }) => name);
    expect(names[0]).toBe("ok");
    expect(names.slice(-4)).toEqual(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file", "read_original"]);
    const bcp = path.join(folder, "merged.bcp");
    writeFileSync(bcp, encodePlain(blocksOf(CODE, { toolName: "t" })));
    expect(shown(await client.callTool("read_bcp_file", { path: bcp, mode: "minimal" }))).toContain("return a + b;");
    expect((await client.callTool("read_bcp_file", { path: "/no/such.bcp" })).isError).toBe(true);
    expect(shown(await client.callTool("ok"))).toBe("fine");
    await client.close();
  },
);

test.concurrent("tools/list returns merged tools (local tools + downstream tools)", async () => {
  const [command = "", ...flags] = bun;
  const listed = path.resolve(import.meta.dir, "../../proxy/test/fixtures/listed-server.ts");
  const servers = json({
    mcpServers: {
      bcp: { command, args: [...flags, entry, "--mode", "reader"] },
      other: { command, args: [...flags, listed, json({ name: "other", tools: [tool("theirs")] })] },
    },
  });
  await using proxied = await start({ servers });
  expect(await proxied.names()).toEqual([
    "read_bcp_file",
    "inspect_bcp_file",
    "encode_bcp_file",
    "theirs",
    "read_original",
  ]);
});

test.concurrent("tools/call for a downstream tool forwards the request and returns the result", async () => {
  await using proxied = await start();
  expect(await proxied.call("plain", { text: WORDS })).toEqual({ failed: false, text: WORDS });
  expect(proxied.ran("plain")).toBe(1);
});

describe("tool results are detected", () => {
  test.concurrent.each([
    ["fenced code blocks as CODE blocks", CODE, "code"],
    ["directory listings as FILE_TREE blocks", LISTING, "file_tree"],
    ["valid JSON as STRUCTURED_DATA blocks", DATA, "structured_data"],
    ["unified diffs as DIFF blocks", DIFF, "diff"],
  ])("%s", async (_, text, type) => {
    expect(await recorded(text)).toContain(type);
  });
});

test.concurrent("Tool results below the confidence threshold are passed through unmodified", async () => {
  await using proxied = await start();
  expect(await proxied.client.callTool("plain", { text: WORDS })).toEqual({ content: [{ type: "text", text: WORDS }] });
  expect(await recorded(WORDS)).toEqual(["tool_result"]);
});

test.concurrent("and what is above the usual threshold but below the one that was set is so, too", async () => {
  await using proxied = await start({ env: { BCP_DETECT_THRESHOLD: "0.96" } });
  const tree = await proxied.client.callTool("tree");
  expect(Object.keys(tree)).toEqual(["content"]);
  expect(JSON.parse(shown(tree))).toHaveLength(12);
});

test.concurrent.each([CODE, LISTING, DATA, DIFF])("Proxy encodes detected blocks, then decodes them: %#", (text) => {
  const blocks = blocksOf(text, { toolName: "plain" });
  const back = decode(encodePlain(blocks)).blocks;
  expect(back.map(({ type }) => type)).toEqual(blocks.map(({ type }) => type));
  expect(render(back, { mode: "minimal" }).length).toBeGreaterThan(0);
});

test.concurrent("Rendered proxy output uses fewer tokens than the raw tool result text, and never more", async () => {
  await using proxied = await start();
  const tree = await proxied.client.callTool("tree");
  const [raw = ""] = await unfolded([{ text: shown(tree), meta: tree._meta }]);
  expect(countTokens(shown(tree))).toBeLessThan(countTokens(raw) / 4);
  for (const text of [CODE, LISTING, DATA, DIFF, WORDS]) {
    expect(countTokens((await proxied.call("plain", { text })).text)).toBeLessThanOrEqual(countTokens(text));
  }
});

test.concurrent("Downstream server crash is handled gracefully (error returned, not server crash)", async () => {
  await using proxied = await start();
  expect(await proxied.call("die")).toEqual({ failed: true, text: expect.stringContaining("exit 3") });
  expect(await proxied.call("ok")).toEqual({ failed: false, text: "fine" });
});

test.concurrent("Proxy shuts down downstream server when stdin is closed", async () => {
  const proxied = await start();
  const [server = 0] = JSON.parse((await proxied.call("children")).text) as number[];
  await proxied.client.close();
  expect(() => process.kill(server, 0)).toThrow();
});
