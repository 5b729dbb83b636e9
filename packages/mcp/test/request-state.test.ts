// The encrypted state that travels through the client with an answer.
import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "../src/wire/json-value.ts";
import { digestOf, StateCipher } from "../src/server/state-cipher.ts";
import { kitchenSink, newGate } from "./fixtures/kitchen-sink.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

describe("the state of 2026-07-28 is treated as hostile", () => {
  const ANSWER = { who: { action: "accept", content: { name: "Anna" } } };
  type InputRequired = { resultType: string; requestState: string; inputRequests: JsonObject };
  let caller = "anna";
  const peer = httpPeer(kitchenSink({}, newGate()), { authorize: () => ({ id: caller, scopes: [] }) });
  const tell = async (params: JsonObject, method = "tools/call"): Promise<JsonObject> =>
    (await messages(await peer.modern(method, params, { capabilities: ASKABLE })))[0] ?? {};
  const begin = async (): Promise<InputRequired> =>
    (await tell({ name: "ask_name", arguments: {} }))["result"] as InputRequired;

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
    const first = (await tell({ arguments: { greeting: "Hi" }, name: "ask_name" }))["result"] as InputRequired;
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
    const first = (await tell({ name: "ask_twice", arguments: {} }))["result"] as InputRequired;
    const both = { one: { action: "decline" }, two: { action: "accept", content: { name: "too early" } } };
    const second = (
      await tell({ name: "ask_twice", arguments: {}, inputResponses: both, requestState: first.requestState })
    )["result"] as InputRequired;
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
      httpPeer(kitchenSink({ stateKey: key })),
      httpPeer(kitchenSink({ stateKey: key })),
      httpPeer(kitchenSink()),
    ];
    const call = { name: "ask_name", arguments: {} };
    const [asked = {}] = await messages(await a.modern("tools/call", call, { capabilities: ASKABLE }));
    const { requestState } = asked["result"] as InputRequired;
    const retry = { ...call, inputResponses: ANSWER, requestState };
    expect(await messages(await b.modern("tools/call", retry, { capabilities: ASKABLE }))).toMatchObject([
      { result: { resultType: "complete" } },
    ]);
    expect(await messages(await c.modern("tools/call", retry, { capabilities: ASKABLE }))).toMatchObject([
      { error: { code: -32602 } },
    ]);
  });
});

test("a cipher decrypts only what it encrypted, bit by bit", async () => {
  const cipher = new StateCipher();
  const sealed = await cipher.encrypt({ a: [1, "ü"] });
  expect(await cipher.decrypt(sealed)).toEqual({ a: [1, "ü"] });
  expect(await new StateCipher().decrypt(sealed)).toBeUndefined();
  const bytes = Buffer.from(sealed, "base64url");
  for (let bit = 0; bit < bytes.length * 8; bit += 3) {
    const bent = Buffer.from(bytes);
    bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(await cipher.decrypt(bent.toString("base64url"))).toBeUndefined();
  }
  expect(await cipher.decrypt(`${sealed}=`)).toBeUndefined();
});

test("a digest does not depend on the order of members, but on everything else", async () => {
  expect(await digestOf({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(await digestOf({ b: { d: [1, 2], c: 2 }, a: 1 }));
  expect(await digestOf([1, 2])).not.toBe(await digestOf([2, 1]));
  expect(await digestOf({ a: 1 })).not.toBe(await digestOf({ a: "1" }));
});
