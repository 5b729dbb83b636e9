// Sessions over HTTP: whose they are, when they end, and how many there may be.
import { describe, expect, test } from "bun:test";
import type { Service } from "../src/server/call.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { RpcError } from "../src/wire/rpc-error.ts";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

const call = (id: number | string, name: string, args = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("sessions", () => {
  test("live from initialize to DELETE", async () => {
    const peer = httpPeer(kitchenSink());
    const headers = await peer.session("2025-11-25");
    expect(headers["mcp-session-id"]).toMatch(/^[\x21-\x7e]{16,}$/);
    expect((await peer.post(PING, { headers })).status).toBe(200);
    expect((await peer.send("DELETE", undefined, { headers })).status).toBe(204);
    expect((await peer.post(PING, { headers })).status).toBe(404);
    expect((await peer.send("DELETE", undefined, { headers })).status).toBe(404);
    expect(peer.endpoint.sessions()).toBe(0);
  });

  test.each<[string, Record<string, string>, number]>([
    ["no session id", {}, 400],
    ["an unknown one", { "mcp-session-id": "guess" }, 404],
    ["a version we do not speak", { "mcp-protocol-version": "1999-01-01" }, 400],
    ["no version header is fine", {}, 400],
  ])("%s", async (_, headers, status) => {
    const peer = httpPeer(kitchenSink());
    const response = await peer.post(PING, { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32600 } });
  });

  test("without the version header the negotiated revision counts", async () => {
    const peer = httpPeer(kitchenSink());
    const { "mcp-session-id": id = "" } = await peer.session("2025-03-26");
    expect((await peer.post([PING], { headers: { "mcp-session-id": id } })).status).toBe(200);
    peer.endpoint.close();
  });

  test("belong to who opened them", async () => {
    let caller = "anna";
    const peer = httpPeer(kitchenSink(), { authorize: () => ({ id: caller, scopes: [] }) });
    const headers = await peer.session("2025-11-25");
    caller = "berta";
    for (const response of [
      await peer.post(PING, { headers }),
      await peer.send("GET", undefined, { headers }),
      await peer.send("DELETE", undefined, { headers }),
    ])
      expect(response.status).toBe(404);
    caller = "anna";
    expect((await peer.post(PING, { headers })).status).toBe(200);
    peer.endpoint.close();
  });

  test("end when nobody uses them, not while a stream is open or a call runs", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate), { sessionIdleMs: 300 });
    await peer.session("2025-11-25");
    const listening = await peer.session("2025-11-25");
    const stream = await peer.send("GET", undefined, { headers: listening });
    const working = await peer.session("2025-11-25");
    const running = peer.post(call(1, "wait"), { headers: working });
    await until(() => gate.arrived === 1);
    await until(() => peer.endpoint.sessions() === 2, "the end of the idle session");
    await pause(700); // nothing tells of what does not happen: the session in use is not ended
    expect(peer.endpoint.sessions()).toBe(2);
    gate.open();
    await (await running).text();
    await stream.body?.cancel();
    await until(() => peer.endpoint.sessions() === 0, "the end of the others");
    peer.endpoint.close();
  });

  test("are limited in number: the one that is silent longest gives way, and none that is in use", async () => {
    const gate = newGate();
    const server = kitchenSink({}, gate);
    const begun: string[] = [];
    const service: Service = {
      ...server,
      handle(call) {
        if (call.method === "initialize") begun.push(call.owner);
        return server.handle(call);
      },
    };
    const peer = httpPeer(service, { maxSessions: 2 });
    const busy = await peer.session("2025-11-25");
    const running = peer.post(call(1, "wait"), { headers: busy });
    await until(() => gate.arrived === 1);
    const silent = await peer.session("2025-11-25");
    const next = await peer.session("2025-11-25");
    expect((await peer.post(PING, { headers: silent })).status).toBe(404);
    const alsoRunning = peer.post(call(2, "wait"), { headers: next });
    await until(() => gate.arrived === 2);
    const newcomer = { ...PING, method: "initialize", params: { protocolVersion: "2025-11-25" } };
    const refused = await Promise.all(Array.from({ length: 5 }, () => peer.post(newcomer)));
    expect(refused.map(({ status }) => status)).toEqual(Array(5).fill(503));
    // Nothing is begun for those who are turned away.
    expect(begun).toHaveLength(3);
    gate.open();
    expect((await running).status).toBe(200);
    expect((await alsoRunning).status).toBe(200);
    await peer.session("2025-11-25");
    peer.endpoint.close();
  });

  test("that fail to open leave nothing behind, neither a place nor what was begun for them", async () => {
    const ended: string[] = [];
    const begun: string[] = [];
    const service: Service = {
      handle({ owner }) {
        begun.push(owner);
        throw new RpcError(-32000, "not today");
      },
      ended: (owner) => void ended.push(owner),
    };
    const peer = httpPeer(service, { maxSessions: 1 });
    const newcomer = { ...PING, method: "initialize", params: { protocolVersion: "2025-11-25" } };
    for (let n = 0; n < 3; n++) expect((await peer.post(newcomer)).status).toBe(200);
    expect(begun).toHaveLength(3);
    expect(ended).toEqual(begun);
    peer.endpoint.close();
  });

  test("keep their calls when the connection drops: hanging up is not cancelling", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const headers = await peer.session("2025-11-25");
    const stop = new AbortController();
    void peer.post(call(1, "wait"), { headers, signal: stop.signal }).catch(() => {});
    await until(() => gate.arrived === 1);
    stop.abort();
    await pause(30); // nothing tells of what does not happen: the call is not aborted
    expect(gate.aborted).toBe(0);
    await peer.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, { headers });
    expect(gate.aborted).toBe(1);
    peer.endpoint.close();
  });

  test("the same ids in two sessions stay apart, a cancel of id 0 included", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const [left, right] = [await peer.session("2025-06-18"), await peer.session("2025-06-18")];
    const cancelled = peer.post(call(0, "wait"), { headers: left });
    const other = peer.post(call(0, "wait"), { headers: right });
    await until(() => gate.arrived === 2);
    await peer.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } }, { headers: left });
    gate.open();
    expect(await (await cancelled).text()).toBe("");
    expect(await messages(await other)).toMatchObject([{ id: 0, result: { content: [{ text: "through" }] } }]);
    peer.endpoint.close();
  });
});
