// Finding out what a server speaks, from servers of all kinds.
import { describe, expect, test } from "bun:test";
import path from "node:path";
import { connectChild, connectHttp, connectTransport } from "../src/client/connect.ts";
import type { Client } from "../src/client/client.ts";
import { ConnectionError } from "../src/wire/rpc-error.ts";
import { transportPair } from "../src/wire/transport.ts";
import { serveConnection } from "../src/server/connection.ts";
import { BUN } from "./fixtures/stdio-child.ts";
import { serveOnLoopback } from "./auth/fixtures/loopback-server.ts";
import { kitchenSink } from "./fixtures/kitchen-sink.ts";

const [command = "", ...flags] = BUN;
const SCRIPT = path.join(import.meta.dirname, "fixtures/odd-server.ts");

function meet(oddity: string, options: object = {}): Promise<Client> {
  return connectChild(
    { command, args: [...flags, SCRIPT, oddity], graceMs: 300 },
    { name: "c", version: "0", probeTimeoutMs: oddity === "silent" ? 700 : 10_000, ...options },
  );
}

describe("over stdio", () => {
  test.each<[string, "legacy" | "modern", string]>([
    ["modern", "modern", "2026-07-28"],
    ["-32022, then modern", "modern", "2026-07-28"],
    ["-32601", "legacy", "2025-11-25"],
    ["-32600", "legacy", "2025-11-25"],
    ["-32602", "legacy", "2025-11-25"],
    ["-32000", "legacy", "2025-11-25"],
    ["-32020", "legacy", "2025-11-25"],
    ["-1", "legacy", "2025-11-25"],
    ["exits", "legacy", "2025-11-25"],
    ["silent", "legacy", "2025-11-25"],
    ["nonsense", "legacy", "2025-11-25"],
    ["malformed discovery", "legacy", "2025-11-25"],
    ["future only", "legacy", "2025-11-25"],
    ["-32022, legacy only", "legacy", "2025-11-25"],
    ["-32022 without a list", "legacy", "2025-11-25"],
    ["speaks 2024", "legacy", "2024-11-05"],
  ])("a server that is '%s' is %s", async (oddity, era, revision) => {
    const client = await meet(oddity);
    expect({ era: client.era, revision: client.revision, name: client.serverInfo?.["name"] }).toEqual({
      era,
      revision,
      name: oddity,
    });
    expect(await client.listTools()).toHaveLength(1);
    expect((await client.callTool("t")).content).toEqual([]);
    await client.close();
  });

  test("-32022 for ever is modern: initialize is never tried", async () => {
    const client = await meet("-32022 for ever");
    expect(client.era).toBe("modern");
    await client.close();
  });

  test.each<[string, object, string]>([
    ["speaks the future", {}, "2099-01-01"],
    ["dies on initialize", { era: "legacy" }, "closed"],
    ["deaf", { probeTimeoutMs: 300, timeoutMs: 300 }, "no answer"],
  ])("a server that '%s' is given up with a reason", async (oddity, options, reason) => {
    const error: unknown = await meet(oddity, options).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toContain(reason);
  });

  test.each<[string, string, RegExp]>([
    ["dies in a call", "closed", /closed the connection/],
    ["never answers calls", "timeout", /tools\/call: no answer within 200 ms/],
  ])("a server that %s fails the call", async (oddity, reason, message) => {
    const client = await meet(oddity, { era: "legacy", timeoutMs: 200 });
    const error: unknown = await client.callTool("t").then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toMatchObject({ reason });
    expect(String(error)).toMatch(message);
    await client.close();
  });

  test("a command that is not there is said to be not there", async () => {
    const missing = connectChild({ command: "/no/such/program" }, { name: "c", version: "0" });
    await expect(missing).rejects.toThrow("could not start /no/such/program");
    const nowhere = connectChild({ command: "ls", cwd: "/no/such/folder" }, { name: "c", version: "0" });
    await expect(nowhere).rejects.toThrow("in /no/such/folder");
  });

  test("a pinned era is not questioned", async () => {
    const client = await meet("silent", { era: "modern" });
    expect(client.era).toBe("modern");
    expect(await client.listTools()).toHaveLength(1);
    await client.close();
  });

  test("a connection that cannot be opened again is kept when the probe gets no answer", async () => {
    const [mine, theirs] = transportPair();
    void serveConnection(
      {
        handle(call) {
          if (call.method !== "initialize") return new Promise(() => {});
          return { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "x", version: "0" } };
        },
      },
      theirs,
    );
    const client = await connectTransport(mine, { name: "c", version: "0", probeTimeoutMs: 50 });
    expect(client.revision).toBe("2025-06-18");
    await client.close();
  });

  test("both eras of our own server", async () => {
    for (const [era, revision] of [
      ["auto", "2026-07-28"],
      ["legacy", "2025-11-25"],
    ] as const) {
      const [mine, theirs] = transportPair();
      void serveConnection(kitchenSink(), theirs);
      const client = await connectTransport(mine, { name: "c", version: "0", era });
      expect(client.revision).toBe(revision);
      await client.ping();
      await client.close();
    }
  });
});

