// The acceptance lines of the proxy as it was first specified, one test each, in their order and words.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { decode, encodePlain, render } from "@bosun/bcp";
import { blocksOf, countTokens } from "@bosun/shrink";
import {
  bun,
  cleanUp,
  entry,
  faulty,
  folder,
  json,
  listed,
  original,
  record,
  shown,
  start,
  tool,
  until,
} from "../../proxy/test/proxy-process.ts";
import type { Proxied } from "../../proxy/test/proxy-process.ts";

afterAll(cleanUp);

const CODE = `Here it is:\n\n\`\`\`typescript\n${"export function add(a: number, b: number): number {\n  return a + b;\n}\n".repeat(12)}\`\`\`\n`;
const LISTING = `src\n${Array.from({ length: 60 }, (_, n) => `├── module-${n}.ts`).join("\n")}\n└── last.ts\n`;
const DATA = JSON.stringify(
  { rows: Array.from({ length: 40 }, (_, n) => ({ id: n, name: `row ${n}` })) },
  undefined,
  4,
);
const DIFF = "diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n";
const WORDS = "Nothing here is code, a list or data. It is a sentence, and then another one.";

/** As clients' configurations name it. */
const program = [...bun, entry, "--mode", "proxy"];

/** The proxy with one faulty server behind it, named as the specification names one. */
function asSpecified(options: string[], env: Record<string, string> = {}): Promise<Proxied> {
  const [command = "", ...flags] = [...bun, faulty, record()];
  const behind = ["--downstream-command", command, "--downstream-args", flags.join(",")];
  return start({ program, behind: [...behind, ...options], env });
}

/** A `bcp` that says what it was asked, and does it. */
function ownBinary(): { program: string; asked: () => string[]; manifests: () => Manifest[] } {
  const log = record();
  const manifests = record();
  const file = path.join(folder, `bcp-${path.basename(log)}`);
  const real = path.resolve(import.meta.dir, "../../bcp/src/main.ts");
  const words = [...bun, real].map((word) => `'${word}'`).join(" ");
  writeFileSync(
    file,
    `#!/bin/sh\necho "$1" >> '${log}'\n[ "$1" = encode ] && { cat "$2"; echo; } >> '${manifests}'\nexec ${words} "$@"\n`,
    { mode: 0o700 },
  );
  const lines = (name: string): string[] =>
    readFileSync(name, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  return {
    program: file,
    asked: () => lines(log),
    manifests: () => lines(manifests).map((line) => JSON.parse(line) as Manifest),
  };
}

type Manifest = { blocks: { type: string; content: string; summary?: string }[] };

/** What the proxy takes a result for: its blocks in the recording of a session with just this result. */
async function recorded(text: string): Promise<string[]> {
  const file = path.join(folder, `accept-${Bun.hash(text)}.bcp`);
  {
    await using proxied = await start({ program, options: ["--record", file] });
    await proxied.call("plain", { text });
  }
  return decode(new Uint8Array(readFileSync(file))).blocks.map(({ type }) => type);
}

test.concurrent("Proxy spawns downstream MCP server and completes initialization", async () => {
  await using proxied = await asSpecified(["--render-mode", "xml"]);
  expect(proxied.client.serverInfo).toEqual({ name: "faulty", version: "1" });
});

describe("tools/list returns merged tools (local BCP tools + downstream tools)", () => {
  test.concurrent("and each of them can be called", async () => {
    await using proxied = await asSpecified([]);
    const names = await proxied.names();
    expect(names[0]).toBe("ok");
    expect(names).toEqual(expect.arrayContaining(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]));
    const bcp = path.join(folder, "merged.bcp");
    writeFileSync(bcp, encodePlain(blocksOf(CODE, { toolName: "t" })));
    expect((await proxied.call("read_bcp_file", { path: bcp, mode: "minimal" })).text).toContain("return a + b;");
    expect((await proxied.call("read_bcp_file", { path: "/no/such.bcp" })).failed).toBe(true);
    expect((await proxied.call("ok")).text).toBe("fine");
  });

  test.concurrent.each(["on", "off"])("a downstream tool of the same name is prefixed (--pins %s)", async (pins) => {
    const server = json({ name: "other", tools: [tool("read_bcp_file"), tool("theirs")] });
    await using proxied = await start({ program, options: ["--pins", pins], server: [...bun, listed, server] });
    const names = await proxied.names();
    expect(names).toEqual(expect.arrayContaining(["read_bcp_file", "listed-server__read_bcp_file", "theirs"]));
    expect((await proxied.call("read_bcp_file", { path: "/no/such.bcp" })).text).toContain("does not exist");
    expect((await proxied.call("listed-server__read_bcp_file")).text).not.toContain("does not exist");
  });

  test.concurrent("bosun proxy lists the downstream's names only", async () => {
    const server = json({ name: "other", tools: [tool("theirs")] });
    await using proxied = await start({ server: [...bun, listed, server] });
    expect((await proxied.names()).filter((name) => name.endsWith("_bcp_file"))).toEqual([]);
  });
});

