// The official SDKs and servers, both ways, over stdio and HTTP: other people's code, not ours.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connectChild, connectHttp } from "../src/client/connect.ts";
import type { Client } from "../src/client/client.ts";
import { serveHttp } from "../src/http/http-listener.ts";
import { kitchenSink } from "./fixtures/kitchen-sink.ts";
import { BUN, ROOT } from "./fixtures/stdio-child.ts";

const [command = "", ...flags] = BUN;
const HERE = import.meta.dirname;
const SINK = [...flags, path.join(HERE, "fixtures/sink-program.ts")];
const US = { name: "c", version: "0" };
const listening = serveHttp(kitchenSink());
const folder = mkdtempSync(path.join(tmpdir(), "bosun-peers-"));
const programs: Bun.Subprocess[] = [];
beforeAll(() => writeFileSync(path.join(folder, "hello.txt"), "hello"));
afterAll(async () => {
  for (const program of programs) program.kill("SIGKILL");
  rmSync(folder, { recursive: true });
  await listening.stop();
});

/** What the official clients have in common, as far as we use it. */
type AnyClient = Pick<
  ClientV2,
  | "listTools"
  | "callTool"
  | "listResources"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "complete"
  | "close"
  | "getServerVersion"
>;

async function tour(client: AnyClient): Promise<void> {
  expect(client.getServerVersion()?.name).toBe("kitchen-sink");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("echo");
  expect(await client.callTool({ name: "echo", arguments: { text: "ü😀" } })).toMatchObject({
    content: [{ type: "text", text: "ü😀" }],
  });
  expect(await client.callTool({ name: "sum", arguments: { numbers: [1, 2] } })).toMatchObject({
    structuredContent: { sum: 3 },
  });
  expect(await client.callTool({ name: "fail", arguments: {} })).toMatchObject({ isError: true });
  expect(await client.callTool({ name: "echo", arguments: { text: 5 } })).toMatchObject({ isError: true });
  expect((await client.listResources()).resources).toHaveLength(2);
  expect((await client.readResource({ uri: "test://a" })).contents).toMatchObject([{ text: "A" }]);
  expect((await client.listPrompts()).prompts).toHaveLength(2);
  expect((await client.getPrompt({ name: "greet", arguments: { who: "x" } })).messages).toHaveLength(2);
  expect(
    (await client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "a" } }))
      .completion.values,
  ).toEqual(["a!"]);
  const failed: unknown = await client.callTool({ name: "nope", arguments: {} }).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failed).toMatchObject({ code: -32602 });
}

const stdioParams = { command, args: SINK, env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp" } };

describe("the official v2 client against our server", () => {
  test.each<["stdio" | "http", "legacy" | "auto", string]>([
    ["stdio", "legacy", "2025-11-25"],
    ["stdio", "auto", "2026-07-28"],
    ["http", "legacy", "2025-11-25"],
    ["http", "auto", "2026-07-28"],
  ])(
    "over %s, %s",
    async (carrier, mode, version) => {
      const client = new ClientV2(US, { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } });
      client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { name: "Anna" } }));
      await client.connect(carrier === "stdio" ? new StdioV2(stdioParams) : new HttpV2(listening.url));
      await tour(client);
      expect(client.getNegotiatedProtocolVersion()).toBe(version);
      const progress: number[] = [];
      await client.callTool(
        { name: "steps", arguments: { values: [1, 2, 3], pauseMs: 30 } },
        { onprogress: (report) => void progress.push(report.progress) },
      );
      expect(progress).toEqual([1, 2, 3]);
      expect(JSON.stringify(await client.callTool({ name: "ask_name", arguments: {} }))).toContain("Anna");
      await client.close();
    },
    30_000,
  );
});

describe("the official v1 client against our server", () => {
  test.each(["stdio", "http"] as const)(
    "over %s",
    async (carrier) => {
      const client = new ClientV1(US, { capabilities: { elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, async () => ({
        action: "accept" as const,
        content: { name: "Anna" },
      }));
      await client.connect(
        (carrier === "stdio" ? new StdioV1(stdioParams) : new HttpV1(listening.url)) as Parameters<
          typeof client.connect
        >[0],
      );
      await tour(client as unknown as AnyClient);
      const progress: number[] = [];
      await client.callTool({ name: "steps", arguments: { values: [1, 2, 3], pauseMs: 30 } }, undefined, {
        onprogress: (report) => void progress.push(report.progress),
      });
      expect(progress).toEqual([1, 2, 3]);
      expect(JSON.stringify(await client.callTool({ name: "ask_name", arguments: {} }))).toContain("Anna");
      const stop = new AbortController();
      const waiting = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: stop.signal });
      stop.abort();
      await expect(waiting).rejects.toThrow();
      await client.close();
    },
    30_000,
  );
});

