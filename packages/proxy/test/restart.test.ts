// A server that died, or that has forgotten us, and the client that does not know it.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connectHttp } from "@bosun/mcp/client";
import { cleanUp, reasonOf, start, until } from "./proxy-process.ts";
import { rawClient } from "./raw-client.ts";

afterAll(cleanUp);

/** What the server got since it was last started. */
const lastStart = (log: string): string => readFileSync(log, "utf8").split("start\n").at(-1) ?? "";

test.concurrent("a server that was started again is asked nothing before it has been greeted", async () => {
  await using client = await rawClient({ greeting: "slow" });
  expect(await client.call("die")).toContain("exit 3");
  const first = client.call("greeted");
  // While its greeting is still on the way.
  await until(() => lastStart(client.log).includes("initialize"));
  const second = client.call("greeted");
  expect(await first).toContain('"text":"true"');
  expect(await second).toContain('"text":"true"');
});

test.concurrent("a server that refuses to be greeted again is not used ungreeted", async () => {
  await using client = await rawClient({ greeting: "refuses" });
  await client.call("die");
  expect(await client.call("greeted")).toContain("refused to start again: not again");
  expect(await client.call("greeted")).toContain("refused to start again: not again");
});

test.concurrent("what a client subscribed to, and the level of its log, are asked for again", async () => {
  await using client = await rawClient({ capabilities: { tools: {}, logging: {}, resources: { subscribe: true } } });
  await client.ask("logging/setLevel", '{"level":"debug"}');
  for (const uri of ["x:kept", "x:dropped"]) await client.ask("resources/subscribe", `{"uri":"${uri}"}`);
  await client.ask("resources/unsubscribe", '{"uri":"x:dropped"}');
  await client.call("die");
  await client.call("greeted");
  const again = lastStart(client.log);
  expect(again).toContain('"level":"debug"');
  expect(again).toContain("x:kept");
  expect(again).not.toContain("x:dropped");
});

test.concurrent("a 2026-07-28 server that was started again is listened to again for an older client", async () => {
  const discovered = '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}';
  await using client = await rawClient({
    greeting: "none",
    says: {
      "server/discover": [`{"jsonrpc":"2.0","id":$ID,"result":${discovered}}`],
      "subscriptions/listen": [],
    },
  });
  await client.ask("resources/subscribe", '{"uri":"x:kept"}');
  await client.call("die");
  await client.call("greeted");
  await until(() => lastStart(client.log).includes("subscriptions/listen"));
  expect(lastStart(client.log)).toMatch(/subscriptions\/listen.*x:kept/);
});

test.concurrent("the definitions of a server that was started again are looked at before they are used", async () => {
  await using client = await rawClient({});
  await client.ask("tools/list");
  await client.call("die");
  await client.call("greeted");
  const again = lastStart(client.log);
  expect(again.indexOf('"tools/list"')).toBeGreaterThan(0);
  expect(again.indexOf('"tools/list"')).toBeLessThan(again.indexOf('"tools/call"'));
});

/** A server over HTTP with sessions, which it can forget. */
function withSessions(): Disposable & { url: string; forget(): void; methods: string[] } {
  const sessions = new Set<string>();
  const methods: string[] = [];
  const reply = (id: unknown, body: object, headers: Record<string, string> = {}, status = 200): Response =>
    Response.json({ jsonrpc: "2.0", id, ...body }, { status, headers });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: unknown; method: string };
      methods.push(method);
      if (method === "initialize") {
        const session = crypto.randomUUID();
        sessions.add(session);
        const result = {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "h", version: "1" },
        };
        return reply(id, { result }, { "mcp-session-id": session });
      }
      if (!sessions.has(request.headers.get("mcp-session-id") ?? "")) {
        return reply(id, { error: { code: -32001, message: "Session not found" } }, {}, 404);
      }
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "tools/list")
        return reply(id, { result: { tools: [{ name: "t", inputSchema: { type: "object" } }] } });
      return reply(id, { result: { content: [{ type: "text", text: "here" }] } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    forget: () => sessions.clear(),
    methods,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

test.concurrent.each(["legacy", "modern"] as const)(
  "a server over HTTP that has forgotten its sessions gets a new one, and the call (%s client)",
  async (era) => {
    using server = withSessions();
    await using proxied = await start({ behind: ["--url", server.url], client: { era } });
    expect((await proxied.call("t")).text).toBe("here");
    server.forget();
    const calls = await Promise.all([proxied.call("t"), proxied.call("t"), proxied.call("t")]);
    expect(calls.map(({ text }) => text)).toEqual(["here", "here", "here"]);
    expect(server.methods.filter((method) => method === "initialize")).toHaveLength(2);
  },
);

test.concurrent("a server over HTTP that is not there is said to be unreachable", async () => {
  const server = withSessions();
  await using proxied = await start({ behind: ["--url", server.url] });
  server[Symbol.dispose]();
  expect(await proxied.call("t")).toEqual({ failed: true, text: expect.stringMatching(/ECONNREFUSED|connect/i) });
});

test.concurrent("a call whose stream broke is not run again when its rest cannot be had", async () => {
  let calls = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "GET")
        return new Response(null, { status: request.headers.has("last-event-id") ? 404 : 405 });
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: unknown; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      if (method !== "tools/call") {
        const greeting = {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "h", version: "1" },
        };
        const result = method === "initialize" ? greeting : { tools: [{ name: "t", inputSchema: { type: "object" } }] };
        return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": "s" } });
      }
      calls++;
      return new Response("id: 1\nretry: 20\ndata: \n\n", { headers: { "content-type": "text/event-stream" } });
    },
  });
  await using proxied = await start({ behind: ["--url", `http://127.0.0.1:${server.port}/mcp`] });
  expect(await proxied.call("t")).toEqual({ failed: true, text: expect.stringContaining("stream broke") });
  expect(calls).toBe(1);
  const client = await connectHttp(new URL(`http://127.0.0.1:${server.port}/mcp`), {
    name: "t",
    version: "1",
    era: "legacy",
  });
  expect(await reasonOf(client.callTool("t"))).toContain("stream broke");
  expect(calls).toBe(2);
  await client.close();
  await server.stop(true);
});
