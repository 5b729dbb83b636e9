// The HTTP+SSE transport of 2024-11-05, against a small server of that age.
import { describe, expect, test } from "bun:test";
import { connectHttp } from "../src/client/connect.ts";
import { until } from "./fixtures/kitchen-sink.ts";

type OldServer = {
  url: string;
  posted: { method?: string; id?: unknown; params?: unknown }[];
  say(message: unknown): void;
  dropStream(): void;
  /** Whether somebody reads the stream. */
  isRead(): boolean;
  [Symbol.asyncDispose](): Promise<void>;
};

function oldServer(endpoint: string, postStatus = 405): OldServer {
  const posted: OldServer["posted"] = [];
  let sink: ReadableStreamDefaultController<string> | undefined;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/sse" && request.method === "GET") {
        const body = new ReadableStream<string>({
          start(controller) {
            sink = controller;
            controller.enqueue(`event: endpoint\ndata: ${endpoint}\n\n`);
          },
          cancel: () => void (sink = undefined),
        });
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      }
      if (pathname !== "/messages") return new Response("no", { status: postStatus });
      const message = (await request.json()) as { id?: unknown; method?: string; params?: unknown };
      posted.push(message);
      queueMicrotask(() => answer(message));
      return new Response("Accepted", { status: 202 });
    },
  });
  const say = (message: unknown): void => sink?.enqueue(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const answer = ({ id, method }: { id?: unknown; method?: string }): void => {
    if (id === undefined || method === undefined || method === "never") return;
    const result =
      method === "initialize"
        ? { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } }
        : method === "tools/list"
          ? { tools: [{ name: "t", inputSchema: { type: "object" } }] }
          : { content: [{ type: "text", text: "old but fine" }] };
    sink?.enqueue(`: a comment\nevent: other\ndata: not for us\n\n`);
    say({ jsonrpc: "2.0", id, result });
  };
  return {
    url: `http://127.0.0.1:${server.port}/sse`,
    posted,
    say,
    dropStream: () => sink?.close(),
    isRead: () => sink !== undefined,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

describe("an old server", () => {
  test.each([400, 404, 405])("is found when a POST gets %d, and works", async (status) => {
    await using server = oldServer("/messages?session=1", status);
    const client = await connectHttp(server.url, { name: "c", version: "0" });
    expect(client.revision).toBe("2024-11-05");
    expect(await client.listTools()).toHaveLength(1);
    expect((await client.callTool("t")).content).toMatchObject([{ text: "old but fine" }]);
    await until(() => server.posted.some(({ method }) => method === "notifications/initialized"));
    await client.close();
  });

  test("can ask: its requests come on the stream, our answers by POST", async () => {
    await using server = oldServer("/messages");
    const client = await connectHttp(server.url, { name: "c", version: "0", roots: () => [{ uri: "file:///r" }] });
    server.say({ jsonrpc: "2.0", id: "q", method: "roots/list" });
    await until(() => server.posted.some(({ id }) => id === "q"));
    expect(server.posted.find(({ id }) => id === "q")).toMatchObject({ result: { roots: [{ uri: "file:///r" }] } });
    await client.close();
  });

  test("is told when we give up", async () => {
    await using server = oldServer("/messages");
    const client = await connectHttp(server.url, { name: "c", version: "0" });
    await expect(client.session.request("never", {}, { timeoutMs: 100 })).rejects.toMatchObject({
      reason: "timeout",
    });
    await until(() => server.posted.some(({ method }) => method === "notifications/cancelled"));
    await client.close();
  });

  test("that closes its stream is gone", async () => {
    await using server = oldServer("/messages");
    const client = await connectHttp(server.url, { name: "c", version: "0" });
    const pending = client.session.request("never");
    server.dropStream();
    await expect(pending).rejects.toMatchObject({ reason: "closed" });
    expect(client.gone.aborted).toBe(true);
    await client.close();
  });

  test.each(["http://evil.example/messages", "//evil.example/messages", "http://[nowhere"])(
    "that sends us to %s is refused, and not listened to any longer",
    async (endpoint) => {
      await using server = oldServer(endpoint);
      await expect(connectHttp(server.url, { name: "c", version: "0" })).rejects.toMatchObject({ status: 405 });
      expect(server.posted).toEqual([]);
      await until(() => !server.isRead());
    },
  );
});

test("a server that is neither says what its first answer was", async () => {
  await using server = Object.assign(
    Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("nothing here", { status: 404 }) }),
    {},
  );
  await expect(connectHttp(`http://127.0.0.1:${server.port}/`, { name: "c", version: "0" })).rejects.toMatchObject({
    status: 404,
  });
});
