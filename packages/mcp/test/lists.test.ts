// Lists in pages, completion, resources and prompts, as a client sees them.
import { describe, expect, test } from "bun:test";
import { Client } from "../src/client/client.ts";
import { connectTransport } from "../src/client/connect.ts";
import { serveConnection } from "../src/server/connection.ts";
import type { Service } from "../src/server/call.ts";
import type { Json, JsonObject } from "../src/wire/json-value.ts";
import { pageOf } from "../src/server/pagination.ts";
import { createServer } from "../src/server/server.ts";
import { transportPair } from "../src/wire/transport.ts";
import { uriTemplate } from "../src/server/uri-template.ts";
import { kitchenSink } from "./fixtures/kitchen-sink.ts";
import { initialized, rawConnection } from "./fixtures/raw-connection.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

async function clientOf(service: Service, era: "legacy" | "modern"): Promise<Client> {
  const [mine, theirs] = transportPair();
  void serveConnection(service, theirs);
  return connectTransport(mine, { name: "c", version: "0", era });
}

describe("pages", () => {
  const names = Array.from({ length: 10 }, (_, i) => `n${i}`);
  const page = (
    cursor: Json | undefined,
    size = 4,
    list: readonly string[] = names,
  ): { items: readonly string[]; nextCursor?: string } => pageOf("things", list, (name) => name, cursor, size);

  test("follow one another to the end", () => {
    const first = page(undefined);
    const second = page(first.nextCursor);
    const third = page(second.nextCursor);
    expect([...first.items, ...second.items, ...third.items]).toEqual(names);
    expect(third.nextCursor).toBeUndefined();
  });

  test("a list that just fits has no cursor", () => expect(page(undefined, 10).nextCursor).toBeUndefined());
  test("an empty list is a page", () => expect(page(undefined, 4, [])).toEqual({ items: [] }));

  test("survive changes of the list", () => {
    const { nextCursor } = page(undefined);
    expect(page(nextCursor, 4, ["new", ...names]).items[0]).toBe("n4");
  });

  const other = pageOf("others", names, (name) => name, undefined, 4).nextCursor;
  const goneItem = pageOf("things", ["gone", "x"], (name) => name, undefined, 1).nextCursor;
  test.each<[string, Json | undefined]>([
    ["an empty string", ""],
    ["a number", 5],
    ["null", null],
    ["garbage", "!!!"],
    ["a cursor of another list", other],
    ["an item that is gone", goneItem],
    ["a respelt cursor", `${page(undefined).nextCursor}=`],
  ])("%s is -32602", (_, cursor) => {
    expect(() => page(cursor)).toThrow("unknown cursor");
  });

  test.each(["tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list"])(
    "%s refuses an unknown cursor",
    async (method) => {
      const connection = rawConnection(kitchenSink());
      await initialized(connection, "2025-11-25");
      connection.say({ jsonrpc: "2.0", id: 1, method, params: { cursor: "nope" } });
      expect(await connection.nextJson()).toMatchObject({ error: { code: -32602 } });
      await connection.end();
    },
  );

  test.each(["legacy", "modern"] as const)("a %s client puts them together", async (era) => {
    const client = await clientOf(kitchenSink({ pageSize: 2 }), era);
    expect((await client.listTools()).map(({ name }) => name)).toHaveLength(16);
    expect(await client.list("resources")).toHaveLength(2);
    expect(await client.list("resourceTemplates")).toHaveLength(1);
    expect(await client.list("prompts")).toHaveLength(2);
    await client.close();
  });

  test("an empty string is a cursor like any other to a client", async () => {
    const asked: (Json | undefined)[] = [];
    const client = await clientOf(
      pager((cursor) => {
        asked.push(cursor);
        return cursor === undefined ? "" : cursor === "" ? "x" : undefined;
      }),
      "legacy",
    );
    expect(await client.listTools()).toHaveLength(3);
    expect(asked).toEqual([undefined, "", "x"]);
    await client.close();
  });

  test("pages without end are given up", async () => {
    const client = await clientOf(
      pager(() => "more"),
      "legacy",
    );
    await expect(client.listTools()).rejects.toMatchObject({ reason: "invalid" });
    await client.close();
  });

  test("pages that are large together are given up long before their number is", async () => {
    let pages = 0;
    const client = await clientOf(
      pager(() => {
        pages++;
        return "x".repeat(4 << 20);
      }),
      "legacy",
    );
    await expect(client.listTools()).rejects.toMatchObject({ reason: "invalid" });
    expect(pages).toBeLessThan(30);
    await client.close();
  });

  test.each([0, -1, 1.5, Number.NaN])("a page size of %p is refused at once", (pageSize) => {
    expect(() => createServer({ name: "x", version: "0", pageSize })).toThrow("pageSize");
  });
});

