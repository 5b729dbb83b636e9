// Real processes over stdio: a table of raw exchanges per revision, every answer valid by the revision's own schema.
import { afterAll, describe, expect, test } from "bun:test";
import path from "node:path";
import type { JsonObject } from "../src/wire/json-value.ts";
import { modernMeta } from "./fixtures/raw-connection.ts";
import { BUN, ROOT, startRaw } from "./fixtures/stdio-child.ts";
import type { RawChild } from "./fixtures/stdio-child.ts";
import { schemaProblems } from "./fixtures/published-schemas.ts";

const SINK = [...BUN, path.join(import.meta.dirname, "fixtures/sink-program.ts")];
const CONFORMANCE = [...BUN, path.join(ROOT, "conformance/server.ts"), "--stdio"];
const started: RawChild[] = [];
afterAll(() => {
  for (const { pid } of started) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has ended, as it should
    }
  }
});

function start(argv: readonly string[]): RawChild {
  const child = startRaw(argv);
  started.push(child);
  return child;
}

type Exchange = [method: string, params: JsonObject, definition: string | number];

const EVERYWHERE: Exchange[] = [
  ["tools/list", {}, "ListToolsResult"],
  ["tools/call", { name: "test_simple_text" }, "CallToolResult"],
  ["tools/call", { name: "test_image_content" }, "CallToolResult"],
  ["tools/call", { name: "test_audio_content" }, "CallToolResult"],
  ["tools/call", { name: "test_multiple_content_types" }, "CallToolResult"],
  ["tools/call", { name: "test_error_handling" }, "CallToolResult"],
  ["tools/call", { name: "no such tool" }, -32602],
  ["resources/list", {}, "ListResourcesResult"],
  ["resources/templates/list", {}, "ListResourceTemplatesResult"],
  ["resources/read", { uri: "test://static-binary" }, "ReadResourceResult"],
  ["resources/read", { uri: "test://template/7/data" }, "ReadResourceResult"],
  ["prompts/list", {}, "ListPromptsResult"],
  ["prompts/get", { name: "test_prompt_with_arguments", arguments: { arg1: "1", arg2: "2" } }, "GetPromptResult"],
  ["prompts/get", { name: "test_prompt_with_arguments" }, -32602],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "test_prompt_with_arguments" }, argument: { name: "arg1", value: "t" } },
    "CompleteResult",
  ],
  ["tools/list", { cursor: "nope" }, -32602],
  ["no/such/method", {}, -32601],
];
const LEGACY: Exchange[] = [
  ["ping", {}, "EmptyResult"],
  ["logging/setLevel", { level: "warning" }, "EmptyResult"],
  ["logging/setLevel", { level: "loud" }, -32602],
  ["resources/read", { uri: "test://nope" }, -32002],
  ["resources/subscribe", { uri: "test://watched-resource" }, "EmptyResult"],
  ["resources/unsubscribe", { uri: "test://watched-resource" }, "EmptyResult"],
  ["server/discover", {}, -32601],
  ["initialize", { protocolVersion: "2025-11-25" }, -32600],
];
const MODERN: Exchange[] = [
  ["server/discover", {}, "DiscoverResult"],
  ["ping", {}, -32601],
  ["initialize", { protocolVersion: "2025-11-25" }, -32601],
  ["resources/read", { uri: "test://nope" }, -32602],
  ["tools/call", { name: "test_input_required_result_elicitation" }, -32021],
];

describe.each(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])("%s over stdio", (revision) => {
  const modern = revision === "2026-07-28";
  test("a whole conversation", async () => {
    const child = start(CONFORMANCE);
    if (!modern) {
      child.say({
        jsonrpc: "2.0",
        id: 0,
        method: "initialize",
        params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "0" } },
      });
      const { id, result } = await child.next();
      expect(id).toBe(0);
      expect(result).toMatchObject({ protocolVersion: revision });
      expect(schemaProblems(revision, "InitializeResult", result)).toBeUndefined();
      child.say({ jsonrpc: "2.0", method: "notifications/initialized" });
    }
    let number = 0;
    for (const [method, params, expected] of [...EVERYWHERE, ...(modern ? MODERN : LEGACY)]) {
      const id = number++ % 2 ? `${number}` : number;
      child.say({ jsonrpc: "2.0", id, method, params: modern ? { ...params, _meta: modernMeta() } : params });
      const answer = await child.next();
      expect(answer["id"]).toBe(id);
      if (typeof expected === "number")
        expect({ method, answer }).toMatchObject({ answer: { error: { code: expected } } });
      else expect(schemaProblems(revision, expected, answer["result"])).toBeUndefined();
    }
    child.say([{ jsonrpc: "2.0", id: "batched", method: "ping" }]);
    const batch = (await child.next()) as unknown;
    if (revision === "2025-03-26") expect(batch).toEqual([{ jsonrpc: "2.0", id: "batched", result: {} }]);
    else expect(batch).toMatchObject({ error: { code: -32600 } });
    expect(await child.end()).toMatchObject({ rest: "", exitCode: 0, stderr: "" });
  });

  test("every message it sends on its own is valid too", async () => {
    const child = start(CONFORMANCE);
    const meta = modern
      ? modernMeta({ progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" })
      : { progressToken: 1 };
    if (!modern) {
      child.say(
        {
          jsonrpc: "2.0",
          id: 0,
          method: "initialize",
          params: { protocolVersion: revision, capabilities: {}, clientInfo: { name: "raw", version: "0" } },
        },
        { jsonrpc: "2.0", method: "notifications/initialized" },
      );
      await child.next();
    }
    for (const name of ["test_tool_with_progress", "test_tool_with_logging"]) {
      child.say({ jsonrpc: "2.0", id: name, method: "tools/call", params: { name, arguments: {}, _meta: meta } });
      for (let said = 0; ; said++) {
        const message = await child.next();
        if (message["id"] === name) {
          expect(said).toBeGreaterThanOrEqual(3);
          break;
        }
        const definition = name.endsWith("progress") ? "ProgressNotification" : "LoggingMessageNotification";
        expect(schemaProblems(revision, definition, message)).toBeUndefined();
      }
    }
    expect((await child.end()).exitCode).toBe(0);
  });
});

describe("a real pipe", () => {
  test("answers everything that was piped in before its end", async () => {
    const child = start(SINK);
    child.say(
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "echo", arguments: { text: "x".repeat(300_000) } },
      },
    );
    const { rest, exitCode } = await child.end();
    const answers = rest
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as JsonObject)["id"]);
    expect(answers).toEqual([1, 2]);
    expect(exitCode).toBe(0);
  });

  test("lines cut anywhere, CRLF, blank lines, and a line of 17 MiB that fails alone", async () => {
    const child = start(SINK);
    const ping = `\r\n\n  ${JSON.stringify({ jsonrpc: "2.0", id: "ü😀", method: "ping" })}\r\n`;
    for (const byte of new TextEncoder().encode(ping)) child.write(Uint8Array.of(byte));
    expect(await child.next()).toEqual({ jsonrpc: "2.0", id: "ü😀", result: {} });
    child.write(`"${"x".repeat(17 * 1024 * 1024)}"\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n`);
    expect(await child.next()).toMatchObject({ error: { code: -32700 } });
    expect(await child.next()).toMatchObject({ id: 2, result: {} });
    expect((await child.end()).exitCode).toBe(0);
  });

  test("a client that dies in the middle of a call leaves no server behind", async () => {
    const child = start(SINK);
    child.say(
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait" } },
    );
    await child.next();
    expect((await child.end()).exitCode).toBe(0);
  });
});
