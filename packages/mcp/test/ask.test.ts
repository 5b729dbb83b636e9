// Asking the client, in both carriers, and the sealed state that travels through it.
import { describe, expect, test } from "bun:test";
import { connectTransport } from "../src/client/connect.ts";
import { elicitForm, elicitUrl } from "../src/server/ask.ts";
import { serveConnection } from "../src/server/connection.ts";
import { object } from "../src/server/schema.ts";
import { createServer } from "../src/server/server.ts";
import { defineTool } from "../src/server/tool.ts";
import { text } from "../src/wire/content.ts";
import { ConnectionError } from "../src/wire/rpc-error.ts";
import type { Client } from "../src/client/client.ts";
import type { ClientOptions } from "../src/client/conversation.ts";
import type { Json, JsonObject } from "../src/wire/json.ts";
import { digestOf, Seal } from "../src/server/seal.ts";
import { transportPair } from "../src/wire/transport.ts";
import { kitchenSink, newGate, pause } from "./fixtures/kitchen-sink.ts";
import { initialized, rawConnection } from "./fixtures/raw-connection.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

async function connected(era: "legacy" | "modern", options: Partial<ClientOptions> = {}): Promise<Client> {
  const [mine, theirs] = transportPair();
  void serveConnection(kitchenSink(), theirs);
  return connectTransport(mine, { name: "c", version: "0", era, ...options });
}

const said = (result: { content: unknown }): string => JSON.stringify(result.content);

test("a question that is not answered in its time is withdrawn, and the handler hears so", async () => {
  const asking = defineTool({
    name: "ask_briefly",
    description: "",
    input: object({}),
    run: (_, { ask }) =>
      ask({ who: elicitForm("Who?", { type: "object", properties: {} }) }, { timeoutMs: 20 }).then(
        () => text("answered"),
        (error: unknown) => text(error instanceof ConnectionError ? error.reason : String(error)),
      ),
  });
  const connection = rawConnection(createServer({ name: "s", version: "1", tools: [asking] }));
  await initialized(connection, "2025-11-25", ASKABLE);
  connection.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_briefly" } });
  const { id } = await connection.nextJson();
  expect(await connection.nextJson()).toMatchObject({
    method: "notifications/cancelled",
    params: { requestId: id, reason: "no answer within 20 ms" },
  });
  expect(await connection.nextJson()).toMatchObject({ id: 1, result: { content: [{ text: "timeout" }] } });
  // An answer that comes after all means nothing.
  connection.say({ jsonrpc: "2.0", id: id as string, result: { action: "accept" } });
  connection.say({ jsonrpc: "2.0", id: 2, method: "ping" });
  expect(await connection.nextJson()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  await connection.end();
});

describe.each(["legacy", "modern"] as const)("%s: a handler asks without knowing how", (era) => {
  test("a form: defaults fill what the person left alone", async () => {
    const client = await connected(era, { elicit: async () => ({ action: "accept", content: {} }) });
    expect(said(await client.callTool("ask_name"))).toContain(`\\"name\\":\\"nobody\\"`);
    await client.close();
  });

  test("what the person wrote wins over defaults", async () => {
    const client = await connected(era, { elicit: async () => ({ action: "accept", content: { name: "Anna" } }) });
    expect(said(await client.callTool("ask_name"))).toContain("Anna");
    await client.close();
  });

  test.each(["decline", "cancel"] as const)("%s carries no content", async (action) => {
    const client = await connected(era, { elicit: async () => ({ action }) });
    expect(said(await client.callTool("ask_name"))).toContain(`Hello {\\"action\\":\\"${action}\\"}`);
    await client.close();
  });

  test("two rounds", async () => {
    const names = ["Anna", "Berta"];
    const client = await connected(era, {
      elicit: async () => ({ action: "accept", content: { name: names.shift() ?? "" } }),
    });
    const text = said(await client.callTool("ask_twice"));
    expect(text).toContain("Anna");
    expect(text).toContain("Berta");
    await client.close();
  });

  test("a URL, a model and roots at once", async () => {
    const asked: JsonObject[] = [];
    const client = await connected(era, {
      elicitUrls: true,
      elicit: async (params) => {
        asked.push(params);
        return { action: "accept" };
      },
      sample: async () => ({ role: "assistant", model: "m", content: { type: "text", text: "sampled" } }),
      roots: () => [{ uri: "file:///tmp" }],
    });
    const text = said(await client.callTool("ask_all"));
    for (const part of ["accept", "sampled", "file:///tmp"]) expect(text).toContain(part);
    expect(asked[0]).toMatchObject({ mode: "url", url: "https://example.org/" });
    // elicitationId exists in 2025-11-25 only.
    expect("elicitationId" in (asked[0] ?? {})).toBe(era === "legacy");
    await client.close();
  });

  test("when what a URL was for is done, a client that knows the word is told which one", async () => {
    const asked: JsonObject[] = [];
    const heard: [string, JsonObject][] = [];
    const [mine, theirs] = transportPair();
    const question = elicitUrl("Sign in", "https://example.org/sign-in");
    const signIn = defineTool({
      name: "sign_in",
      description: "",
      input: object({}),
      async run(_, context) {
        await context.ask({ signedIn: question });
        context.urlDone(question);
        return text("done");
      },
    });
    void serveConnection(createServer({ name: "s", version: "0", tools: [signIn] }), theirs);
    const client = await connectTransport(mine, {
      name: "c",
      version: "0",
      era,
      elicitUrls: true,
      elicit: async (params) => {
        asked.push(params);
        return { action: "accept" };
      },
      onNotification: (method, params) => void heard.push([method, params]),
    });
    await client.callTool("sign_in");
    const { elicitationId } = asked[0] ?? {};
    expect(heard).toEqual(era === "legacy" ? [["notifications/elicitation/complete", { elicitationId }]] : []);
    expect(typeof elicitationId).toBe(era === "legacy" ? "string" : "undefined");
    await client.close();
  });

  test("what the client did not declare is not asked", async () => {
    const client = await connected(era, { elicit: async () => ({ action: "accept" }) });
    const code = era === "legacy" ? -32600 : -32021;
    await expect(client.callTool("ask_all")).rejects.toMatchObject({ code });
    await client.close();
  });

  test("a person who fails to answer fails the call", async () => {
    const client = await connected(era, {
      elicit: async () => {
        throw new Error("the dialog crashed");
      },
    });
    await expect(client.callTool("ask_name")).rejects.toThrow();
    await client.close();
  });
});

test.each(["stdio", "HTTP"])(
  "an answer that cannot be read ends the wait for it, over %s",
  async (carrier) => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_name" } };
    const answer = { jsonrpc: "2.0", id: "s1", result: null };
    if (carrier === "stdio") {
      const connection = rawConnection(kitchenSink());
      await initialized(connection, "2025-11-25", { elicitation: {} });
      connection.say(call);
      await connection.nextJson();
      connection.say(answer);
      const said = [await connection.nextJson(), await connection.nextJson()];
      expect(said.find(({ id }) => id === 1)).toMatchObject({ result: { isError: true } });
      await connection.end();
    } else {
      const peer = httpPeer(kitchenSink());
      const headers = await peer.session("2025-11-25", { elicitation: {} });
      const response = peer.post(call, { headers });
      await pause(20);
      expect((await peer.post(answer, { headers })).status).toBe(400);
      expect((await messages(await response)).at(-1)).toMatchObject({ id: 1, result: { isError: true } });
      peer.endpoint.close();
    }
  },
  5000,
);

