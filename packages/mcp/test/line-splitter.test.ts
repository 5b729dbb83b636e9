import { describe, expect, test } from "bun:test";
import { LineSplitter } from "../src/wire/line-splitter.ts";
import type { Line } from "../src/wire/line-splitter.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function split(chunks: readonly Uint8Array[], maxBytes = 1000): Line[] {
  const splitter = new LineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
}

const texts = (lines: Line[]): string[] =>
  lines.map((line) => (line.kind === "line" ? line.text : `bad: ${line.problem}`));

const INPUT = `{"a":"ü€😀"}\r\n\n  \n {"b":2} \n{"c":3}`;
const EXPECTED = [`{"a":"ü€😀"}`, `{"b":2}`, `{"c":3}`];

describe("lines come out whole however they were cut", () => {
  test("at every byte", () => {
    const whole = bytes(INPUT);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(texts(split([whole.subarray(0, cut), whole.subarray(cut)]))).toEqual(EXPECTED);
    }
  });

  test("at every two bytes", () => {
    const whole = bytes(INPUT);
    for (let first = 0; first <= whole.length; first++) {
      for (let second = first; second <= whole.length; second++) {
        const chunks = [whole.subarray(0, first), whole.subarray(first, second), whole.subarray(second)];
        expect(texts(split(chunks))).toEqual(EXPECTED);
      }
    }
  });

  test("byte by byte", () => {
    expect(texts(split(Array.from(bytes(INPUT), (byte) => Uint8Array.of(byte))))).toEqual(EXPECTED);
  });

  test("a chunk may be reused by whoever sent it", () => {
    const buffer = bytes("abc");
    const splitter = new LineSplitter(100);
    expect([...splitter.push(buffer)]).toEqual([]);
    buffer.fill(0x78);
    expect(texts([...splitter.push(bytes("d\n"))])).toEqual(["abcd"]);
  });
});

describe("a bad line fails alone", () => {
  const LONG = "x".repeat(21);
  test.each<[string, Uint8Array[], string[]]>([
    [
      "over-long in one piece",
      [bytes(`one\n${LONG}\ntwo\n`)],
      ["one", "bad: a message of 21 bytes is over the limit of 20", "two"],
    ],
    [
      "over-long in pieces",
      [bytes("one\nxxxxxxxxxx"), bytes("xxxxxxxxxx"), bytes("xxxxx"), bytes("x\ntwo\n")],
      ["one", "bad: a message of 26 bytes is over the limit of 20", "two"],
    ],
    ["over-long and never ended", [bytes(LONG)], ["bad: a message of 21 bytes is over the limit of 20"]],
    ["exactly the limit", [bytes(`${"x".repeat(20)}\n`)], ["x".repeat(20)]],
    ["exactly the limit, in pieces", [bytes("x".repeat(13)), bytes(`${"x".repeat(7)}\n`)], ["x".repeat(20)]],
    ["not UTF-8", [Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0x0a)], ["bad: a message is not valid UTF-8", "b"]],
    [
      "a character cut short by the newline",
      [Uint8Array.of(0xe2, 0x82, 0x0a, 0x62, 0x0a)],
      ["bad: a message is not valid UTF-8", "b"],
    ],
    ["an overlong encoding", [Uint8Array.of(0xc0, 0xaf, 0x0a)], ["bad: a message is not valid UTF-8"]],
    ["blank at the end", [bytes("a\n  ")], ["a"]],
  ])("%s", (_, chunks, expected) => {
    expect(texts(split(chunks, 20))).toEqual(expected);
  });
});

describe("of an over-long line", () => {
  const answer = `{"result":"${"x".repeat(2000)}","jsonrpc":"2.0","id":7}`;
  const cuts = [1, 13, 300, 301, 1000, answer.length];

  test.each(cuts)("the ends are kept, in pieces of %d bytes", (size) => {
    const whole = bytes(`${answer}\n`);
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
      whole.subarray(n * size, (n + 1) * size),
    );
    const [line] = split(chunks, 1500);
    expect(line?.kind === "bad" ? line.ends : "").toMatch(/^\{"result":"x{100,}…x{100,}","jsonrpc":"2\.0","id":7\}$/);
  });

  test("is heard once, before its end", () => {
    const heard: string[] = [];
    const splitter = new LineSplitter(20, (beginning) => heard.push(beginning));
    for (const piece of ["  {", '"a":', "x".repeat(20), "y".repeat(20)]) {
      expect([...splitter.push(bytes(piece))]).toEqual([]);
    }
    expect(heard).toEqual([`{"a":${"x".repeat(20)}`]);
    expect(splitter.unfinished).toBe(47);
  });
});

test("a long line costs no more than its length, in small pieces too", () => {
  const splitter = new LineSplitter(64 * 1024 * 1024);
  const piece = new Uint8Array(1000).fill(0x78);
  for (let i = 0; i < 32_000; i++) for (const _ of splitter.push(piece)) throw new Error("no line yet");
  const [line] = splitter.push(bytes("\n"));
  expect(line?.kind === "line" ? line.text.length : 0).toBe(32_000_000);
});
