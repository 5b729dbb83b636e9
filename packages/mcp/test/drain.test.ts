// A client that has closed its end still gets its answers; when it has them, nothing is waited for.
import { expect, test } from "bun:test";
import { serveConnection } from "@bosun/mcp/server";
import type { Call, Transport } from "@bosun/mcp/server";
import { parseMessage } from "@bosun/mcp/relay";

/** More than a test may take. */
const FOR_EVER_MS = 600_000;

test.each([
  ["a batch that is refused", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "batches are not part"],
  ["a request", '{"jsonrpc":"2.0","id":1,"method":"ping"}', '"result":{}'],
  ["a line that cannot be read", "{", "not valid JSON"],
])("%s is waited for until it is answered", async (_, line, answer) => {
  const said: string[] = [];
  async function* incoming(): Transport["incoming"] {
    yield parseMessage(line);
  }
  const transport: Transport = {
    incoming: incoming(),
    send: async (text) => void said.push(text),
    close: async () => {},
  };
  await serveConnection({ handle: () => ({}) }, transport, { drainMs: FOR_EVER_MS });
  expect(said).toEqual([expect.stringContaining(answer)]);
});

test("a request that was cancelled is not waited for, also with an id that JavaScript would round", async () => {
  const said: string[] = [];
  async function* incoming(): Transport["incoming"] {
    yield parseMessage('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}');
    yield parseMessage('{"jsonrpc":"2.0","id":9007199254740993,"method":"slow"}');
    yield parseMessage('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993}}');
  }
  const transport: Transport = {
    incoming: incoming(),
    send: async (text) => void said.push(text),
    close: async () => {},
  };
  const greeting = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "t", version: "1" } };
  const handle = ({ method, signal }: Call) =>
    method === "initialize"
      ? greeting
      : new Promise<never>((_, reject) => void signal.addEventListener("abort", () => reject(new Error("withdrawn"))));
  await serveConnection({ handle }, transport, { drainMs: FOR_EVER_MS });
  expect(said).toEqual([expect.stringContaining('"id":1')]);
});
