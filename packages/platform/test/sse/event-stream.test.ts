import { describe, expect, test } from "bun:test";
import { EventParser, eventText, primingText } from "@bosun/platform/sse";
import type { ServerEvent } from "@bosun/platform/sse";

const message = (data: string, more: Partial<ServerEvent> = {}): ServerEvent => ({
  id: undefined,
  event: "message",
  data,
  retryMs: undefined,
  ...more,
});

function parse(...pieces: string[]): ServerEvent[] {
  const parser = new EventParser(1000);
  return pieces.flatMap((piece) => [...parser.push(piece)]);
}

const STREAM = `\uFEFF: hello\r\nid: a_1\ndata: {"x":\r\ndata: "ü😀"}\r\rretry: 500\ndata:\n\nevent: endpoint\ndata: /post\n\n`;
const EVENTS = [
  message(`{"x":\n"ü😀"}`, { id: "a_1" }),
  message("", { id: "a_1", retryMs: 500 }),
  message("/post", { id: "a_1", event: "endpoint" }),
];

describe("events come out whole however the text was cut", () => {
  test("at every character", () => {
    for (let cut = 0; cut <= STREAM.length; cut++) {
      expect(parse(STREAM.slice(0, cut), STREAM.slice(cut))).toEqual(EVENTS);
    }
  });

  test("character by character", () => expect(parse(...STREAM.split(""))).toEqual(EVENTS));

  test("at every byte", () => {
    const bytes = new TextEncoder().encode(STREAM.slice(1));
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new TextDecoder();
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((piece) =>
        decoder.decode(piece, { stream: true }),
      );
      expect(parse(...pieces)).toEqual(EVENTS);
    }
  });
});

test.each<[string, string, ServerEvent[]]>([
  ["what is not ended by a blank line is no event", "data: x\n", []],
  ["one blank after the colon is not data", "data:  x\n\n", [message(" x")]],
  ["a field without a colon", "data\n\n", []],
  ["an id with NUL is ignored", "id: a\0b\ndata: x\n\n", [message("x")]],
  ["a retry that is no number is ignored", "retry: soon\ndata: x\n\n", [message("x")]],
  ["unknown fields are ignored", "foo: bar\ndata: x\n\n", [message("x")]],
  ["an id lasts", "id: 1\ndata: x\n\ndata: y\n\n", [message("x", { id: "1" }), message("y", { id: "1" })]],
  ["only blank lines", "\n\n\r\n\r\n", []],
  [
    "what we write",
    eventText(`{"a":1}`, "s_1") + primingText("s_1", 250),
    [message(`{"a":1}`, { id: "s_1" }), message("", { id: "s_1", retryMs: 250 })],
  ],
])("%s", (_, text, expected) => {
  expect(parse(text)).toEqual(expected);
});

test.each([
  ["one line", "x".repeat(1001)],
  ["one line in pieces", ...Array.from({ length: 20 }, () => "x".repeat(100))],
])("an event that is too long is an error: %s", (_, ...pieces) => {
  expect(() => parse("data: ", ...pieces)).toThrow("longer than");
});

test("an event of too many lines is an error", () => {
  expect(() => parse(...Array.from({ length: 200 }, () => "data: 0123456789\n"))).toThrow("longer than");
});

test("so is one of too many empty lines", () => {
  expect(() => parse("data\n".repeat(2000))).toThrow("longer than 1000");
});

// Not a measurement: with a search of the whole rest for every line these took minutes.
test.each(["\n", "\r", "\r\n", "data\n", ":\n"])(
  "megabytes of lines like %j cost no more than their length",
  (line) => {
    const parser = new EventParser(1 << 24);
    const text = line.repeat((4 << 20) / line.length);
    expect([...parser.push(text)]).toEqual([]);
  },
  20_000,
);

test("what servers of models send: comments, JSON lines, and no blank line at the end", () => {
  let comments = 0;
  const parser = new EventParser(1000, { bareJson: true, onComment: () => void (comments += 1) });
  const events = [...parser.push(': alive\n{"a":1}\r\ndata: {"b":2}'), ...parser.end()];
  expect(events.map(({ data }) => data)).toEqual(['{"a":1}', '{"b":2}']);
  expect(comments).toBe(1);
});
