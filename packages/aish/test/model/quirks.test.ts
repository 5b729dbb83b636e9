// Streams as real servers send them, replayed over a socket in several cuts: what was said, what was called, how it
// ended. The wire samples of each server family, every quirk, every error shape.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { httpOut } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { askModel } from "../../src/model/ask-model.ts";
import type { Asked, Endpoint } from "../../src/model/ask-model.ts";
import { DEFAULT_COMPAT } from "../../src/model/compat.ts";
import type { Compat } from "../../src/model/compat.ts";
import { call, delta, finish, startModel, text } from "../scripted-model.ts";
import type { ScriptedModel, Step } from "../scripted-model.ts";

let model: ScriptedModel;
beforeAll(() => void (model = startModel()));
afterAll(() => model.stop());

type Outcome = {
  asked: Asked;
  shown: string;
  statuses: string[];
  waits: string[];
  compat: Compat;
};

async function ask(
  steps: Step[],
  options: {
    idleMs?: number;
    signal?: AbortSignal;
    tools?: boolean;
    pinned?: Partial<Compat>;
    keySource?: string;
    toolTurns?: boolean;
  } = {},
): Promise<Outcome> {
  model.push(...steps);
  const outcome = { shown: "", statuses: [] as string[], waits: [] as string[] };
  const endpoint: Endpoint = {
    name: "local",
    url: new URL(`${model.url}/chat/completions`),
    headers: () => ({ "content-type": "application/json" }),
    keySource: options.keySource,
    firstByteMs: 10_000,
    idleMs: options.idleMs ?? 10_000,
    pinned: options.pinned ?? {},
    compat: { ...DEFAULT_COMPAT, ...options.pinned },
    onLearnt: () => {},
  };
  const asked = await askModel({
    endpoint,
    body: (compat) => ({
      model: "m",
      messages: [{ role: "user", content: `hi ${compat.systemRole}` }],
      ...(compat.streamOptions === "send" ? { stream_options: { include_usage: true } } : {}),
    }),
    facts: { hasToolTurns: options.toolTurns ?? false, wrapsUp: false },
    signal: options.signal ?? new AbortController().signal,
    fetch: httpOut,
    waitScale: 0.001,
    events: {
      onText: (piece) => (outcome.shown += piece),
      onStatus: (said) => outcome.statuses.push(said),
      onWait: (why) => outcome.waits.push(why),
    },
    offered: async () => ["scripted"],
  });
  return { ...outcome, asked, compat: endpoint.compat };
}

function answerOf({ asked }: Outcome) {
  if (asked.kind !== "answer") throw new Error(`no answer: ${asked.message}`);
  return { ...asked.answer, meaning: asked.meaning };
}

const USAGE = { choices: [], usage: { prompt_tokens: 412, completion_tokens: 23, total_tokens: 435 } };
const CUTS = ["lines", "every:1", "random:3", "whole"] as const;

type Row = [
  name: string,
  step: Step,
  expected: {
    text?: string;
    calls?: [string, string][];
    meaning?: string;
    mark?: string;
    reasoning?: string;
    usage?: [number, number];
  },
];

