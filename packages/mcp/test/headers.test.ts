// Values in headers (2026-07-28), and the arguments that are mirrored there.
import { describe, expect, test } from "bun:test";
import { decodeHeaderText, encodeHeaderText } from "../src/wire/mcp-headers.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { checkHeaderParams, headerParams, mirroredHeaders } from "../src/wire/param-headers.ts";
import { object, string } from "../src/server/schema.ts";
import { createServer } from "../src/server/server.ts";
import { text } from "../src/wire/content.ts";
import { Random } from "./fixtures/random.ts";
import { kitchenSink } from "./fixtures/kitchen-sink.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";
import { connectHttp } from "../src/client/connect.ts";

describe("a value as header text", () => {
  test.each<[string, string, string]>([
    ["plain", "us-west1", "us-west1"],
    ["inner blanks", "a b  c", "a b  c"],
    ["empty", "", ""],
    ["leading blank", " a", "=?base64?IGE=?="],
    ["trailing blank", "a ", "=?base64?YSA=?="],
    ["a tab inside", "a\tb", "=?base64?YQli?="],
    ["a newline", "a\nb", "=?base64?YQpi?="],
    ["not ASCII", "ü", "=?base64?w7w=?="],
    ["an emoji", "😀", "=?base64?8J+YgA==?="],
    ["DEL", "\x7f", "=?base64?fw==?="],
    ["what looks wrapped", "=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
    ["only the opening mark", "=?base64?x", "=?base64?x"],
    ["only the closing mark", "x?=", "x?="],
    ["one blank", " ", "=?base64?IA==?="],
  ])("%s", (_, value, header) => {
    expect(encodeHeaderText(value)).toBe(header);
    expect(decodeHeaderText(header)).toBe(value);
  });

  test.each<[string, string, string | undefined]>([
    ["blanks around are no part of it", "  a ", "a"],
    ["padding is missing", "=?base64?YQ?=", undefined],
    ["too much padding", "=?base64?YQ===?=", undefined],
    ["a character outside the alphabet", "=?base64?Y-==?=", undefined],
    ["blanks inside", "=?base64?Y Q==?=", undefined],
    ["bits that should be zero", "=?base64?YR==?=", undefined],
    ["not UTF-8", "=?base64?/w==?=", undefined],
    ["nothing inside", "=?base64??=", ""],
    ["the marks overlap", "=?base64?=", "=?base64?="],
    ["capitals in the mark", "=?BASE64?YQ==?=", "=?BASE64?YQ==?="],
  ])("reading: %s", (_, header, value) => {
    expect(decodeHeaderText(header)).toBe(value);
  });

  test("any text survives the way there and back", () => {
    const random = new Random(7);
    for (let i = 0; i < 2000; i++) {
      const value = Array.from({ length: random.below(12) }, () =>
        String.fromCodePoint(random.pick([random.below(0x80), random.below(0x800), 0x1f600 + random.below(50)])),
      ).join("");
      const header = encodeHeaderText(value);
      expect(/^[\x20-\x7e]*$/.test(header)).toBe(true);
      expect(decodeHeaderText(header)).toBe(value);
    }
  });
});

const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const marked = (type: unknown, header: unknown = "Region"): JsonObject =>
  ({ type, "x-mcp-header": header }) as JsonObject;

describe("which arguments are mirrored", () => {
  test.each<[string, JsonObject, number]>([
    ["none", schema({ a: { type: "string" } }), 0],
    [
      "a string, an integer, a boolean",
      schema({ a: marked("string", "A"), b: marked("integer", "B"), c: marked("boolean", "C") }),
      3,
    ],
    ["nested objects", schema({ a: schema({ b: marked("string") }) }), 1],
    ["an argument called x-mcp-header", schema({ "x-mcp-header": { type: "string" } }), 0],
    ["no properties at all", { type: "object" }, 0],
  ])("sound: %s", (_, json, count) => {
    expect(headerParams(json)).toHaveLength(count);
  });

  test.each<[string, JsonObject]>([
    ["a number", schema({ a: marked("number") })],
    ["an object", schema({ a: marked("object") })],
    ["an array", schema({ a: marked("array") })],
    ["no type", schema({ a: { "x-mcp-header": "A" } })],
    ["several types", schema({ a: marked(["string", "null"]) })],
    ["an empty name", schema({ a: marked("string", "") })],
    ["a name with a blank", schema({ a: marked("string", "A B") })],
    ["a name with a colon", schema({ a: marked("string", "A:") })],
    ["a name with a line break", schema({ a: marked("string", "A\r\nB") })],
    ["a name that is not ASCII", schema({ a: marked("string", "Ä") })],
    ["a name that is no string", schema({ a: marked("string", 5) })],
    ["the same name twice", schema({ a: marked("string", "A"), b: marked("string", "a") })],
    ["inside items", schema({ a: { type: "array", items: marked("string") } })],
    ["inside anyOf", schema({}, { anyOf: [schema({ a: marked("string") })] })],
    ["inside else", schema({}, { else: schema({ a: marked("string") }) })],
    ["inside $defs", schema({}, { $defs: { x: marked("string") } })],
    ["inside additionalProperties", schema({}, { additionalProperties: marked("string") })],
  ])("refused: %s", (_, json) => {
    expect(() => headerParams(json)).toThrow();
    expect(() =>
      createServer({
        name: "x",
        version: "0",
        tools: [{ name: "t", description: "", input: { ...object({}), json }, run: () => text("") }],
      }),
    ).toThrow();
  });
});

describe("headers and arguments must agree", () => {
  const params = headerParams(
    schema({
      s: marked("string", "S"),
      i: marked("integer", "I"),
      b: marked("boolean", "B"),
      o: schema({ n: marked("string", "N") }),
    }),
  );
  const check = (args: JsonObject, headers: Record<string, string>): void =>
    checkHeaderParams(params, args, (name) => headers[name] ?? null);

  test.each<[string, JsonObject, Record<string, string>]>([
    ["nothing given", {}, {}],
    ["null counts as not given", { s: null }, {}],
    ["a string", { s: "x y" }, { "Mcp-Param-S": "x y" }],
    ["an encoded string", { s: "ü" }, { "Mcp-Param-S": "=?base64?w7w=?=" }],
    ["an integer", { i: 42 }, { "Mcp-Param-I": "42" }],
    ["an integer written with a fraction", { i: 42 }, { "Mcp-Param-I": "42.0" }],
    ["a negative integer", { i: -1 }, { "Mcp-Param-I": "-1" }],
    ["a boolean", { b: false }, { "Mcp-Param-B": "false" }],
    ["a nested one", { o: { n: "x" } }, { "Mcp-Param-N": "x" }],
    ["an empty string", { s: "" }, { "Mcp-Param-S": "" }],
  ])("agree: %s", (_, args, headers) => {
    expect(() => check(args, headers)).not.toThrow();
    // What our client would send says the same.
    expect(() => check(args, Object.fromEntries(mirroredHeaders(params, args)))).not.toThrow();
  });

  test.each<[string, JsonObject, Record<string, string>]>([
    ["a header without its argument", {}, { "Mcp-Param-S": "x" }],
    ["an argument without its header", { s: "x" }, {}],
    ["null with a header", { s: null }, { "Mcp-Param-S": "null" }],
    ["another string", { s: "x" }, { "Mcp-Param-S": "y" }],
    ["another case", { s: "x" }, { "Mcp-Param-S": "X" }],
    ["another integer", { i: 42 }, { "Mcp-Param-I": "43" }],
    ["an integer in hexadecimal", { i: 16 }, { "Mcp-Param-I": "0x10" }],
    ["an integer with an exponent", { i: 100 }, { "Mcp-Param-I": "1e2" }],
    ["a boolean in capitals", { b: true }, { "Mcp-Param-B": "True" }],
    ["bad base64", { s: "a" }, { "Mcp-Param-S": "=?base64?YQ?=" }],
  ])("disagree: %s", (_, args, headers) => {
    expect(() => check(args, headers)).toThrow("Mcp-Param");
  });

  test("a client mirrors what is given, and nothing else", () => {
    expect(mirroredHeaders(params, { s: "ü", i: 0, b: false, o: { n: null }, other: "x" })).toEqual([
      ["Mcp-Param-S", "=?base64?w7w=?="],
      ["Mcp-Param-I", "0"],
      ["Mcp-Param-B", "false"],
    ]);
    expect(mirroredHeaders(params, undefined)).toEqual([]);
  });
});

describe("end to end", () => {
  test("a modern client sends them, and the server agrees", async () => {
    const peer = httpPeer(kitchenSink());
    const client = await connectHttp("http://127.0.0.1/mcp", { name: "c", version: "0", fetch: peer.fetch });
    await client.listTools();
    const result = await client.callTool("mirror", { region: "ü west", retries: 3, dry: true });
    expect(JSON.stringify(result.content)).toContain("ü west");
    await client.close();
  });

  test("a client that does not know the schema yet looks it up and tries again, once", async () => {
    const peer = httpPeer(kitchenSink());
    const client = await connectHttp("http://127.0.0.1/mcp", { name: "c", version: "0", fetch: peer.fetch });
    expect(JSON.stringify((await client.callTool("mirror", { region: "x" })).content)).toContain("x");
    await client.close();
  });

  test("legacy clients know nothing of it", async () => {
    const peer = httpPeer(kitchenSink());
    const client = await connectHttp("http://127.0.0.1/mcp", {
      name: "c",
      version: "0",
      era: "legacy",
      fetch: peer.fetch,
    });
    expect(JSON.stringify((await client.callTool("mirror", { region: "x" })).content)).toContain("x");
    await client.close();
    peer.endpoint.close();
  });

  test("a client leaves out tools whose marks are wrong, in 2026-07-28 only", async () => {
    let tools = [
      { name: "good", inputSchema: schema({ a: marked("string") }) },
      { name: "bad", inputSchema: schema({ a: marked("number") }) },
    ];
    const service = {
      handle: ({ method }: { method: string }): JsonObject =>
        method === "initialize"
          ? { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "0" } }
          : method === "server/discover"
            ? { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, resultType: "complete" }
            : { tools, resultType: "complete" },
    };
    const peer = httpPeer(service);
    const modern = await connectHttp("http://127.0.0.1/mcp", { name: "c", version: "0", fetch: peer.fetch });
    expect((await modern.listTools()).map(({ name }) => name)).toEqual(["good"]);
    expect([...modern.refusedTools.keys()]).toEqual(["bad"]);
    const legacy = await connectHttp("http://127.0.0.1/mcp", {
      name: "c",
      version: "0",
      era: "legacy",
      fetch: peer.fetch,
    });
    expect(await legacy.listTools()).toHaveLength(2);
    tools = [];
    await modern.listTools();
    expect([...modern.refusedTools.keys()]).toEqual([]); // it is no longer listed at all
    await Promise.all([modern.close(), legacy.close()]);
    peer.endpoint.close();
  });

  test("a tool's name that no header can carry plainly is encoded and accepted", async () => {
    const peer = httpPeer(kitchenSink());
    expect(await messages(await peer.modern("resources/read", { uri: "test://item/ü " }))).toMatchObject([
      { result: {} },
    ]);
  });

  test("defineTool's own marks are published", () => {
    expect(object({ a: string("x", { header: "A" }) }).json).toMatchObject({
      properties: { a: { "x-mcp-header": "A" } },
    });
  });
});
