// Calls may be large, but not all of them at once.
import { expect, test } from "bun:test";
import { withCallMemoryLimit } from "../src/server/running-calls.ts";
import type { Call, Service } from "../src/server/call.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";
import { kitchenSink, newGate } from "./fixtures/kitchen-sink.ts";

const call = (chars: number): Call => ({ raw: "x".repeat(chars) }) as Call;

function waiting(): { service: Service; open(): void } {
  const gate = newGate();
  const handle = async (): Promise<Record<string, never>> => {
    await gate.opened;
    return {};
  };
  return { service: { handle }, open: gate.open };
}

test("what running calls hold is bounded, and given back when they end", async () => {
  const { service, open } = waiting();
  const { handle } = withCallMemoryLimit(service, 100_000);
  const running = [handle(call(40_000)), handle(call(40_000))];
  await expect(Promise.resolve(handle(call(40_000)))).rejects.toMatchObject({ code: -32600 });
  running.push(handle(call(100))); // small ones always pass
  open();
  await Promise.all(running);
  expect(await handle(call(100_000))).toEqual({});
});

test("a call that fails gives back what it held, too", async () => {
  const failing = withCallMemoryLimit({ handle: () => Promise.reject(new Error("no")) }, 10_000);
  for (let i = 0; i < 3; i++) await expect(Promise.resolve(failing.handle(call(9000)))).rejects.toThrow("no");
});

test("a session does not keep more of its client than anybody says of itself", async () => {
  const peer = httpPeer(kitchenSink());
  const initialize = (experimental: string): Promise<Response> =>
    peer.post({
      jsonrpc: "2.0",
      id: 7,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { experimental: { x: experimental } },
        clientInfo: { name: "c", version: "0" },
      },
    });
  const refused = await initialize("x".repeat(100_000));
  expect(refused.status).toBe(413);
  expect(await messages(refused)).toMatchObject([{ id: 7, error: { code: -32600 } }]);
  expect(peer.endpoint.sessions()).toBe(0);
  expect((await initialize("x".repeat(10_000))).status).toBe(200);
  peer.endpoint.close();
});
