// A known field is read as the field says, whatever wire type it declares. What `decode` accepts, the lists of records must read
// the same way: otherwise a forged file passes `validate` and then fails, or shows an entry that was never checked.

import { expect, setDefaultTimeout, test } from "bun:test";
import { decode, DecodeError, render } from "../src/index.ts";
import type { Block, FileEntry } from "../src/index.ts";
import { Random } from "./generate.ts";
import { runCollected } from "./run.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const VARINT = 0;
const BYTES = 1;
const NESTED = 2;
const DIFF = 7;
const FILE_TREE = 3;

test.each([
  ["a path as a number", DIFF, sized(1, VARINT, ascii("hello")), '<diff path="hello">\n</diff>'],
  [
    "a path that would hide a hunk",
    DIFF,
    sized(1, VARINT, sized(2, NESTED, hunk("-forged\n"))),
    `<diff path="${text(sized(2, NESTED, hunk("-forged\n")))}">\n</diff>`,
  ],
  [
    "a root that would hide an entry",
    FILE_TREE,
    sized(1, VARINT, sized(2, NESTED, entry("forged"))),
    `<tree root="${text(sized(2, NESTED, entry("forged")))}">\n</tree>`,
  ],
  [
    "hunks as numbers",
    DIFF,
    [...sized(1, BYTES, ascii("a")), ...sized(2, VARINT, hunk("-a\n"))],
    '<diff path="a">\n-a\n</diff>',
  ],
  [
    "entries as bytes, and a kind as bytes",
    FILE_TREE,
    [...sized(1, NESTED, ascii("a")), ...sized(2, BYTES, [...sized(1, NESTED, ascii("b")), 2, 1, 0])],
    '<tree root="a">\nb\n</tree>',
  ],
])("%s", async (_, type, body, shown) => {
  const payload = payloadOf(type, body);
  expect(render(decode(payload).blocks)).toBe(`<context>\n${shown}\n</context>`);
  await expectEveryCommandReads(payload);
});

test("random trees and diffs of random wire types show what a plain reading shows", async () => {
  const random = new Random(11);
  let accepted = 0;
  for (let round = 0; round < 20_000; round++) {
    const type = random.pick([DIFF, FILE_TREE]);
    const body = type === DIFF ? randomDiff(random) : randomTree(random, 3, true);
    // Some of them damaged on top.
    if (random.chance(2)) body[random.below(body.length)] = random.below(256);
    const payload = payloadOf(type, body);
    let block: Block | undefined;
    try {
      [block] = decode(payload).blocks;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      continue;
    }
    accepted++;
    const seen = block?.type === "diff" ? block.hunks : block?.type === "file_tree" ? block.entries : [];
    expect(JSON.stringify([...seen], showBytes)).toBe(JSON.stringify(readPlainly(type, body), showBytes));
    if (accepted % 50 === 0) await expectEveryCommandReads(payload);
  }
  expect(accepted).toBeGreaterThan(5_000);
});

async function expectEveryCommandReads(payload: Uint8Array): Promise<void> {
  for (const argv of [["validate"], ["decode"], ["stats"], ["inspect", "--show-body"], ["inspect", "--json"]]) {
    const [command = "", ...options] = argv;
    const { exit, stderr } = await runCollected([command, "-", ...options], { cwd: "/", stdin: payload });
    expect([argv, exit, stderr]).toEqual([argv, 0, ""]);
  }
}

// The reference's reading, field by field and by recursion, for bodies that `decode` has accepted.
function readPlainly(type: number, body: readonly number[]): readonly object[] {
  const list: object[] = [];
  const nested = type === DIFF ? readHunk : readEntry;
  eachField(body, { 1: skip, 2: (at) => sizedValue(body, at, (bytes) => void list.push(nested(bytes))) });
  return list;
}

function readHunk(body: readonly number[]): object {
  const record: Record<string, unknown> = {};
  eachField(body, {
    1: (at) => number(body, at, (value) => void (record["oldStart"] = Number(value & 0xffff_ffffn))),
    2: (at) => number(body, at, (value) => void (record["newStart"] = Number(value & 0xffff_ffffn))),
    3: (at) => sizedValue(body, at, (bytes) => void (record["lines"] = Uint8Array.from(bytes))),
  });
  return record;
}