const STREAMS: Row[] = [
  [
    "the reference shape",
    {
      chunks: [
        delta({ role: "assistant", content: null }),
        delta({
          tool_calls: [
            { index: 0, id: "call_Zk3", type: "function", function: { name: "files__read_file", arguments: "" } },
          ],
        }),
        delta({ tool_calls: [{ index: 0, function: { arguments: '{"pa' } }] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: 'th":"notes.txt"}' } }] }),
        finish("tool_calls"),
        USAGE,
      ],
    },
    { calls: [["files__read_file", '{"path":"notes.txt"}']], meaning: "calls", usage: [412, 23] },
  ],
  [
    "llama.cpp: a bare comment, then reasoning first",
    { chunks: [":\n\n", delta({ reasoning_content: "The user wants" }), text("Hi"), finish("stop")] },
    { text: "Hi", reasoning: "The user wants", meaning: "text" },
  ],
  [
    "Ollama: whole calls, both at index 0",
    {
      chunks: [
        delta({
          role: "assistant",
          content: "",
          tool_calls: [
            {
              id: "call_a1",
              index: 0,
              type: "function",
              function: { name: "files__read_file", arguments: '{"path":"a"}' },
            },
          ],
        }),
        delta({
          content: "",
          tool_calls: [
            {
              id: "call_b2",
              index: 0,
              type: "function",
              function: { name: "files__read_file", arguments: '{"path":"b"}' },
            },
          ],
        }),
        finish("tool_calls"),
      ],
    },
    {
      calls: [
        ["files__read_file", '{"path":"a"}'],
        ["files__read_file", '{"path":"b"}'],
      ],
      meaning: "calls",
    },
  ],
  [
    "vLLM: an error in the middle, [DONE] follows",
    { chunks: [text("Let"), { error: { message: "boom", type: "InternalServerError", code: 500 } }] },
    { text: "Let", meaning: "failed" },
  ],
  [
    "OpenRouter: comments first, an error that keeps the chunk's shape",
    {
      chunks: [
        ": OPENROUTER PROCESSING\n\n",
        ": OPENROUTER PROCESSING\n\n",
        text("Let me"),
        {
          error: { code: 502, message: "Provider disconnected" },
          choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
        },
      ],
      end: "close",
    },
    { text: "Let me", meaning: "failed" },
  ],
  [
    "gateways: empty strings instead of absent fields",
    {
      chunks: [
        delta({ tool_calls: [{ index: 0, id: "call_7", function: { name: "files__list_dir", arguments: "{" } }] }),
        delta({ tool_calls: [{ index: 0, id: "", function: { name: "", arguments: "}" } }] }),
      ],
    },
    { calls: [["files__list_dir", "{}"]], meaning: "calls" },
  ],
  [
    "Gemini: no index, finish with the call",
    {
      chunks: [
        delta(
          {
            role: "assistant",
            tool_calls: [
              {
                id: "fc-1",
                type: "function",
                function: { name: "files__list_dir", arguments: "{}" },
                extra_content: { google: { thought_signature: "x" } },
              },
            ],
          },
          "tool_calls",
        ),
      ],
    },
    { calls: [["files__list_dir", "{}"]], meaning: "calls" },
  ],
  [
    "text and a call in one answer",
    { chunks: [text("Looking."), call("f__a", {}), finish("tool_calls")] },
    { text: "Looking.", calls: [["f__a", "{}"]], meaning: "calls" },
  ],
  [
    "reasoning as `reasoning`",
    { chunks: [delta({ reasoning: "hm" }), text("ok"), finish("stop")] },
    { text: "ok", reasoning: "hm" },
  ],
  [
    "reasoning as `thinking`",
    { chunks: [delta({ thinking: "hm" }), text("ok"), finish("stop")] },
    { text: "ok", reasoning: "hm" },
  ],
  [
    "reasoning in two fields is counted once",
    { chunks: [delta({ reasoning: "hm", reasoning_content: "hm" }), text("ok"), finish("stop")] },
    { text: "ok", reasoning: "hm" },
  ],
  [
    "reasoning details with a plain copy",
    {
      chunks: [
        delta({ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] }),
        text("ok"),
        finish("stop"),
      ],
    },
    { text: "ok", reasoning: "hm" },
  ],
  [
    "think tags split over chunks",
    { chunks: [text("<th"), text("ink>secret</th"), text("ink>\nHello"), finish("stop")] },
    { text: "Hello", reasoning: "secret" },
  ],
  [
    "a tag later in the text is text",
    { chunks: [text("I write <think>x</think>"), finish("stop")] },
    { text: "I write <think>x</think>", reasoning: "" },
  ],
  [
    "content in parts",
    {
      chunks: [
        delta({
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        }),
        finish("stop"),
      ],
    },
    { text: "ab" },
  ],
  [
    "a refusal is shown, marked",
    { chunks: [delta({ refusal: "I cannot." }), finish("stop")] },
    { text: "(refused) I cannot." },
  ],
  [
    "usage in every chunk: the last counts",
    {
      chunks: [
        { ...text("a"), usage: { prompt_tokens: 5, completion_tokens: 1 } },
        { ...finish("stop"), usage: { prompt_tokens: 5, completion_tokens: 2 } },
      ],
    },
    { text: "a", usage: [5, 2] },
  ],
  ["empty choices first", { chunks: [{ choices: [] }, text("a"), finish("stop")] }, { text: "a" }],
  [
    "only choice 0 counts",
    {
      chunks: [
        {
          choices: [
            { index: 1, delta: { content: "no" } },
            { index: 0, delta: { content: "yes" } },
          ],
        },
        finish("stop"),
      ],
    },
    { text: "yes" },
  ],
  [
    "stop although calls were sent",
    { chunks: [call("f__a", {}), finish("stop")] },
    { calls: [["f__a", "{}"]], meaning: "calls" },
  ],
  ["tool_calls without calls", { chunks: [text("hi"), finish("tool_calls")] }, { text: "hi", meaning: "text" }],
  [
    "a later stop does not overwrite tool_calls",
    { chunks: [call("f__a", {}), finish("tool_calls"), finish("stop")] },
    { calls: [["f__a", "{}"]], meaning: "calls" },
  ],
  ["no finish reason but [DONE]", { chunks: [text("hi")] }, { text: "hi", meaning: "text" }],
  [
    "no finish reason and no [DONE]: broken, calls dropped",
    { chunks: [text("hi"), call("f__a", {})], end: "close" },
    { text: "hi", calls: [], meaning: "broken" },
  ],
  [
    "length in the middle of arguments: nothing runs",
    { chunks: [call("f__a", '{"p":"x'), finish("length")] },
    { meaning: "calls-cut" },
  ],
  [
    "length with complete arguments: they run",
    { chunks: [call("f__a", {}), finish("length")] },
    { meaning: "calls", calls: [["f__a", "{}"]] },
  ],
  [
    "text cut by the limit",
    { chunks: [text("half"), finish("length")] },
    { text: "half", meaning: "text", mark: "cut" },
  ],
  [
    "filtered: calls are not run",
    { chunks: [text("x"), call("f__a", {}), finish("content_filter")] },
    { text: "x", meaning: "text", mark: "filtered" },
  ],
  [
    "data without a space",
    { chunks: [`data:${JSON.stringify(text("a"))}\n\n`, `data:${JSON.stringify(finish("stop"))}\n\n`] },
    { text: "a" },
  ],
  [
    "CR LF",
    { chunks: [`data: ${JSON.stringify(text("é"))}\r\n\r\n`, `data: ${JSON.stringify(finish("stop"))}\r\n\r\n`] },
    { text: "é" },
  ],
  [
    "CR only",
    { chunks: [`data: ${JSON.stringify(text("a"))}\r\r`, `data: ${JSON.stringify(finish("stop"))}\r\r`] },
    { text: "a" },
  ],
  [
    "a byte order mark",
    { chunks: [`\ufeffdata: ${JSON.stringify(text("日本"))}\n\n`, finish("stop")] },
    { text: "日本" },
  ],
  [
    "several data lines of one event",
    { chunks: ['data: {"choices":[{"index":0,\ndata: "delta":{"content":"a"}}]}\n\n', finish("stop")] },
    { text: "a" },
  ],
  [
    "one line that is not JSON is skipped",
    { chunks: ["data: oops\n\n", text("a"), finish("stop")] },
    { text: "a", meaning: "text" },
  ],
  [
    "three in a row end it",
    { chunks: [text("a"), "data: x\n\n", "data: y\n\n", "data: z\n\n"] },
    { text: "a", meaning: "failed" },
  ],
  [
    "JSON lines",
    {
      chunks: [`${JSON.stringify(text("a"))}\n`, `${JSON.stringify(finish("stop"))}\n`],
      end: "close",
      headers: { "content-type": "application/x-ndjson" },
    },
    { text: "a", meaning: "text" },
  ],
  [
    "a whole completion instead of a stream",
    {
      body: JSON.stringify({
        choices: [
          { index: 0, message: { role: "assistant", content: "whole", tool_calls: null }, finish_reason: "stop" },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      }),
    },
    { text: "whole", meaning: "text", usage: [1, 2] },
  ],
  [
    "a whole completion with calls",
    {
      body: JSON.stringify({
        choices: [
          {
            message: {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "c", type: "function", function: { name: "f__a", arguments: "{}" } }],
            },
            finish_reason: "tool_calls",
          },
        ],
      }),
    },
    { calls: [["f__a", "{}"]], meaning: "calls" },
  ],
  [
    "the last event without its blank line",
    { chunks: [text("a"), `data: ${JSON.stringify(finish("stop"))}`], end: "close" },
    { text: "a", meaning: "text" },
  ],
  [
    "the old function_call shape",
    {
      chunks: [
        delta({ function_call: { name: "f__a", arguments: "{" } }),
        delta({ function_call: { arguments: "}" } }),
        finish("function_call"),
      ],
    },
    { calls: [["f__a", "{}"]], meaning: "calls" },
  ],
  [
    "an event named error",
    { chunks: [text("a"), 'event: error\ndata: {"message":"gone"}\n\n'] },
    { text: "a", meaning: "failed" },
  ],
  [
    "object error in the middle",
    { chunks: [text("a"), { object: "error", message: "bad" }] },
    { text: "a", meaning: "failed" },
  ],
  [
    "what follows [DONE] is ignored",
    { chunks: [text("a"), finish("stop"), "data: [DONE]\n\n", text("b")] },
    { text: "a", meaning: "text" },
  ],
];

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
    await Bun.sleep(900);
    controller.abort();
    expect(answerOf(await asking).meaning.kind).toBe("aborted");
  });

  test("abort closes the connection at once and keeps the text", async () => {
    const before = model.aborted;
    const controller = new AbortController();
    const asking = ask([{ chunks: [text("Tides are")], end: "hang" }], { signal: controller.signal });
    await Bun.sleep(150);
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

  test.each<[string, Partial<Compat>, boolean?]>([
    ["Unknown parameter: 'stream_options'", { streamOptions: "omit" }],
    ["Only user and assistant roles are supported!", { toolRole: "prefix" }, true],
    [
      "After the optional system message, conversation roles must alternate user/assistant",
      { toolRole: "prefix" },
      true,
    ],
    ["Tool call id was x but must be a-z, A-Z, 0-9, with a length of 9.", { toolIds: "short9" }],
    ["This model only supports single tool-calls at once!", { callsPerTurn: "one" }],
    ["messages: text content blocks must be non-empty", { emptyContent: "null" }],
    ["System role not supported", { systemRole: "merge" }],
    ["Missing `reasoning_content` field in the assistant message", { reasoningEcho: "always" }],
    ["Cannot pass both content and thinking in an assistant message with tool calls", { reasoningEcho: "never" }],
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      { tokenParam: "max_completion_tokens" },
    ],
    ["Unsupported value: 'temperature' does not support 0.2", { temperature: "omit" }],
    ["registry.ollama.ai/library/x does not support tools", { tools: "off" }],
    ["tools param requires --jinja flag", { tools: "off" }],
    ["Invalid schema for function 'f': moonshot flavored json schema", { schema: "plain" }],
    ["'name' is not permitted in a tool message", { toolNameField: "omit" }, true],
  ])("learns from: %s", async (message, change, toolTurns = false) => {
    const outcome = await ask([{ status: 400, body: JSON.stringify({ error: { message } }) }, GOOD], { toolTurns });
    expect(answerOf(outcome).text).toBe("fine");
    expect(outcome.compat).toMatchObject(change);
    expect(outcome.statuses.length).toBe(1);
  });

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