function pager(next: (cursor: Json | undefined) => string | undefined): Service {
  return {
    handle({ method, params }): JsonObject {
      if (method === "initialize")
        return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "p", version: "0" } };
      const nextCursor = next(params["cursor"]);
      return {
        tools: [{ name: "t", inputSchema: { type: "object" } }],
        ...(nextCursor === undefined ? {} : { nextCursor }),
      };
    },
  };
}

describe("completion", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "a prompt's argument",
      { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "a" } },
      { values: ["a!"], total: 1, hasMore: false },
    ],
    [
      "with what was given before",
      {
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "who", value: "a" },
        context: { arguments: { x: "y" } },
      },
      { values: ["a!", "y"] },
    ],
    [
      "at most 100 of 150 values",
      { ref: { type: "ref/resource", uri: "test://item/{id}" }, argument: { name: "id", value: "" } },
      { total: 150, hasMore: true },
    ],
    [
      "an argument without suggestions",
      { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "other", value: "" } },
      { values: [], total: 0 },
    ],
    [
      "an argument called like something every object has",
      { ref: { type: "ref/resource", uri: "test://item/{id}" }, argument: { name: "constructor", value: "x" } },
      { values: [], total: 0 },
    ],
  ])("%s", async (_, params, expected) => {
    const [answer = {}] = await messages(await httpPeer(kitchenSink()).modern("completion/complete", params));
    const { completion } = answer["result"] as { completion: { values: string[] } };
    expect(completion).toMatchObject(expected);
    expect(completion.values.length).toBeLessThanOrEqual(100);
  });

  test.each<[string, JsonObject]>([
    ["no ref", { argument: { name: "a", value: "" } }],
    ["an unknown kind of ref", { ref: { type: "ref/x" }, argument: { name: "a", value: "" } }],
    ["an unknown prompt", { ref: { type: "ref/prompt", name: "nope" }, argument: { name: "a", value: "" } }],
    ["a value that is no string", { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: 5 } }],
    [
      "context that is no strings",
      {
        ref: { type: "ref/prompt", name: "greet" },
        argument: { name: "who", value: "" },
        context: { arguments: { x: 1 } },
      },
    ],
  ])("%s is -32602", async (_, params) => {
    expect(await messages(await httpPeer(kitchenSink()).modern("completion/complete", params))).toMatchObject([
      { error: { code: -32602 } },
    ]);
  });

  test("a client passes on what was given", async () => {
    const client = await clientOf(kitchenSink(), "modern");
    const completion = await client.complete(
      { type: "ref/prompt", name: "greet" },
      { name: "who", value: "a" },
      { given: { x: "y" } },
    );
    expect(completion["values"]).toEqual(["a!", "y"]);
    await client.close();
  });
});

