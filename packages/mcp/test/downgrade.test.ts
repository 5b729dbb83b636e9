// What each revision gets to see, checked against its published schema.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink, newGate } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";
import { schemaProblems } from "./fixtures/published-schemas.ts";

const REVISIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const FULL = {
  description: "All there is",
  websiteUrl: "https://example.org/",
  icons: [{ src: "https://example.org/i.png" }],
};

async function results(revision: string, calls: readonly [string, JsonObject][]): Promise<JsonObject[]> {
  const gate = newGate();
  gate.open();
  const connection = rawConnection(kitchenSink(FULL, gate));
  const modern = revision === "2026-07-28";
  if (!modern) await initialized(connection, revision);
  const found: JsonObject[] = [];
  for (const [method, params] of calls) {
    connection.say({ jsonrpc: "2.0", id: 1, method, params: modern ? { ...params, _meta: modernMeta() } : params });
    found.push((await connection.nextJson())["result"] as JsonObject);
  }
  await connection.end();
  return found;
}

describe.each(REVISIONS)("%s", (revision) => {
  test.each<[string, string, JsonObject]>([
    ["ListToolsResult", "tools/list", {}],
    ["CallToolResult", "tools/call", { name: "echo", arguments: { text: "x" } }],
    ["CallToolResult", "tools/call", { name: "sum", arguments: { numbers: [1, 2] } }],
    ["CallToolResult", "tools/call", { name: "list" }],
    ["CallToolResult", "tools/call", { name: "fail" }],
    ["ListResourcesResult", "resources/list", {}],
    ["ListResourceTemplatesResult", "resources/templates/list", {}],
    ["ReadResourceResult", "resources/read", { uri: "test://a" }],
    ["ReadResourceResult", "resources/read", { uri: "test://b" }],
    ["ListPromptsResult", "prompts/list", {}],
    ["GetPromptResult", "prompts/get", { name: "greet", arguments: { who: "x" } }],
    [
      "CompleteResult",
      "completion/complete",
      { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "" } },
    ],
    ...(revision === "2026-07-28"
      ? ([["DiscoverResult", "server/discover", {}]] as [string, string, JsonObject][])
      : ([
          ["EmptyResult", "ping", {}],
          ["EmptyResult", "logging/setLevel", { level: "info" }],
          ["EmptyResult", "resources/subscribe", { uri: "test://a" }],
        ] as [string, string, JsonObject][])),
  ])("%s of %s %p is valid", async (definition, method, params) => {
    const [result] = await results(revision, [[method, params]]);
    expect(schemaProblems(revision, definition, result)).toBeUndefined();
  });

  test("tools have the members this revision knows", async () => {
    const [listed, linked] = await results(revision, [
      ["tools/list", {}],
      ["tools/call", { name: "list" }],
    ]);
    const tools = (listed?.["tools"] ?? []) as JsonObject[];
    const tool = (name: string): JsonObject => tools.find((candidate) => candidate["name"] === name) ?? {};
    const r03 = revision === "2025-03-26";
    const r26 = revision === "2026-07-28";
    const r11 = revision === "2025-11-25";
    expect("title" in tool("echo")).toBe(!r03);
    expect(tool("echo")["annotations"]).toEqual(r03 ? { title: "Echo", readOnlyHint: true } : { readOnlyHint: true });
    expect("outputSchema" in tool("sum")).toBe(!r03);
    expect("outputSchema" in tool("list")).toBe(r26); // it is not an object
    expect("icons" in tool("list")).toBe(r11 || r26);
    expect("_meta" in tool("list")).toBe(!r03);
    expect("execution" in tool("job")).toBe(r11);
    expect(tools.map(({ name }) => name)).toEqual(kitchenNames());
    // A link must not reach 2025-03-26, and only 2026-07-28 takes structured content that is no object.
    expect(linked).toMatchObject({ content: [{ type: r03 ? "text" : "resource_link" }] });
    expect(linked?.["structuredContent"]).toEqual(r26 ? [1, 2, 3] : undefined);
    expect(linked?.["resultType"]).toBe(r26 ? "complete" : undefined);
  });
});

test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
  "initialize of %s is valid, and says no more than it may",
  async (revision) => {
    const connection = rawConnection(kitchenSink(FULL));
    const { result } = await initialized(connection, revision);
    expect(schemaProblems(revision, "InitializeResult", result)).toBeUndefined();
    const { serverInfo, capabilities } = result as { serverInfo: JsonObject; capabilities: JsonObject };
    expect("title" in serverInfo).toBe(revision !== "2025-03-26");
    expect("icons" in serverInfo).toBe(revision === "2025-11-25");
    expect("tasks" in capabilities).toBe(revision === "2025-11-25");
    expect("extensions" in capabilities).toBe(false);
    await connection.end();
  },
);

test("structured content at 2025-03-26 is only text", async () => {
  const [result] = await results("2025-03-26", [["tools/call", { name: "sum", arguments: { numbers: [1] } }]]);
  expect(result).toEqual({ content: [{ type: "text", text: `{"sum":1}` }] });
});

test("a prompt's link is text at 2025-03-26", async () => {
  const [old, newer] = [
    ...(await results("2025-03-26", [["prompts/get", { name: "greet", arguments: { who: "x" } }]])),
    ...(await results("2025-06-18", [["prompts/get", { name: "greet", arguments: { who: "x" } }]])),
  ];
  expect(JSON.stringify(old)).toContain(`{"type":"text","text":"a: test://a"}`);
  expect(JSON.stringify(newer)).toContain("resource_link");
});

describe("what a tool may get wrong", () => {
  test.each<[string, JsonObject, object]>([
    [
      "arguments that do not fit are for the model to read",
      { name: "echo", arguments: { text: 5 } },
      { result: { isError: true, content: [{ text: "echo: arguments.text must be a string, got 5" }] } },
    ],
    ["arguments that are no object, too", { name: "echo", arguments: [] }, { result: { isError: true } }],
    ["no arguments are {}", { name: "echo" }, { result: { content: [{ text: "" }] } }],
    [
      "a bug shows no internals",
      { name: "bug" },
      { result: { isError: true, content: [{ text: "bug failed unexpectedly" }] } },
    ],
    [
      "a protocol error goes through",
      { name: "refuse" },
      { error: { code: -32602, message: "refused", data: { why: "because" } } },
    ],
    ["an unknown tool", { name: "nope" }, { error: { code: -32602 } }],
    ["a tool called like a member of Object", { name: "toString" }, { error: { code: -32602 } }],
    ["no name", {}, { error: { code: -32602 } }],
  ])("%s", async (_, params, expected) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25");
    connection.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect(await connection.nextJson()).toMatchObject({ id: 1, ...expected });
    await connection.end();
  });
});

function kitchenNames(): string[] {
  return [
    "echo",
    "wait",
    "steps",
    "log",
    "sum",
    "list",
    "fail",
    "bug",
    "refuse",
    "ask_name",
    "ask_twice",
    "ask_all",
    "mirror",
    "job",
    "asking_job",
    "broken_job",
  ];
}
