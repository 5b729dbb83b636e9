import { expect, test } from "bun:test";
import { randomFrom, ROUNDS } from "../../../platform/test/random.ts";
import { readDnsQuestion, writeDnsAnswer } from "../../src/wire/dns-message.ts";

test("a question as resolvers write it", () => {
  expect(readDnsQuestion(question(["www", "Example", "com"]), 512)).toMatchObject({
    id: 0x1234,
    name: "www.example.com",
    type: 1,
    isInternet: true,
    wantsRecursion: true,
  });
});

test.each<[string, string[]]>([
  ["a zero byte", ["evil.com\0", "a", "test"]],
  ["a dot inside a label", ["evil.com", "a.test"]],
  ["a blank", ["a b", "test"]],
  ["a percent sign", ["a%00", "test"]],
  ["an at sign", ["user@evil", "test"]],
  ["a slash", ["a/b", "test"]],
  ["letters beyond ASCII", ["bücher", "test"]],
  ["nothing", []],
])("a name with %s is nobody's", (_, labels) => {
  expect(readDnsQuestion(question(labels), 512)).toMatchObject({ name: undefined });
});

test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
  ["an answer", (bytes) => changed(bytes, 2, 0x81)],
  ["another operation", (bytes) => changed(bytes, 2, 0x28)],
  ["two questions", (bytes) => changed(bytes, 5, 2)],
  ["no question", (bytes) => changed(bytes, 5, 0)],
  ["a pointer in place of a label", (bytes) => changed(bytes, 12, 0xc0)],
  ["a label of 64", (bytes) => changed(bytes, 12, 64)],
  ["more than fits", (bytes) => Buffer.concat([bytes, new Uint8Array(600)])],
])("%s is no question", (_, change) => {
  expect(readDnsQuestion(change(question(["a", "test"])), 512)).toBeUndefined();
});

test("a name of 300 bytes is no question", () => {
  expect(readDnsQuestion(question(Array<string>(10).fill("a".repeat(30))), 512)).toBeUndefined();
});

test("cut anywhere, it is no question", () => {
  const whole = question(["a", "test"]);
  for (let length = 0; length < whole.length; length++) {
    expect(readDnsQuestion(whole.subarray(0, length), 512)).toBeUndefined();
  }
});

test("the answer repeats the question, and says one address", () => {
  const asked = readDnsQuestion(question(["A", "test"]), 512);
  if (asked === undefined) throw new Error("no question");
  const answer = writeDnsAnswer(asked, { kind: "address", address: "127.64.0.7", ttlSeconds: 5 });
  expect(answer.toHex()).toBe(
    "1234" +
      "8180" +
      "0001" +
      "0001" +
      "0000" +
      "0000" +
      "0141047465737400" +
      "00010001" +
      "c00c00010001" +
      "00000005" +
      "0004" +
      "7f400007",
  );
  expect(writeDnsAnswer(asked, { kind: "no-such-name" })[3]).toBe(0x83);
  expect(writeDnsAnswer(asked, { kind: "no-record" })[7]).toBe(0);
});

test("whatever comes, nothing is thrown, and what is read is plain", () => {
  const random = randomFrom(22);
  for (let round = 0; round < 20_000 * ROUNDS; round++) {
    const bytes = question([random.pick(["a", "b-c", "_x"]), "test"]);
    for (let flips = random.below(4); flips >= 0; flips--) bytes[random.below(bytes.length)] = random.below(256);
    const read = readDnsQuestion(bytes.subarray(0, random.below(bytes.length + 1)), 512);
    if (read?.name !== undefined) expect(read.name).toMatch(/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/);
    if (read !== undefined) writeDnsAnswer(read, { kind: "no-such-name" });
  }
});

export function question(labels: readonly string[], type = 1): Uint8Array {
  const name = labels.flatMap((label) => {
    const bytes = Buffer.from(label);
    return [bytes.length, ...bytes];
  });
  return Uint8Array.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...name, 0, 0, type, 0, 1]);
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = bytes.slice();
  copy[at] = value;
  return copy;
}