describe("resources and prompts", () => {
  test.each<[string, string, JsonObject, object]>([
    ["a text", "resources/read", { uri: "test://a" }, { result: { contents: [{ uri: "test://a", text: "A" }] } }],
    ["bytes", "resources/read", { uri: "test://b" }, { result: { contents: [{ blob: "QUJD" }] } }],
    ["a template", "resources/read", { uri: "test://item/a%20b" }, { result: { contents: [{ text: "item a b" }] } }],
    [
      "a prompt",
      "prompts/get",
      { name: "greet", arguments: { who: "x" } },
      { result: { messages: [{ content: { text: "Greet x" } }, {}] } },
    ],
    ["a prompt without arguments", "prompts/get", { name: "plain" }, { result: { messages: [{}] } }],
    ["an argument that is missing", "prompts/get", { name: "greet" }, { error: { code: -32602 } }],
    [
      "an argument that is no string",
      "prompts/get",
      { name: "greet", arguments: { who: 5 } },
      { error: { code: -32602 } },
    ],
    ["an unknown prompt", "prompts/get", { name: "nope" }, { error: { code: -32602 } }],
    ["no name", "prompts/get", {}, { error: { code: -32602 } }],
    ["no uri", "resources/read", {}, { error: { code: -32602 } }],
  ])("%s", async (_, method, params, expected) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-06-18");
    connection.say({ jsonrpc: "2.0", id: 1, method, params });
    expect(await connection.nextJson()).toMatchObject({ id: 1, ...expected });
    await connection.end();
  });

  test.each<[string, number]>([
    ["2025-03-26", -32002],
    ["2025-06-18", -32002],
    ["2025-11-25", -32002],
  ])("%s: an unknown resource is %d, with its uri", async (revision, code) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, revision);
    for (const uri of ["test://nope", "test://item/none", "test://item/a/b"]) {
      connection.say({ jsonrpc: "2.0", id: uri, method: "resources/read", params: { uri } });
      expect(await connection.nextJson()).toMatchObject({ id: uri, error: { code, data: { uri } } });
    }
    await connection.end();
  });

  test("2026-07-28: an unknown resource is -32602, with its uri", async () => {
    expect(
      await messages(await httpPeer(kitchenSink()).modern("resources/read", { uri: "test://nope" })),
    ).toMatchObject([{ error: { code: -32602, data: { uri: "test://nope" } } }]);
  });

  test("a required argument may be called constructor", async () => {
    const server = createServer({
      name: "x",
      version: "0",
      prompts: [{ name: "p", arguments: [{ name: "constructor", required: true }], get: () => ({ messages: [] }) }],
    });
    expect(await messages(await httpPeer(server).modern("prompts/get", { name: "p" }))).toMatchObject([
      { error: { code: -32602 } },
    ]);
  });

  test("legacy subscriptions: only what was subscribed, only until unsubscribed, and not without limit", async () => {
    const server = kitchenSink();
    const connection = rawConnection(server);
    await initialized(connection, "2025-11-25");
    const send = async (method: string, uri: string): Promise<JsonObject> => {
      connection.say({ jsonrpc: "2.0", id: uri, method, params: { uri } });
      return connection.nextJson();
    };
    expect(await send("resources/subscribe", "test://a")).toMatchObject({ result: {} });
    server.resourceUpdated("test://b");
    server.resourceUpdated("test://a");
    expect(await connection.nextJson()).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: "test://a" },
    });
    await send("resources/unsubscribe", "test://a");
    server.resourceUpdated("test://a");
    expect(await send("ping", "x")).toMatchObject({ id: "x" });
    for (let i = 0; i < 1000; i++)
      expect(await send("resources/subscribe", `test://${i}`)).toMatchObject({ result: {} });
    expect(await send("resources/subscribe", "test://one too many")).toMatchObject({ error: { code: -32602 } });
    expect(await send("resources/subscribe", "test://0")).toMatchObject({ result: {} });
    expect(await send("resources/subscribe", `test://${"x".repeat(9000)}`)).toMatchObject({ error: { code: -32602 } });
    await connection.end();
  });
});

test.each<[string, string, Record<string, string> | undefined]>([
  ["test://item/{id}", "test://item/5", { id: "5" }],
  ["test://item/{id}", "test://item/", undefined],
  ["test://item/{id}", "test://item/a/b", undefined],
  ["test://item/{id}", "test://item/a%2Fb", { id: "a/b" }],
  ["test://item/{id}", "test://item/%ff", { id: "%ff" }],
  ["test://{a}/x/{b}", "test://1/x/2", { a: "1", b: "2" }],
  ["file:///{+path}", "file:///a/b/c.txt", { path: "a/b/c.txt" }],
  ["file:///{+path}.txt", "file:///a/b.txt.txt", { path: "a/b.txt" }],
  ["test://plain", "test://plain", {}],
  ["test://plain", "test://plainer", undefined],
  ["test://{id", "test://{id", {}],
])("the template %s against %s", (template, uri, expected) => {
  expect(uriTemplate(template).match(uri)).toEqual(expected);
});

test("a hostile URI costs linear time", () => {
  const template = uriTemplate(`x${"{a}-".repeat(20)}z`);
  expect(template.match(`x${"a-".repeat(100_000)}`)).toBeUndefined();
});
