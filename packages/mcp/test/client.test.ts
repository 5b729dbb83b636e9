// The client: deadlines, limits, and servers that ask or flood.
import { describe, expect, test } from "bun:test";
import { connectHttp, connectTransport } from "../src/client/connect.ts";
import type { Service } from "../src/server/call.ts";
import type { Client } from "../src/client/client.ts";
import { serveConnection } from "../src/server/connection.ts";
import type { ClientOptions } from "../src/client/client-session.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { requestText } from "../src/wire/message.ts";
import type { Id } from "../src/wire/message.ts";
import { RpcError } from "../src/wire/rpc-error.ts";
import { transportPair } from "../src/wire/transport.ts";
import type { Transport } from "../src/wire/transport.ts";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
import { httpPeer } from "./fixtures/http-peer.ts";

async function pair(
  service: Service,
  options: Partial<ClientOptions> = {},
): Promise<{ client: Client; theirs: Transport }> {
  const [mine, theirs] = transportPair();
  void serveConnection(service, theirs);
  return { client: await connectTransport(mine, { name: "c", version: "0", ...options }), theirs };
}

const overHttp = (peer: ReturnType<typeof httpPeer>, options: Partial<ClientOptions> = {}): Promise<Client> =>
  connectHttp("http://127.0.0.1/mcp", { name: "c", version: "0", fetch: peer.fetch, ...options });

describe.each(["legacy", "modern"] as const)("%s: giving up", (era) => {
  test.each(["a signal", "a timeout"])("by %s stops the server's work, over a connection", async (how) => {
    const gate = newGate();
    const { client } = await pair(kitchenSink({}, gate), { era });
    const stop = new AbortController();
    const call = client.callTool("wait", {}, how === "a signal" ? { signal: stop.signal } : { timeoutMs: 100 });
    await until(() => gate.arrived === 1);
    stop.abort();
    await expect(call).rejects.toMatchObject({ reason: how === "a signal" ? "cancelled" : "timeout" });
    await until(() => gate.aborted === 1);
    await client.close();
  });

  test.each(["a signal", "a timeout"])("by %s stops the server's work, over HTTP", async (how) => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const client = await overHttp(peer, { era });
    const stop = new AbortController();
    const call = client.callTool("wait", {}, how === "a signal" ? { signal: stop.signal } : { timeoutMs: 100 });
    await until(() => gate.arrived === 1);
    stop.abort();
    await expect(call).rejects.toMatchObject({ reason: how === "a signal" ? "cancelled" : "timeout" });
    await until(() => gate.aborted === 1);
    await client.close();
    peer.endpoint.close();
  });

  test("before it began sends nothing", async () => {
    const gate = newGate();
    const { client } = await pair(kitchenSink({}, gate), { era });
    await expect(client.callTool("wait", {}, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      reason: "cancelled",
    });
    await client.close();
  });

  test("errors of the server and errors of our own are told apart", async () => {
    const { client } = await pair(kitchenSink(), { era });
    await expect(client.callTool("nope")).rejects.toBeInstanceOf(RpcError);
    await expect(client.callTool("wait", {}, { timeoutMs: 20 })).rejects.not.toBeInstanceOf(RpcError);
    await client.close();
  });
});

test("a server that does not even read cannot hold a request past its deadline", async () => {
  const deaf: Transport = {
    incoming: (async function* () {
      await new Promise(() => {});
      yield* [];
    })(),
    send: () => new Promise(() => {}),
    close: async () => {},
  };
  const connecting = connectTransport(deaf, { name: "c", version: "0", era: "legacy", timeoutMs: 100 });
  await expect(connecting).rejects.toMatchObject({ reason: "timeout" });
});