describe("legacy questions", () => {
  test.each<[string, JsonObject, boolean]>([
    ["2025-03-26", { elicitation: {} }, false],
    ["2025-06-18", { elicitation: {} }, true],
    ["2025-11-25", { elicitation: {} }, true],
    ["2025-11-25", { elicitation: { form: {} } }, true],
    ["2025-11-25", { elicitation: { url: {} } }, false],
    ["2025-11-25", {}, false],
  ])("%s with %p: forms %p", async (revision, capabilities, possible) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, revision, capabilities);
    connection.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_name" } });
    const answer = await connection.nextJson();
    if (!possible) expect(answer).toMatchObject({ id: 1, error: { code: -32600 } });
    else {
      expect(answer).toMatchObject({ method: "elicitation/create" });
      expect("mode" in (answer["params"] as JsonObject)).toBe(revision === "2025-11-25");
    }
    await connection.end();
  });

  test("an error of the client's is the call's error, and its id space is its own", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25", { elicitation: {} });
    connection.say({ jsonrpc: "2.0", id: "s1", method: "tools/call", params: { name: "ask_name" } });
    const { id } = await connection.nextJson();
    connection.say({ jsonrpc: "2.0", id: id ?? 0, error: { code: -1, message: "User rejected" } });
    expect(await connection.nextJson()).toMatchObject({ id: "s1", error: { code: -1, message: "User rejected" } });
    await connection.end();
  });

  test("cancelling the call cancels its question", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25", { elicitation: {} });
    connection.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_name" } });
    const { id } = await connection.nextJson();
    connection.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(await connection.nextJson()).toMatchObject({
      method: "notifications/cancelled",
      params: { requestId: id ?? 0 },
    });
    await connection.end();
  });

  test("over HTTP the question comes on the stream of its call, and the answer by POST", async () => {
    const peer = httpPeer(kitchenSink());
    const headers = await peer.session("2025-11-25", { elicitation: {} });
    const response = await peer.post(
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_name" } },
      { headers },
    );
    const reading = messages(response);
    const answered = await peer.post({ jsonrpc: "2.0", id: "s1", result: { action: "decline" } }, { headers });
    expect(answered.status).toBe(202);
    expect(await reading).toMatchObject([
      { id: "s1", method: "elicitation/create" },
      { id: 1, result: {} },
    ]);
    peer.endpoint.close();
  });

  test("another session cannot answer it", async () => {
    const peer = httpPeer(kitchenSink());
    const [mine, other] = [await peer.session("2025-11-25", { elicitation: {} }), await peer.session("2025-11-25")];
    const reading = messages(
      await peer.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask_name" } }, { headers: mine }),
    );
    await peer.post(
      { jsonrpc: "2.0", id: "s1", result: { action: "accept", content: { name: "intruder" } } },
      { headers: other },
    );
    await peer.post(
      { jsonrpc: "2.0", id: "s1", result: { action: "accept", content: { name: "me" } } },
      { headers: mine },
    );
    expect(JSON.stringify(await reading)).not.toContain("intruder");
    peer.endpoint.close();
  });
});

