// Streams as real servers send them: the wire samples of each server family and every quirk of reading them. Made by hand
// in the shape each server produces.
import { call, delta, finish, text } from "../scripted-model.ts";
import type { Step } from "../scripted-model.ts";

const USAGE = { choices: [], usage: { prompt_tokens: 412, completion_tokens: 23, total_tokens: 435 } };
export type StreamTrace = [
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

export const STREAMS: readonly StreamTrace[] = [
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
  [
    "Ollama fails after the start: an empty delta, and the connection ends",
    { chunks: [text("Let me"), delta({ content: "" })], end: "close" },
    { text: "Let me", calls: [], meaning: "broken" },
  ],
  [
    "llama.cpp: an error in the middle",
    {
      chunks: [
        delta({ reasoning_content: "hm" }),
        text("a"),
        { error: { code: 500, message: "…", type: "server_error" } },
      ],
    },
    { text: "a", meaning: "failed" },
  ],
  [
    "an error in the middle that is a text",
    { chunks: [text("a"), { error: "gone" }] },
    { text: "a", meaning: "failed" },
  ],
  [
    "an error in the choice itself",
    { chunks: [text("a"), { choices: [{ index: 0, delta: {}, error: { message: "gone" } }] }] },
    { text: "a", meaning: "failed" },
  ],
  ["usage nowhere", { chunks: [text("a"), finish("stop")] }, { text: "a", meaning: "text" }],
  [
    "usage in the finish chunk",
    { chunks: [text("a"), { ...finish("stop"), usage: { prompt_tokens: 3, completion_tokens: 1 } }] },
    { text: "a", usage: [3, 1] },
  ],
  [
    "reasoning in details only",
    { chunks: [delta({ reasoning_details: [{ type: "reasoning.text", text: "hm" }] }), text("a"), finish("stop")] },
    { text: "a", reasoning: "hm" },
  ],
  [
    "a finish reason nobody knows, with calls: they run",
    { chunks: [call("f__a", {}), finish("eos")] },
    { calls: [["f__a", "{}"]], meaning: "calls" },
  ],
  [
    "a finish reason and then the end without [DONE]",
    { chunks: [text("a"), finish("stop")], end: "close" },
    { text: "a", meaning: "text" },
  ],
  [
    "timings beside the last chunk (llama.cpp)",
    { chunks: [text("a"), { ...finish("stop"), timings: { predicted_ms: 1 } }] },
    { text: "a", meaning: "text" },
  ],
  [
    "comments and empty deltas in the middle of arguments",
    {
      chunks: [
        delta({ tool_calls: [{ index: 0, id: "c", function: { name: "f__a", arguments: '{"a"' } }] }),
        ":\n\n",
        delta({}),
        delta({ tool_calls: [] }),
        delta({ tool_calls: [{ index: 0, function: { arguments: ":1}" } }] }),
        finish("tool_calls"),
      ],
    },
    { calls: [["f__a", '{"a":1}']], meaning: "calls" },
  ],
];
