// Asking the client, in both eras.
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
import type { ClientOptions } from "../src/client/client-session.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { transportPair } from "../src/wire/transport.ts";
import { kitchenSink, pause } from "./fixtures/kitchen-sink.ts";
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
      await pause(20); // the question has no stream that could be read before its answer is refused
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