test.concurrent("tools/call for a downstream tool forwards the request and returns the result", async () => {
  await using proxied = await start({ program });
  expect(await proxied.call("plain", { text: WORDS })).toEqual({ failed: false, text: WORDS });
  expect(proxied.ran("plain")).toBe(1);
});

describe("Tool results containing", () => {
  test.concurrent.each([
    ["fenced code blocks are detected and wrapped as CODE blocks", CODE, "code"],
    ["directory listings are detected as FILE_TREE blocks", LISTING, "file_tree"],
    ["valid JSON are detected as STRUCTURED_DATA blocks", DATA, "structured_data"],
    ["unified diffs are detected as DIFF blocks", DIFF, "diff"],
  ])("%s", async (_, text, type) => {
    expect(await recorded(text)).toContain(type);
  });
});

describe("Tool results below the confidence threshold are passed through unmodified", () => {
  test.concurrent("words, whatever the render mode", async () => {
    for (const options of [[], ["--render-mode", "xml"]]) {
      await using proxied = await start({ program, options });
      const given = await proxied.client.callTool("plain", { text: WORDS });
      expect(given).toEqual({ content: [{ type: "text", text: WORDS }] });
    }
    expect(await recorded(WORDS)).toEqual(["tool_result"]);
  });

  test.concurrent.each(["0.96", "1", "1.0"])("what is surer than usual, but less sure than %s", async (threshold) => {
    for (const mode of ["xml", "minimal"]) {
      await using proxied = await asSpecified(["--render-mode", mode], { BCP_DETECT_THRESHOLD: threshold });
      for (const text of [CODE, LISTING, DATA]) {
        const given = await proxied.client.callTool("plain", { text });
        expect(given).toEqual({ content: [{ type: "text", text }] });
      }
    }
  });
});