test("a reply that cannot be read fails its request at once, a malformed request of the same id does not", async () => {
  const [mine, theirs] = transportPair();
  const client = connectTransport(mine, { name: "c", version: "0", era: "legacy", timeoutMs: 30_000 });
  await theirs.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`);
  await theirs.send(`{"jsonrpc":"2.0","id":1,"result":7}`);
  await expect(client).rejects.toMatchObject({ reason: "invalid" });
});

test("a message that cannot be sent fails its request at once", async () => {
  const broken: Transport = {
    incoming: (async function* () {
      await new Promise(() => {});
      yield* [];
    })(),
    send: () => Promise.reject(new Error("EPIPE")),
    close: async () => {},
  };
  await expect(connectTransport(broken, { name: "c", version: "0", era: "legacy" })).rejects.toThrow("EPIPE");
});

test("an absolute limit that was set wins over the longer silence", async () => {
  const { client } = await pair(kitchenSink());
  await expect(client.callTool("wait", {}, { maxTotalMs: 50 })).rejects.toMatchObject({ reason: "timeout" });
  await client.close();
});

test("a thousand calls at once, over a connection and over HTTP", async () => {
  const { client } = await pair(kitchenSink());
  const peer = httpPeer(kitchenSink());
  const http = await overHttp(peer);
  for (const one of [client, http]) {
    const results = await Promise.all(
      Array.from({ length: 1000 }, (_, i) => one.callTool("echo", { text: String(i) })),
    );
    expect(results.every(({ content }, i) => content[0]?.type === "text" && content[0].text === String(i))).toBe(true);
    await one.close();
  }
});

describe("what a server may be asked to keep", () => {
  const caching = (ttlMs: number): { service: Service; asked: string[]; server: ReturnType<typeof kitchenSink> } => {
    const server = kitchenSink({ cache: { ttlMs, scope: "private" } });
    const asked: string[] = [];
    return { server, asked, service: { ...server, handle: (call) => (asked.push(call.method), server.handle(call)) } };
  };

  test("a fresh list is not asked for again, a changed one is", async () => {
    const { service, asked, server } = caching(60_000);
    const { client } = await pair(service);
    const listening = client.listen({ toolsListChanged: true }, client.gone);
    await client.listTools();
    await client.listTools();
    expect(asked.filter((method) => method === "tools/list")).toHaveLength(1);
    server.setTools([]);
    await until(() => asked.includes("subscriptions/listen"));
    // The change is told once the stream is open; which of the two came first, nothing says.
    await pause(10);
    expect(await client.listTools()).toEqual([]);
    await client.close();
    await listening.catch(() => {});
  });

  test.each([0, -5])("ttl %d keeps nothing", async (ttlMs) => {
    const { service, asked } = caching(ttlMs);
    const { client } = await pair(service);
    await client.listTools();
    await client.listTools();
    expect(asked.filter((method) => method === "tools/list")).toHaveLength(2);
    await client.close();
  });

  test("what came only after questions is never kept", async () => {
    let reads = 0;
    const complete = {
      contents: [{ uri: "x", text: "secret" }],
      resultType: "complete",
      ttlMs: 60_000,
      cacheScope: "private",
    };
    const { client } = await pair(
      {
        handle({ method, params }): JsonObject {
          if (method === "server/discover")
            return { supportedVersions: ["2026-07-28"], capabilities: {}, resultType: "complete" };
          reads++;
          return params["requestState"] === "s" ? complete : { resultType: "input_required", requestState: "s" };
        },
      },
      {},
    );
    await client.readResource("x");
    await client.readResource("x");
    expect(reads).toBe(4);
    await client.close();
  });
});

describe("a modern server that asks", () => {
  const server = (answers: JsonObject[]): { service: Service; seen: JsonObject[] } => {
    const seen: JsonObject[] = [];
    return {
      seen,
      service: {
        handle({ method, params }) {
          if (method === "server/discover")
            return { supportedVersions: ["2026-07-28"], capabilities: {}, resultType: "complete" };
          seen.push(params);
          return answers.shift() ?? { resultType: "input_required", requestState: "again" };
        },
      },
    };
  };

  test("only with a state is called again at once, the state byte for byte, and no state where none came", async () => {
    const state = "ü/+=\u0001 x";
    const { service, seen } = server([
      { resultType: "input_required", requestState: state },
      { resultType: "input_required", inputRequests: { r: { method: "roots/list" } } },
      { content: [] },
    ]);
    const { client } = await pair(service, { roots: () => [] });
    expect((await client.callTool("t", { a: 1 })).content).toEqual([]);
    expect(seen.map(({ requestState }) => requestState)).toEqual([undefined, state, undefined]);
    expect(seen[2]?.["inputResponses"]).toEqual({ r: { roots: [] } });
    expect(seen.every(({ arguments: args }) => JSON.stringify(args) === `{"a":1}`)).toBe(true);
    await client.close();
  });

  test.each<[string, JsonObject[], string]>([
    ["without end", [], "asked 10 times"],
    ["with an unknown kind of result", [{ resultType: "surprise", content: [] }], "unknown type"],
    [
      "what we cannot answer",
      [{ resultType: "input_required", inputRequests: { x: { method: "sampling/createMessage" } } }],
      "does not answer",
    ],
    ["in an unknown form", [{ resultType: "input_required", inputRequests: [] }], "a form we do not know"],
  ])("%s is given up, as an error of our own", async (_, answers, message) => {
    const { client } = await pair(server(answers).service);
    const error: unknown = await client.callTool("t").then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toMatchObject({ reason: "invalid" });
    expect(String(error)).toContain(message);
    await client.close();
  });

  test("by a request of its own gets no answer: 2026-07-28 servers send none", async () => {
    const { client, theirs } = await pair(server([{ content: [] }]).service, {
      roots: () => [{ uri: "file:///secret" }],
    });
    await theirs.send(requestText("1" as Id, "roots/list"));
    await client.callTool("t");
    await client.close();
  });
});

test("a legacy server that floods us with questions is refused, not served without limit", async () => {
  let asking = 0;
  const answers: JsonObject[] = [];
  const [mine, theirs] = transportPair();
  const client = connectTransport(mine, {
    name: "c",
    version: "0",
    era: "legacy",
    roots: () => (asking++, new Promise(() => {})),
  });
  for await (const message of theirs.incoming) {
    if (message.kind === "request" && message.method === "initialize") {
      await theirs.send(
        JSON.stringify({
          jsonrpc: "2.0",
          id: JSON.parse(message.id),
          result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} },
        }),
      );
      for (let id = 0; id < 150; id++) await theirs.send(requestText(String(id) as Id, "roots/list"));
    }
    if (message.kind === "reply" && answers.push({ id: message.id ?? "" }) === 50) break;
  }
  expect(asking).toBe(100);
  await (await client).close();
});

test("a server that never takes a notification does not keep a client for ever", async () => {
  const silent = httpPeer(kitchenSink());
  const fetch: typeof silent.fetch = (url, init) =>
    String(init?.body).includes("notifications/initialized")
      ? new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))))
      : silent.fetch(url, init);
  const options = { name: "c", version: "0", era: "legacy", timeoutMs: 100, fetch } as const;
  await expect(connectHttp("http://127.0.0.1/mcp", options)).rejects.toMatchObject({ reason: "timeout" });
  silent.endpoint.close();
}, 5000);

test("a reply that is too large is called so", async () => {
  const fetch = async (): Promise<Response> => new Response(" ".repeat((16 << 20) + 1));
  const options = { name: "c", version: "0", era: "legacy", fetch } as const;
  await expect(connectHttp("http://127.0.0.1/mcp", options)).rejects.toThrow("over the limit of 16777216 bytes");
});
