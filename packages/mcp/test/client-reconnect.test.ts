// Sessions that the server forgot and streams that break.
import { describe, expect, test } from "bun:test";
import { connectHttp } from "../src/client/connect.ts";
import type { Client } from "../src/client/client.ts";
import type { ClientOptions } from "../src/client/client-session.ts";
import { kitchenSink, newGate, pause } from "./fixtures/kitchen-sink.ts";
import { httpPeer } from "./fixtures/http-peer.ts";

const overHttp = (peer: ReturnType<typeof httpPeer>, options: Partial<ClientOptions> = {}): Promise<Client> =>
  connectHttp("http://127.0.0.1/mcp", { name: "c", version: "0", fetch: peer.fetch, ...options });

describe("a session that the server forgot", () => {
  test("is opened anew, once, for all that need it", async () => {
    let opened = 0;
    const sink = kitchenSink();
    const peer = httpPeer({ ...sink, handle: (call) => (call.method === "initialize" && opened++, sink.handle(call)) });
    let session = "";
    const client = await connectHttp("http://127.0.0.1/mcp", {
      name: "c",
      version: "0",
      era: "legacy",
      fetch: async (url, init) => {
        const response = await peer.fetch(url, init);
        session = response.headers.get("mcp-session-id") ?? session;
        return response;
      },
    });
    expect(opened).toBe(1);
    await peer.send("DELETE", undefined, { headers: { "mcp-session-id": session } });
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => client.callTool("echo", { text: String(i) })),
    );
    expect(results.map(({ content }) => (content[0]?.type === "text" ? content[0].text : ""))).toEqual(
      Array.from({ length: 10 }, (_, i) => String(i)),
    );
    expect(opened).toBe(2);
    await client.close();
    peer.endpoint.close();
  });

  test("that no session can replace is an error, not a loop", async () => {
    let posts = 0;
    const gone = (id: unknown): Response =>
      new Response(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message: "no such session" } }), {
        status: 404,
      });
    const client = await connectHttp("http://127.0.0.1/mcp", {
      name: "c",
      version: "0",
      era: "legacy",
      fetch: async (_, init) => {
        if (init?.method !== "POST") return new Response(null, { status: 405 });
        const { id, method } = JSON.parse(String(init.body)) as { id?: unknown; method: string };
        if (method === "initialize" && posts === 0) {
          const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} };
          return Response.json({ jsonrpc: "2.0", id, result });
        }
        if (id === undefined) return new Response(null, { status: 202 });
        posts++;
        return gone(id);
      },
    });
    await expect(client.callTool("echo")).rejects.toMatchObject({ status: 404 });
    expect(posts).toBe(2);
    await client.close();
  });
});

describe("the server's own stream", () => {
  test("that is closed at once, twice, is not asked for again", async () => {
    let gets = 0;
    const second = Promise.withResolvers<void>();
    const client = await connectHttp("http://127.0.0.1/mcp", {
      name: "c",
      version: "0",
      era: "legacy",
      fetch: async (_, init) => {
        if (init?.method === "GET") {
          gets++;
          if (gets === 2) second.resolve();
          const type = { "content-type": "text/event-stream" };
          return new Response("retry: 20\nevent: endpoint\ndata: /mcp\n\n", { headers: type });
        }
        if (init?.method !== "POST") return new Response(null, { status: 405 });
        const { id, method } = JSON.parse(String(init.body)) as { id?: unknown; method: string };
        if (id === undefined) return new Response(null, { status: 202 });
        const result =
          method === "initialize" ? { protocolVersion: "2025-03-26", capabilities: {}, serverInfo: {} } : {};
        return Response.json({ jsonrpc: "2.0", id, result });
      },
    });
    await second.promise;
    await Bun.sleep(300); // ten times the pause that the server asked for: nothing tells of a request that is not made
    expect(gets).toBe(2);
    await client.close();
  });
});

describe("a legacy stream that breaks", () => {
  test("is taken up again, as often as the server wants, until the answer is there", async () => {
    const gate = newGate();
    const sink = kitchenSink({
      tools: [
        {
          name: "poll",
          description: "",
          input: { json: { type: "object" }, omittable: false, parse: (value) => ({ ok: true, value }) },
          async run(_, context) {
            for (let i = 0; i < 12; i++) {
              context.releaseConnection(20);
              await pause(40);
            }
            gate.open();
            return { content: [{ type: "text", text: "at last" }] };
          },
        },
      ],
    });
    const peer = httpPeer(sink);
    const client = await overHttp(peer, { era: "legacy" });
    expect((await client.callTool("poll")).content).toMatchObject([{ text: "at last" }]);
    await client.close();
    peer.endpoint.close();
  });

  test("in 2026-07-28 is lost: nothing is resumed, even if the server numbers its events", async () => {
    let gets = 0;
    const client = await connectHttp("http://127.0.0.1/mcp", {
      name: "c",
      version: "0",
      era: "modern",
      fetch: async (_, init) => {
        if (init?.method === "GET") gets++;
        return new Response("id: 1\ndata:\n\n", { headers: { "content-type": "text/event-stream" } });
      },
    });
    await expect(client.callTool("x")).rejects.toMatchObject({ reason: "closed" });
    expect(gets).toBe(0);
    await client.close();
  });
});