describe("Proxy encodes detected blocks via `bcp encode`, then decodes via `bcp decode`", () => {
  test.concurrent("with the binary that BCP_CLI_PATH names", async () => {
    const bcp = ownBinary();
    await using proxied = await asSpecified(["--render-mode", "minimal"], { BCP_CLI_PATH: bcp.program });
    const given = await proxied.client.callTool("plain", { text: DATA });
    expect(bcp.asked()).toEqual(["encode", "decode"]);
    expect(shown(given)).toContain(JSON.stringify(JSON.parse(DATA)));
    expect(await original(proxied, given)).toBe(DATA);
    // "Generate summaries for large blocks (>500 chars)"
    const [manifest] = bcp.manifests();
    expect(manifest?.blocks).toEqual([expect.objectContaining({ type: "structured_data", format: "json" })]);
    expect(manifest?.blocks[0]?.summary).toMatch(/^json: \d+ lines?, \d+ characters$/);
  });

  test.concurrent(
    "what a manifest of the reference has no type for is encoded here and decoded by the binary",
    async () => {
      const bcp = ownBinary();
      await using proxied = await asSpecified(["--render-mode", "minimal"], { BCP_CLI_PATH: bcp.program });
      expect((await proxied.call("plain", { text: LISTING })).text).toContain("module-59.ts");
      expect(bcp.asked()).toEqual(["decode"]);
    },
  );

  test.concurrent("a binary that is not there costs nothing but the rendering, and the log says so", async () => {
    let log = "";
    await using proxied = await start({
      program,
      options: ["--render-mode", "xml"],
      env: { BCP_CLI_PATH: "/no/such/bcp" },
      onStderr: (text) => void (log += text),
    });
    const given = await proxied.client.callTool("plain", { text: DATA });
    expect(shown(given)).not.toContain("<data");
    await until(() => log.includes("BCP_CLI_PATH"));
    expect(log).toContain("/no/such/bcp cannot be started");
  });

  test.concurrent("a block has a summary from 501 characters on", async () => {
    const bcp = ownBinary();
    await using proxied = await asSpecified(["--render-mode", "minimal"], { BCP_CLI_PATH: bcp.program });
    for (const length of [500, 501]) {
      const list = JSON.stringify(["x".repeat(length - 4)]);
      await proxied.call("plain", { text: JSON.stringify(JSON.parse(list), undefined, 8) });
    }
    expect(bcp.manifests().map(({ blocks }) => blocks[0]?.summary === undefined)).toEqual([true, false]);
  });
});

describe("Rendered proxy output uses fewer tokens than the raw tool result text", () => {
  const RESULTS = [CODE, LISTING, DATA, DIFF, WORDS];
  const OPENING = { xml: "<context>", markdown: "```json", minimal: "--- data [json] ---" };

  test.concurrent.each(["xml", "markdown", "minimal"] as const)("as %s: fewer, or the text as it is", async (mode) => {
    await using proxied = await asSpecified(["--render-mode", mode]);
    for (const text of RESULTS) {
      const { text: given } = await proxied.call("plain", { text });
      if (given !== text) expect(countTokens(given)).toBeLessThan(countTokens(text));
    }
  });

  test.concurrent.each(["xml", "markdown", "minimal"] as const)("named by BCP_RENDER_MODE=%s", async (mode) => {
    await using proxied = await asSpecified([], { BCP_RENDER_MODE: mode });
    const { text } = await proxied.call("plain", { text: DATA });
    expect(text).toContain(JSON.stringify(JSON.parse(DATA)));
    expect(text.trimStart().split("\n")[0]).toBe(OPENING[mode]);
  });

  test.concurrent("a rendering does not compete with folds: it only has to be smaller than the text", async () => {
    const texts = [LISTING, DATA, '{"a":\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n1}'];
    await using proxied = await asSpecified(["--render-mode", "minimal"]);
    for (const text of texts) {
      const blocks = decode(encodePlain(blocksOf(text, { toolName: "plain", compact: true }))).blocks;
      const rendering = render(blocks, { mode: "minimal" });
      const isSmaller = countTokens(rendering) < countTokens(text);
      expect((await proxied.call("plain", { text })).text === rendering).toBe(isSmaller);
    }
  });
});

test.concurrent("Downstream server crash is handled gracefully (error returned, not server crash)", async () => {
  await using proxied = await start({ program });
  expect(await proxied.call("die")).toEqual({ failed: true, text: expect.stringContaining("exit 3") });
  expect(await proxied.call("ok")).toEqual({ failed: false, text: "fine" });
});

test.concurrent("Proxy shuts down downstream server when stdin is closed", async () => {
  const proxied = await start({ program });
  const [server = 0] = JSON.parse((await proxied.call("children")).text) as number[];
  await proxied.client.close();
  expect(() => process.kill(server, 0)).toThrow();
});
