// Long texts that become JSON while they are sent: to everyone who looks ordinary blocks, on the wire the same JSON.
import { afterAll, expect, test } from "bun:test";
import path from "node:path";
import { connectHttp, connectTransport } from "../src/client/connect.ts";
import { serveHttp } from "../src/http/http-listener.ts";
import { serveConnection } from "../src/server/connection.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { PiecedMessage } from "../src/wire/encoded-text.ts";
import { LineWriter } from "../src/wire/stdio.ts";
import { idOf, resultMessage, resultText } from "../src/wire/message.ts";
import { transportPair } from "../src/wire/transport.ts";
import { longText, longTextServer, TEXT, TEXT_TOOL } from "./fixtures/encoded-program.ts";
import { BUN, startRaw } from "./fixtures/stdio-child.ts";
import type { RawChild } from "./fixtures/stdio-child.ts";

const PROGRAM = [...BUN, path.join(import.meta.dirname, "fixtures/encoded-program.ts")];
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

const CLIENT = { name: "test", version: "1" };

test("to everyone who looks it is an ordinary text block", () => {
  const block = longText(TEXT, 7);
  const plain = { type: "text", text: TEXT };
  expect(block.text).toBe(TEXT);
  expect(JSON.stringify(block)).toBe(JSON.stringify(plain));
  expect({ ...block } as object).toEqual(plain);
  expect([block.includes("日本 and"), block.includes('"quoted"\ttext\\'), block.includes("absent")]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each<[string, (block: object) => JsonObject]>([
  ["alone", (block) => ({ content: [block] as never })],
  ["among others", (block) => ({ content: [{ type: "text", text: "before" }, block, block] as never })],
  ["with members beside it", (block) => ({ content: [block] as never, isError: true, _meta: { a: [1, "ä"] } })],
  ["none at all", () => ({ content: [] })],
])("a message around it says the same as one made at once: %s", (_, result) => {
  const id = idOf("x");
  const plain = JSON.parse(resultText(id, result({ type: "text", text: TEXT }))) as unknown;
  const message = resultMessage(id, result(longText(TEXT, 5)));
  expect(JSON.parse(String(message))).toEqual(plain);
  expect(message.length).toBeGreaterThan(0);
});

test("over a transport that knows only texts", async () => {
  const [ours, theirs] = transportPair();
  void serveConnection(longTextServer(), theirs);
  const client = await connectTransport(ours, CLIENT);
  const { content } = await client.callTool(TEXT_TOOL, { copies: 3 });
  expect(content).toEqual([{ type: "text", text: TEXT.repeat(3) }]);
  await client.close();
});

test("over HTTP", async () => {
  const listening = serveHttp(longTextServer());
  const client = await connectHttp(listening.url, CLIENT);
  const { content } = await client.callTool(TEXT_TOOL, { copies: 5000 });
  expect(content).toEqual([{ type: "text", text: TEXT.repeat(5000) }]);
  await client.close();
  await listening.stop();
});

test("over stdio, to a client that takes its time: whole, in order, its buffer used again for each piece", async () => {
  const child = startRaw(PROGRAM);
  started.push(child);
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  child.say({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize });
  await child.next();
  const copies = 40_000;
  for (const id of [1, 2, 3]) {
    child.say({ jsonrpc: "2.0", id, method: "tools/call", params: { name: TEXT_TOOL, arguments: { copies } } });
    child.say({ jsonrpc: "2.0", id: `ping ${id}`, method: "ping" });
  }
  // Nothing can be awaited: that the socket is full, and the rest waits in the program, shows nowhere but there.
  await Bun.sleep(100);
  const results = new Map<unknown, unknown>();
  for (let answer = 0; answer < 6; answer++) {
    const { id, result } = await child.next();
    results.set(id, result);
  }
  for (const id of [1, 2, 3]) {
    const [block] = (results.get(id) as { content: { text: string }[] }).content;
    expect(block?.text === TEXT.repeat(copies)).toBe(true);
    expect(results.get(`ping ${id}`)).toEqual({});
  }
  expect(await child.end()).toMatchObject({ rest: "", exitCode: 0 });
});

test("lines keep their order around a message in pieces", async () => {
  const message = resultMessage(idOf(7), { content: [longText(TEXT.repeat(5000), 40_000)] as never });
  if (!(message instanceof PiecedMessage)) throw new Error("it is one text");
  const written: (string | Uint8Array)[] = [];
  const writer = new LineWriter({
    write: (data) => written.push(typeof data === "string" ? data : Uint8Array.from(data)),
    flush: () => 0,
    end() {},
  });
  await Promise.all([writer.line("before"), writer.lineInPieces(message), writer.line("after")]);
  const all = Buffer.concat(written.map((data) => Buffer.from(data as string))).toString();
  expect(all === `before\n${message.toString()}\nafter\n`).toBe(true);
});