describe("the state of 2026-07-28 is treated as hostile", () => {
  const ANSWER = { who: { action: "accept", content: { name: "Anna" } } };
  type Asked = { resultType: string; requestState: string; inputRequests: JsonObject };
  let caller = "anna";
  const peer = httpPeer(kitchenSink({}, newGate()), { authorize: () => ({ id: caller, scopes: [] }) });
  const tell = async (params: JsonObject, method = "tools/call"): Promise<JsonObject> =>
    (await messages(await peer.modern(method, params, { capabilities: ASKABLE })))[0] ?? {};
  const begin = async (): Promise<Asked> => (await tell({ name: "ask_name", arguments: {} }))["result"] as Asked;

  test("the honest way", async () => {
    const asked = await begin();
    expect(asked).toMatchObject({
      resultType: "input_required",
      inputRequests: { who: { method: "elicitation/create" } },
    });
    expect(asked).not.toHaveProperty("ttlMs");
    expect(
      await tell({ name: "ask_name", arguments: {}, inputResponses: ANSWER, requestState: asked.requestState }),
    ).toMatchObject({ result: { resultType: "complete" } });
  });

  test("altered in any one character", async () => {
    const { requestState } = await begin();
    for (const at of [0, 5, 20, requestState.length >> 1, requestState.length - 1]) {
      const bent = requestState.slice(0, at) + (requestState[at] === "A" ? "B" : "A") + requestState.slice(at + 1);
      expect(await tell({ name: "ask_name", arguments: {}, inputResponses: ANSWER, requestState: bent })).toMatchObject(
        { error: { code: -32602 } },
      );
    }
  });

  test.each<[string, Json]>([
    ["empty", ""],
    ["short", "AAAA"],
    ["not base64", "!!!"],
    ["a number", 7],
    ["null", null],
    ["padded", "AAAA===="],
  ])("%s", async (_, requestState) => {
    expect(await tell({ name: "ask_name", inputResponses: ANSWER, requestState })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test.each<[string, JsonObject]>([
    ["for other arguments", { name: "ask_name", arguments: { greeting: "Bye" } }],
    ["for another tool", { name: "ask_twice", arguments: {} }],
  ])("replayed %s", async (_, params) => {
    const { requestState } = await begin();
    expect(await tell({ ...params, inputResponses: ANSWER, requestState })).toMatchObject({ error: { code: -32602 } });
  });

  test("replayed by somebody else, who says to be the owner", async () => {
    const { requestState } = await begin();
    caller = "berta";
    const theft = { name: "ask_name", arguments: {}, inputResponses: ANSWER, requestState };
    expect(await tell(theft)).toMatchObject({ error: { code: -32602 } });
    expect(await tell({ owner: "principal:anna", ...theft })).toMatchObject({ error: { code: -32602 } });
    expect(await tell({ ...theft, method: "tools/call", owner: "principal:anna" })).toMatchObject({
      error: { code: -32602 },
    });
    caller = "anna";
  });

  test("the same call encoded anew, its members in another order, is the same call", async () => {
    const first = (await tell({ arguments: { greeting: "Hi" }, name: "ask_name" }))["result"] as Asked;
    expect(
      await tell({
        inputResponses: ANSWER,
        requestState: first.requestState,
        name: "ask_name",
        arguments: { greeting: "Hi" },
      }),
    ).toMatchObject({ result: { resultType: "complete" } });
  });

  test("expired", async () => {
    const { now } = Date;
    const { requestState } = await begin();
    try {
      Date.now = () => now() + 3_600_001;
      expect(await tell({ name: "ask_name", arguments: {}, inputResponses: ANSWER, requestState })).toMatchObject({
        error: { message: "requestState has expired" },
      });
    } finally {
      Date.now = now;
    }
  });

  test.each<[string, Json, boolean]>([
    ["a wrong key is asked again", { other: { action: "accept" } }, true],
    ["an empty map is asked again", {}, true],
    ["null is refused", null, false],
    ["a list is refused", [], false],
    ["an answer that is no object is refused", { who: 5 }, false],
    ["an answer that is null is refused", { who: null }, false],
  ])("%s", async (_, inputResponses, again) => {
    const { requestState } = await begin();
    const answer = await tell({ name: "ask_name", arguments: {}, inputResponses, requestState });
    expect(answer).toMatchObject(again ? { result: { resultType: "input_required" } } : { error: { code: -32602 } });
  });

  test("a client that knows the question may answer it with the call", async () => {
    expect(await tell({ name: "ask_name", arguments: {}, inputResponses: ANSWER })).toMatchObject({
      result: { resultType: "complete" },
    });
  });

  test("an answer cannot run ahead of its round", async () => {
    const first = (await tell({ name: "ask_twice", arguments: {} }))["result"] as Asked;
    const both = { one: { action: "decline" }, two: { action: "accept", content: { name: "too early" } } };
    const second = (
      await tell({ name: "ask_twice", arguments: {}, inputResponses: both, requestState: first.requestState })
    )["result"] as Asked;
    expect(second).toMatchObject({ resultType: "input_required", inputRequests: { two: {} } });
    expect(second.requestState).not.toBe(first.requestState);
    // Each round carries only its own answers; the earlier ones are in the state.
    const last = await tell({
      name: "ask_twice",
      arguments: {},
      inputResponses: { two: { action: "cancel" } },
      requestState: second.requestState,
    });
    expect(JSON.stringify(last)).toContain(
      `{\\"one\\":{\\"action\\":\\"decline\\"},\\"two\\":{\\"action\\":\\"cancel\\"}}`,
    );
  });

  test("another server's state is refused, a shared key accepts it", async () => {
    const key = new Uint8Array(32).fill(7);
    const [a, b, c] = [
      httpPeer(kitchenSink({ sealKey: key })),
      httpPeer(kitchenSink({ sealKey: key })),
      httpPeer(kitchenSink()),
    ];
    const call = { name: "ask_name", arguments: {} };
    const [asked = {}] = await messages(await a.modern("tools/call", call, { capabilities: ASKABLE }));
    const { requestState } = asked["result"] as Asked;
    const retry = { ...call, inputResponses: ANSWER, requestState };
    expect(await messages(await b.modern("tools/call", retry, { capabilities: ASKABLE }))).toMatchObject([
      { result: { resultType: "complete" } },
    ]);
    expect(await messages(await c.modern("tools/call", retry, { capabilities: ASKABLE }))).toMatchObject([
      { error: { code: -32602 } },
    ]);
  });
});

test("a seal opens only what it closed, bit by bit", async () => {
  const seal = new Seal();
  const sealed = await seal.close({ a: [1, "ü"] });
  expect(await seal.open(sealed)).toEqual({ a: [1, "ü"] });
  expect(await new Seal().open(sealed)).toBeUndefined();
  const bytes = Buffer.from(sealed, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const bent = Buffer.from(bytes);
    bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(await seal.open(bent.toString("base64url"))).toBeUndefined();
  }
  expect(await seal.open(`${sealed}=`)).toBeUndefined();
});

test("a digest does not depend on the order of members, but on everything else", async () => {
  expect(await digestOf({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(await digestOf({ b: { d: [1, 2], c: 2 }, a: 1 }));
  expect(await digestOf([1, 2])).not.toBe(await digestOf([2, 1]));
  expect(await digestOf({ a: 1 })).not.toBe(await digestOf({ a: "1" }));
});
