// Streams as real servers send them, replayed over a socket in several cuts: what was said, what was called, how it
// ended. The wire samples of each server family, every quirk, every error shape.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "@bosun/mcp";
import type { Compat } from "../../src/model/compat.ts";
import { call, finish, startModel, text } from "../scripted-model.ts";
import type { ScriptedModel, Step } from "../scripted-model.ts";
import { CALL_SHAPES, chunksOf } from "./call-shapes.ts";
import { LESSONS } from "./lesson-traces.ts";
import { answerOf, CUTS, replay } from "./replay.ts";
import type { Outcome } from "./replay.ts";
import { STREAMS } from "./stream-traces.ts";

let model: ScriptedModel;
beforeAll(() => void (model = startModel()));
afterAll(() => model.stop());

const ask = (steps: Step[], options: Parameters<typeof replay>[2] = {}): Promise<Outcome> =>
  replay(model, steps, options);

describe("streams of real servers", () => {
  for (const [name, step, expected] of STREAMS) {
    test(name, async () => {
      for (const cut of step.body === undefined ? CUTS : (["whole"] as const)) {
        const outcome = await ask([{ ...step, cut }]);
        const answer = answerOf(outcome);
        if (expected.text !== undefined) expect(answer.text).toBe(expected.text);
        if (expected.text !== undefined) expect(outcome.shown).toBe(expected.text);
        if (expected.calls)
          expect(answer.calls.map((one) => [one.name, one.arguments] as [string, string])).toEqual(expected.calls);
        if (expected.meaning !== undefined) expect(answer.meaning.kind as string).toBe(expected.meaning);
        if (expected.mark !== undefined) expect(answer.meaning).toMatchObject({ mark: expected.mark });
        if (expected.reasoning !== undefined) expect(answer.reasoning).toBe(expected.reasoning);
        if (expected.usage) expect([answer.usage?.in, answer.usage?.out]).toEqual(expected.usage);
      }
    });
  }

  test.each(CALL_SHAPES)("calls: %s", async (_, deltas, expected) => {
    for (const cut of CUTS) {
      const answer = answerOf(await ask([{ chunks: [text("x"), ...chunksOf(deltas)], cut }]));
      expect(answer.calls.map((one) => [one.name, one.arguments])).toEqual(
        expected.map(([name, args]) => [name, args]),
      );
    }
  });

  test("what never ends is ended: thoughts, arguments, an event, a line", async () => {
    const long = "y".repeat(1024 * 1024);
    const endless = (chunk: unknown): Step => ({ chunks: Array.from({ length: 80 }, () => chunk), end: "close" });
    const failures = [
      endless({ choices: [{ index: 0, delta: { reasoning_content: long } }] }),
      endless({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: long } }] } }] }),
      endless(`data: ${long}\n`),
      endless(long),
    ];
    for (const step of failures) {
      const answer = answerOf(await ask([step]));
      expect(answer.meaning.kind).toBe("failed");
      expect(answer.error).toMatch(/longer than/);
    }
  });

  test("ten megabytes and five thousand small chunks arrive whole", async () => {
    const big = "x".repeat(10 * 1024 * 1024);
    expect(answerOf(await ask([{ chunks: [text(big), finish("stop")], cut: "lines" }])).text.length).toBe(big.length);
    const many = Array.from({ length: 5000 }, (_, n) => text(String(n % 10)));
    expect(answerOf(await ask([{ chunks: [...many, finish("stop")] }])).text.length).toBe(5000);
  });
});

describe("silence and abort", () => {
  test("silence ends the answer; what was said is kept and nothing runs", async () => {
    const answer = answerOf(await ask([{ chunks: [text("half"), call("f__a", {})], end: "hang" }], { idleMs: 80 }));
    expect(answer).toMatchObject({ text: "half", calls: [], meaning: { kind: "failed" } });
    expect(answer.error).toContain("silent");
  });

  test("comments are signs of life", async () => {
    const controller = new AbortController();
    const asking = ask([{ chunks: [text("a")], end: "keepalive" }], { idleMs: 300, signal: controller.signal });
    await Bun.sleep(900); // three times the silence that would have ended it
    controller.abort();
    expect(answerOf(await asking).meaning.kind).toBe("aborted");
  });

  test("abort closes the connection at once and keeps the text", async () => {
    const before = model.aborted;
    const controller = new AbortController();
    const asking = ask([{ chunks: [text("Tides are")], end: "hang" }], { signal: controller.signal });
    await Bun.sleep(150); // its first words arrive
    controller.abort();
    expect(answerOf(await asking)).toMatchObject({ text: "Tides are", calls: [], meaning: { kind: "aborted" } });
    while (model.aborted === before) await Bun.sleep(5);
  });
});

const GOOD: Step = { chunks: [text("fine"), finish("stop")] };