async function listeningProgram(args: string[], env: Record<string, string> = {}): Promise<string> {
  const program = Bun.spawn([...BUN, ...args], {
    stdout: "pipe",
    stderr: "pipe",
    lazy: true,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp", ...env },
  });
  programs.push(program);
  const decoder = new TextDecoder();
  let said = "";
  for await (const chunk of program.stdout) {
    said += decoder.decode(chunk, { stream: true });
    const url = /http:\/\/\S+/.exec(said)?.[0];
    if (url) return url;
  }
  throw new Error(`no address: ${said}`);
}

describe("our client against the official servers", () => {
  test.each<[string, "stdio" | "http", "auto" | "legacy", string]>([
    ["sdk-v2", "stdio", "auto", "2026-07-28"],
    ["sdk-v2", "stdio", "legacy", "2025-11-25"],
    ["sdk-v2", "http", "auto", "2026-07-28"],
    ["sdk-v2", "http", "legacy", "2025-11-25"],
    ["sdk-v1", "stdio", "auto", "2025-11-25"],
    ["sdk-v1", "http", "auto", "2025-11-25"],
  ])(
    "%s over %s, %s",
    async (name, carrier, era, revision) => {
      const script = path.join(HERE, `fixtures/peers/${name}-server.mjs`);
      const options = { ...US, era, elicit: async () => ({ action: "accept" as const, content: {} }) };
      const client: Client =
        carrier === "stdio"
          ? await connectChild({ command, args: [...flags, script] }, options)
          : await connectHttp(await listeningProgram([script, "--http"]), options);
      expect(client.revision).toBe(revision);
      expect(client.serverInfo?.["name"]).toBe(name);
      expect((await client.listTools()).map((tool) => tool.name)).toContain("echo");
      const calls = Array.from({ length: 50 }, (_, i) => client.callTool("echo", { text: `ü${i}` }));
      expect(
        (await Promise.all(calls)).map(({ content }) => (content[0]?.type === "text" ? content[0].text : "")),
      ).toEqual(Array.from({ length: 50 }, (_, i) => `ü${i}`));
      expect((await client.callTool("boom")).isError).toBe(true);
      expect((await client.readResource("test://a"))["contents"]).toMatchObject([{ text: "A" }]);
      expect((await client.getPrompt("greet", { who: "x" }))["messages"]).toHaveLength(1);
      await expect(client.readResource("test://nope")).rejects.toMatchObject({ code: expect.any(Number) });
      if (name === "sdk-v1") expect(JSON.stringify((await client.callTool("ask")).content)).toContain("nobody");
      await client.ping();
      await client.close();
    },
    30_000,
  );

  const EVERYTHING = path.join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

  test("server-filesystem over stdio", async () => {
    const script = path.join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    const client = await connectChild(
      { command, args: [...flags, script, folder] },
      { ...US, roots: () => [{ uri: `file://${folder}` }] },
    );
    expect(client.era).toBe("legacy");
    expect((await client.callTool("read_text_file", { path: path.join(folder, "hello.txt") })).content).toMatchObject([
      { text: "hello" },
    ]);
    expect((await client.callTool("read_text_file", { path: "/etc/passwd" })).isError).toBe(true);
    await client.close();
  }, 30_000);

  async function everything(client: Client): Promise<void> {
    const tools = (await client.listTools()).map(({ name }) => name);
    expect(tools).toContain("echo");
    expect(JSON.stringify((await client.callTool("echo", { message: "ü" })).content)).toContain("ü");
    expect((await client.list("resources")).length).toBeGreaterThan(0);
    expect((await client.list("prompts")).length).toBeGreaterThan(0);
    const long = tools.find((name) => /long-?running/i.test(name));
    const progress: number[] = [];
    if (long)
      await client.callTool(
        long,
        { duration: 1, steps: 3 },
        { onProgress: (report) => void progress.push(report.progress) },
      );
    expect(long === undefined || progress.length >= 2).toBe(true);
    await client.close();
  }

  test("server-everything over stdio", async () => {
    await everything(await connectChild({ command, args: [...flags, EVERYTHING, "stdio"] }, US));
  }, 30_000);

  test.each<[string, string]>([
    ["streamableHttp", "/mcp"],
    ["sse", "/sse"],
  ])(
    "server-everything over %s",
    async (kind, where) => {
      const port = await freePort();
      const program = Bun.spawn([...BUN, EVERYTHING, kind], {
        stdout: "ignore",
        stderr: "ignore",
        env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp", PORT: String(port) },
      });
      programs.push(program);
      const url = `http://127.0.0.1:${port}${where}`;
      let client: Client | undefined;
      for (let tries = 0; !client && tries < 100; tries++) {
        client = await connectHttp(url, US).catch(() => undefined);
        if (!client) await Bun.sleep(100);
      }
      if (!client) throw new Error("the server never listened");
      expect(client.revision).toBe("2025-11-25");
      await everything(client);
    },
    30_000,
  );
});

async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  await server.stop(true);
  return port;
}