function readEntry(body: readonly number[]): FileEntry {
  const record: Record<string, unknown> = {};
  const children: FileEntry[] = [];
  eachField(body, {
    1: (at) => sizedValue(body, at, (bytes) => void (record["name"] = text(bytes))),
    2: (at) => number(body, at, (value) => void (record["kind"] = value === 0n ? "file" : "directory")),
    3: (at) => number(body, at, (value) => void (record["size"] = value < 2n ** 53n ? Number(value) : value)),
    4: (at) => sizedValue(body, at, (bytes) => void (record["children"] = children).push(readEntry(bytes))),
  });
  return record as FileEntry;
}

type Reads = Readonly<Record<number, number | ((at: number) => number)>>;
const skip = -1;

function eachField(body: readonly number[], reads: Reads): void {
  for (let at = 0; at < body.length;) {
    let id = 0n;
    at = number(body, at, (value) => (id = value));
    let wireType = 0n;
    at = number(body, at, (value) => (wireType = value));
    const read = id < 10n ? reads[Number(id)] : undefined;
    if (typeof read === "function") at = read(at);
    else at = wireType === 0n && read !== skip ? number(body, at, () => {}) : sizedValue(body, at, () => {});
  }
}

function number(body: readonly number[], start: number, use: (value: bigint) => void): number {
  let value = 0n;
  for (let at = start; ; at++) {
    const byte = body[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - start));
    if (byte >= 0x80) continue;
    use(BigInt.asUintN(64, value));
    return at + 1;
  }
}

function sizedValue(body: readonly number[], start: number, use: (bytes: readonly number[]) => void): number {
  let length = 0;
  const from = number(body, start, (value) => (length = Number(value)));
  use(body.slice(from, from + length));
  return from + length;
}

function randomDiff(random: Random): number[] {
  const body = sized(1, random.below(3), randomBytes(random));
  for (let left = random.below(4); left > 0; left--) {
    const fields = shuffled(random, [
      [1, random.below(3), ...varint(random.below(300))],
      [2, random.below(3), ...varint(random.below(300))],
      sized(3, random.below(3), randomBytes(random)),
      unknownField(random),
    ]);
    body.push(...sized(2, random.below(3), fields));
  }
  return [...body, ...unknownField(random)];
}

function randomTree(random: Random, levels: number, isTop: boolean): number[] {
  const own = [sized(1, random.below(3), randomBytes(random))];
  if (!isTop) own.push([2, random.below(3), random.below(2)], [3, random.below(3), ...varint(random.below(1000))]);
  for (let left = levels > 0 ? random.below(3) : 0; left > 0; left--) {
    own.push(sized(isTop ? 2 : 4, random.below(3), randomTree(random, levels - 1, false)));
  }
  return shuffled(random, [...own, unknownField(random)]);
}

function unknownField(random: Random): number[] {
  if (random.chance(2)) return [];
  return random.chance(2)
    ? [random.pick([0, 9, 0x7f]), VARINT, ...varint(random.below(300))]
    : sized(9, BYTES + random.below(2), randomBytes(random));
}

// Much of it looks like fields.
function randomBytes(random: Random): number[] {
  if (random.chance(3)) return sized(random.below(5), random.below(3), entry("x"));
  return Array.from({ length: random.below(9) }, () => random.below(5));
}

function shuffled(random: Random, parts: readonly (readonly number[])[]): number[] {
  const left = [...parts];
  const all: number[] = [];
  while (left.length > 0) all.push(...(left.splice(random.below(left.length), 1)[0] ?? []));
  return all;
}

function hunk(lines: string): number[] {
  return [1, VARINT, 1, 2, VARINT, 1, ...sized(3, BYTES, ascii(lines))];
}

function entry(name: string): number[] {
  return [...sized(1, BYTES, ascii(name)), 2, VARINT, 0, 3, VARINT, 0];
}

function sized(id: number, wireType: number, bytes: readonly number[]): number[] {
  return [id, wireType, ...varint(bytes.length), ...bytes];
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}

function ascii(value: string): number[] {
  return [...value].map((char) => char.charCodeAt(0));
}

function text(bytes: readonly number[]): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
}

function payloadOf(type: number, body: readonly number[]): Uint8Array {
  return Uint8Array.of(0x42, 0x43, 0x50, 0, 1, 0, 0, 0, type, 0, ...varint(body.length), ...body, 0xff, 1, 0, 0);
}

// Key by key in one order: the fields of a forged record come in any.
function showBytes(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