describe("over HTTP", () => {
  const json = (body: unknown, status = 200, headers = {}): Response =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
  const error = (id: unknown, code: number, data?: unknown): object => ({
    jsonrpc: "2.0",
    id,
    error: { code, message: "no", ...(data ? { data } : {}) },
  });
  type Probe = (id: unknown, times: number) => Response;
  const DISCOVERED = { supportedVersions: ["2026-07-28"], capabilities: {}, resultType: "complete" };

  async function meetHttp(probe: Probe): Promise<string> {
    let probes = 0;
    await using server = serveOnLoopback(({ method, text }) => {
      if (method !== "POST") return new Response(null, { status: 405 });
      const message = JSON.parse(text) as { id?: unknown; method: string };
      if (message.method === "server/discover") return probe(message.id, ++probes);
      if (message.id === undefined) return new Response(null, { status: 202 });
      return json({
        jsonrpc: "2.0",
        id: message.id,
        result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: {} },
      });
    });
    const client = await connectHttp(server.origin, { name: "c", version: "0" });
    const { era } = client;
    await client.close();
    return era;
  }

  test.each<[string, Probe, "legacy" | "modern"]>([
    ["a discovery", (id) => json({ jsonrpc: "2.0", id, result: DISCOVERED }), "modern"],
    ["a result that is no discovery", (id) => json({ jsonrpc: "2.0", id, result: { tools: [] } }), "legacy"],
    [
      "-32022 with a version of ours",
      (id, times) =>
        times === 1
          ? json(error(id, -32022, { supported: ["2026-07-28"] }), 400)
          : json({ jsonrpc: "2.0", id, result: DISCOVERED }),
      "modern",
    ],
    ["-32022 with legacy versions", (id) => json(error(id, -32022, { supported: ["2025-11-25"] }), 400), "legacy"],
    ["-32020", (id) => json(error(id, -32020), 400), "modern"],
    ["-32020 with id null", () => json(error(null, -32020), 400), "modern"],
    ["-32021", (id) => json(error(id, -32021), 400), "modern"],
    ["404 with -32601", (id) => json(error(id, -32601), 404), "legacy"],
    ["200 with -32601", (id) => json(error(id, -32601)), "legacy"],
    ["400 with a page", () => new Response("<h1>Bad</h1>", { status: 400 }), "legacy"],
    ["400 with id null", () => json(error(null, -32000), 400), "legacy"],
    ["405", () => new Response(null, { status: 405 }), "legacy"],
    ["a 200 that is no JSON", () => new Response("hello"), "legacy"],
  ])("%s", async (_, probe, era) => {
    expect(await meetHttp(probe)).toBe(era);
  });

  test.each<[string, Probe, number | undefined]>([
    ["500 is an outage", () => new Response("down", { status: 500 }), 500],
    ["503 with JSON is an outage", (id) => json(error(id, -32603), 503), 503],
    ["401 says nothing of the era", () => new Response(null, { status: 401 }), 401],
    ["403 neither", () => new Response(null, { status: 403 }), 403],
  ])("%s", async (_, probe, status) => {
    await expect(meetHttp(probe)).rejects.toMatchObject({ status });
  });

  test("nobody there is an outage", async () => {
    await expect(connectHttp("http://127.0.0.1:1/mcp", { name: "c", version: "0" })).rejects.toBeInstanceOf(
      ConnectionError,
    );
  });
});