describe("errors, retries and what is learnt from them", () => {
  test.each<[string, string, string]>([
    ["an object with a message", '{"error":{"message":"no luck","type":"x"}}', "no luck"],
    ["a text (Ollama)", '{"error":"no luck"}', "no luck"],
    ["object error (Mistral)", '{"object":"error","message":"no luck"}', "no luck"],
    ["detail (FastAPI)", '{"detail":"no luck"}', "no luck"],
    ["detail as a list", '{"detail":[{"loc":["body"],"msg":"no luck"}]}', "no luck"],
    ["a list (Gemini)", '[{"error":{"code":400,"message":"no luck"}}]', "no luck"],
    ["HTML", "<html><head><title>no luck</title></head></html>", "no luck"],
    ["plain text", "no luck", "no luck"],
    ["nothing", "", "HTTP 418"],
  ])("the message is found in %s", async (_, body, message) => {
    const { asked } = await ask([{ status: 418, body }]);
    expect(asked.kind).toBe("failed");
    if (asked.kind === "failed") expect(asked.message).toContain(message);
  });

  test("429 and 503 are tried again, at most three times", async () => {
    const busy: Step = { status: 429, body: '{"error":"slow down"}', headers: { "retry-after": "1" } };
    const outcome = await ask([busy, busy, { status: 503, body: "<html></html>" }, GOOD]);
    expect(answerOf(outcome).text).toBe("fine");
    expect(outcome.waits.length).toBe(3);
    const { asked } = await ask([busy, busy, busy, busy]);
    expect(asked).toMatchObject({ kind: "failed", status: 429 });
  });

  test("a model that is loading is waited for", async () => {
    const loading: Step = { status: 503, body: '{"error":{"message":"Loading model","code":503}}' };
    expect(answerOf(await ask([loading, loading, loading, loading, loading, GOOD])).text).toBe("fine");
  });

  test("401 is not tried again and names where the key came from", async () => {
    const seen = model.seen.length;
    const { asked } = await ask([{ status: 401, body: '{"error":{"message":"bad key"}}' }], { keySource: "MY_KEY" });
    expect(asked).toMatchObject({ kind: "failed", hint: "the key came from MY_KEY" });
    expect(model.seen.length).toBe(seen + 1);
  });

  test("404 says what the server offers", async () => {
    const { asked } = await ask([{ status: 404, body: '{"error":{"message":"model not found"}}' }]);
    expect(asked).toMatchObject({ kind: "failed", hint: "the server offers: scripted" });
  });

  test("an empty answer is asked for once more, then reported", async () => {
    expect(answerOf(await ask([{ chunks: [finish("stop")] }, GOOD])).text).toBe("fine");
    const twice = await ask([{ chunks: [finish("stop")] }, { chunks: [finish("stop")] }]);
    expect(answerOf(twice).meaning.kind).toBe("empty");
  });

  test("after text has been shown nothing is tried again, also when the connection is torn", async () => {
    let connections = 0;
    const torn = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          connections += 1;
          const event = `data: ${JSON.stringify(text("half"))}\n\n`;
          const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
          socket.write(`${head}${event.length.toString(16)}\r\n${event}\r\n`);
          setTimeout(() => socket.terminate(), 60);
        },
      },
    });
    const held = model.url;
    model.url = `http://127.0.0.1:${torn.port}/v1`;
    const outcome = await ask([]);
    model.url = held;
    expect(answerOf(outcome)).toMatchObject({ text: "half", meaning: { kind: "failed" } });
    expect(connections).toBe(1);
    torn.stop(true);
  });

  test("an error as the first event is treated like a refusal", async () => {
    const outcome = await ask([{ chunks: [{ error: { message: "stream_options not allowed" } }] }, GOOD]);
    expect(answerOf(outcome).text).toBe("fine");
    expect(outcome.compat.streamOptions).toBe("omit");
  });

  test.each(LESSONS.map(([message, change, toolTurns]) => [message, change, toolTurns] as const))(
    "learns from: %s",
    async (message, change, toolTurns = false) => {
      const outcome = await ask([{ status: 400, body: JSON.stringify({ error: { message } }) }, GOOD], { toolTurns });
      expect(answerOf(outcome).text).toBe("fine");
      expect(outcome.compat).toMatchObject(change);
      expect(outcome.statuses.length).toBe(1);
    },
  );

  test.each<[string, JsonObject, Partial<Compat>]>([
    [
      "stream_options",
      { type: "extra_forbidden", loc: ["body", "stream_options"], msg: "Extra inputs are not permitted" },
      { streamOptions: "omit" },
    ],
    [
      "the name of a tool turn",
      { type: "extra_forbidden", loc: ["body", "messages", 3, "tool", "name"], msg: "Extra inputs are not permitted" },
      { toolNameField: "omit" },
    ],
  ])("learns from a list of problems about %s", async (_, detail, change) => {
    const body = JSON.stringify({ detail: [detail] });
    const outcome = await ask([{ status: 422, body }, GOOD], { toolTurns: true });
    expect(outcome.compat).toMatchObject(change);
    expect(answerOf(outcome).text).toBe("fine");
  });

  test("learns once per request, and not what is pinned", async () => {
    const refuse: Step = { status: 400, body: '{"error":"stream_options"}' };
    expect((await ask([refuse, { status: 400, body: '{"error":"System role not supported"}' }])).asked.kind).toBe(
      "failed",
    );
    expect((await ask([refuse], { pinned: { streamOptions: "send" } })).asked.kind).toBe("failed");
  });

  test("a server that is not there: two more tries, then a hint", async () => {
    const gone = startModel();
    await gone.stop();
    const held = model.url;
    model.url = gone.url;
    const outcome = await ask([]);
    model.url = held;
    expect(outcome.waits.length).toBe(2);
    expect(outcome.asked).toMatchObject({ kind: "failed", hint: expect.stringContaining("running") });
  });
});

test("no request of these tests broke a rule", () => {
  expect(model.problems).toEqual([]);
});
