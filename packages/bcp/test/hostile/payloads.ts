// Payloads made to hurt: each is small, or legal, or both, and wants far more than it is worth.

import { createRequire } from "node:module";
import { blake3 } from "../../src/blake3.ts";

// The installed type definitions do not know it yet.
type Compress = (plain: Uint8Array, options?: { params: Record<number, number> }) => Uint8Array;
const { zstdCompressSync }: { zstdCompressSync: Compress } = createRequire(import.meta.url)("node:zlib");

const HEADER = Uint8Array.of(0x42, 0x43, 0x50, 0, 1, 0, 0, 0);
const PACKED_HEADER = Uint8Array.of(0x42, 0x43, 0x50, 0, 1, 0, 1, 0);
const END = Uint8Array.of(0xff, 0x01, 0, 0);
const KIB = 1024;
const MIB = 1024 * KIB;
// By libzstd's numbers: the window's logarithm, and that what is far away is looked for.
const LONG_WINDOW = { 101: 27, 160: 1 };

export type Hostile = {
  readonly name: string;
  readonly make: () => Uint8Array;
  /** How it ends: a decode error, a render error, or text after all. */
  readonly ends: string;
};

export const HOSTILE: readonly Hostile[] = [
  {
    name: "10 MB of three-byte blocks",
    make: () => payload(repeat(bytes(0x42, 0, 0), 3_300_000)),
    ends: "TooManyRecords",
  },
  {
    name: "10 MB of nine-byte tree entries",
    make: () => payload(frame(3, 0, flatTree(1_100_000))),
    ends: "text",
  },
  { name: "10 MB of twelve-byte hunks", make: () => payload(frame(7, 0, hunks(900_000))), ends: "text" },
  {
    name: "one field three million times over",
    make: () => payload(frame(1, 0, repeat(bytes(3, 1, 0), 3_300_000))),
    ends: "TooManyRecords",
  },
  {
    name: "one size a million times over, too large for a number",
    make: () => payload(frame(3, 0, concat(bytes(1, 1, 0), repeatedSizes(700_000)))),
    ends: "MissingRequiredField",
  },
  {
    name: "a path of ten million quotes",
    make: () => payload(frame(1, 0, codeWithPath(new Uint8Array(10_000_000).fill(0x22)))),
    ends: "TooManyRecords",
  },
  {
    name: "a path of one and a half million quotes",
    make: () => payload(frame(1, 0, codeWithPath(new Uint8Array(1_500_000).fill(0x22)))),
    ends: "OutputTooLarge",
  },
  {
    name: "30 MB of paths of 1,000 bytes that are not text",
    make: () => payload(repeat(frame(1, 0, codeWithPath(new Uint8Array(1000).fill(0xff))), 30_000)),
    ends: "OutputTooLarge",
  },
  {
    name: "12 MB of short paths that are not all Latin",
    make: () => payload(repeat(frame(1, 0, codeWithPath(notAllLatin(250))), 45_000)),
    ends: "text",
  },
  {
    name: "60 MB of short paths that are not all Latin",
    make: () => payload(repeat(frame(1, 0, codeWithPath(notAllLatin(250))), 227_000)),
    ends: "OutputTooLarge",
  },
  {
    name: "40 MB of short paths of quotes",
    make: () => payload(repeat(frame(1, 0, codeWithPath(new Uint8Array(250).fill(0x22))), 150_000)),
    ends: "OutputTooLarge",
  },
  {
    name: "40 MB of three short names each, none of them all Latin",
    make: () => payload(repeat(frame(254, 1, extension(notAllLatin(250))), 52_000)),
    ends: "OutputTooLarge",
  },
  {
    name: "40 MB of trees whose names are not all Latin",
    make: () => payload(repeat(frame(3, 0, namedTree(notAllLatin(200), 70_000)), 3)),
    ends: "text",
  },
  {
    name: "60 MB of short turns",
    make: () => payload(repeat(frame(2, 0, turnOf(new Uint8Array(118).fill(0x61))), 472_000)),
    ends: "OutputTooLarge",
  },
  {
    name: "60 MB of short turns and a reference to them",
    make: () => {
      const body = turnOf(new Uint8Array(118).fill(0x61));
      return payload(concat(repeat(frame(2, 0, body), 472_000), frame(2, 4, blake3(body))));
    },
    ends: "OutputTooLarge",
  },
  {
    name: "60 MB of short summaries that are not all Latin",
    make: () => payload(repeat(frame(2, 1, concat(varint(250), notAllLatin(250), turn())), 230_000)),
    ends: "text",
  },
  {
    name: "60 MB of priorities",
    make: () => payload(repeat(frame(8, 0, bytes(1, 0, 0, 2, 0, 1, 3, 1, 1, 1)), 4_600_000)),
    ends: "TooManyRecords",
  },
  {
    name: "an annotation of 15 MB that cannot be seen",
    make: () => payload(concat(frame(2, 0, turn()), frame(8, 0, tag(new Uint8Array(15 * MIB).fill(1))))),
    ends: "text",
  },
  {
    name: "100,000 turns in 1 KB",
    make: () => packed(repeat(frame(2, 0, turnOf(new Uint8Array(118).fill(0x61))), 100_000)),
    ends: "DecompressionBomb",
  },
  {
    name: "160,000 turns in 1 KB",
    make: () => packed(repeat(frame(2, 0, turnOf(new Uint8Array(118).fill(0x61))), 160_000)),
    ends: "DecompressionBomb",
  },
  {
    name: "60,000 turns in 1 KB",
    make: () => packed(repeat(frame(2, 0, turnOf(new Uint8Array(118).fill(0x61))), 60_000)),
    ends: "OutputTooLarge",
  },
  { name: "80 MB of text in 30", make: () => packed(wordDocuments(80)), ends: "text" },
  { name: "240 MB of text in 60", make: () => packed(wordDocuments(240, 20_000)), ends: "text" },
  {
    name: "a title of 30 MB that is not all Latin",
    make: () => payload(frame(1, 0, codeWithPath(documentText(30 * MIB)))),
    ends: "TooManyRecords",
  },
  {
    name: "30 MB of an unknown block that is not text",
    make: () => critical(frame(0x42, 0, new Uint8Array(30 * MIB).fill(0xff))),
    ends: "OutputTooLarge",
  },
  {
    name: "as much of it as is shown",
    make: () => critical(frame(0x42, 0, new Uint8Array(8 * MIB).fill(0xff))),
    ends: "text",
  },
  {
    name: "a hunk of 60 MB that is not all Latin",
    make: () => critical(frame(7, 0, hunk(documentText(60 * MIB)))),
    ends: "text",
  },
  {
    name: "a million empty zstd frames",
    make: () => concat(PACKED_HEADER, repeat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0), 1_000_000)),
    ends: "DecompressFailed",
  },
  {
    name: "a million zstd frames of one byte",
    make: () => concat(PACKED_HEADER, repeat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 0x42), 1_000_000)),
    ends: "DecompressFailed",
  },
  { name: "50,000 three-byte blocks", make: () => payload(repeat(bytes(0x42, 0, 0), 50_000)), ends: "text" },
  { name: "95,000 nine-byte tree entries", make: () => payload(frame(3, 0, flatTree(95_000))), ends: "text" },
  { name: "a tree of 200,000 files", make: () => payload(frame(3, 0, files(200_000))), ends: "text" },
  { name: "a tree of 300,000 files", make: () => payload(frame(3, 0, files(300_000))), ends: "text" },
  { name: "a tree of 700,000 files", make: () => payload(frame(3, 0, files(700_000))), ends: "text" },
  { name: "a tree 100,000 levels deep", make: () => payload(frame(3, 0, deepTree(100_000, 0))), ends: "TreeTooDeep" },
  { name: "60 MB of nine-byte tree entries", make: () => payload(frame(3, 0, flatTree(6_600_000))), ends: "text" },
  { name: "60 MB of twelve-byte hunks", make: () => payload(frame(7, 0, hunks(5_000_000))), ends: "text" },
  {
    name: "60 MB of leaves that are not Latin, 12 levels down",
    make: () => payload(frame(3, 0, deepTree(12, 4_600_000, [0xe6, 0xbc, 0xa2]))),
    ends: "text",
  },
  {
    name: "10 MB of leaves that are not Latin, 12 levels down",
    make: () => payload(frame(3, 0, deepTree(12, 800_000, [0xe6, 0xbc, 0xa2]))),
    ends: "text",
  },
  {
    name: "20 MB of trees of nothing",
    make: () => payload(repeat(frame(3, 0, bytes(1, 1, 0)), 3_300_000)),
    ends: "TooManyRecords",
  },
  {
    name: "2 MB of trees of nothing",
    make: () => payload(repeat(frame(3, 0, bytes(1, 1, 0)), 150_000)),
    ends: "OutputTooLarge",
  },
  {
    name: "20 packed trees of 1,800,000 entries",
    make: () => payload(repeat(frame(3, 2, zstdCompressSync(flatTree(1_800_000))), 20)),
    ends: "DecompressionBomb",
  },
  {
    name: "a packed tree of 500,000 entries",
    make: () => packed(frame(3, 0, files(500_000))),
    ends: "DecompressionBomb",
  },
  {
    name: "a packed tree as large as a block may be",
    make: () => packed(frame(3, 0, files(590_000))),
    ends: "DecompressionBomb",
  },
  {
    name: "three packed trees of 700,000 files",
    make: () => packed(repeat(frame(3, 0, files(700_000)), 3)),
    ends: "DecompressionBomb",
  },
  {
    name: "100,000 references to turns, packed",
    make: () => packed(turnsAndReferences(100_000)),
    ends: "TooManyRecords",
  },
  {
    name: "an entry of ten million fields that nobody knows",
    make: () => payload(frame(3, 0, strangeEntry(10_000_000))),
    ends: "text",
  },
  {
    name: "200,000 references to turns",
    make: () => payload(turnsAndReferences(200_000)),
    ends: "TooManyRecords",
  },
  {
    name: "20,000 leaves 1,000 levels down",
    make: () => payload(frame(3, 0, deepTree(1000, 20_000))),
    ends: "OutputTooLarge",
  },
  {
    name: "a body of 2^64 - 1 bytes",
    make: () => payload(bytes(1, 0, ...Array<number>(9).fill(0xff), 1)),
    ends: "UnexpectedEof",
  },
  {
    name: "a field of 2^53 bytes",
    make: () => payload(frame(1, 0, bytes(2, 1, ...Array<number>(7).fill(0x80), 0x10))),
    ends: "UnexpectedEof",
  },
  {
    name: "a payload of 1 GB of zeros",
    make: () => concat(PACKED_HEADER, zeros(1024 * MIB)),
    ends: "DecompressionBomb",
  },
  {
    name: "a payload of 8 KB that becomes the 256 MiB the format allows",
    make: () => concat(PACKED_HEADER, zeros(256 * MIB)),
    ends: "DecompressionBomb",
  },
  { name: "a block of 100 MB of zeros", make: () => payload(frame(1, 2, zeros(100 * MIB))), ends: "DecompressionBomb" },
  {
    name: "a hundred blocks of 16 MiB of zeros",
    make: () => payload(repeat(frame(0x42, 2, zeros(16 * MIB)), 100)),
    ends: "DecompressionBomb",
  },
  {
    name: "900 zstd frames of a bomb",
    make: () => concat(PACKED_HEADER, repeat(zeros(MIB), 900)),
    ends: "DecompressionBomb",
  },
  {
    name: "300,000 references to one block of 1 MB",
    make: () => references(0x42, new Uint8Array(MIB).fill(0x61), 300_000),
    ends: "ExpansionTooLarge",
  },
  {
    name: "100,000 references to a tree of 10,000 entries",
    make: () => references(3, flatTree(10_000), 100_000),
    ends: "ExpansionTooLarge",
  },
  {
    name: "text that packs twenty to one, not all of it Latin, as long as it may be",
    make: () => packed(documents(9)),
    ends: "text",
  },
  {
    name: "the same among 15,000 tiny blocks",
    make: () => packed(concat(repeat(frame(2, 0, turn()), 15_000), documents(8))),
    ends: "text",
  },
  {
    name: "100 MB of text in 4, packed with a window of 128 MiB",
    make: () => {
      const text = wordDocuments(4);
      const plain = concat(...Array.from({ length: 25 }, () => text), END);
      return concat(PACKED_HEADER, zstdCompressSync(plain, { params: LONG_WINDOW }));
    },
    ends: "DecompressFailed",
  },
  { name: "three times as much of it", make: () => packed(documents(30)), ends: "DecompressionBomb" },
  {
    name: "eight references to a block of 1 MB that is not all Latin",
    make: () => references(0x42, documentText(MIB), 7),
    ends: "text",
  },
];

/** Packed as a whole, so well that it wants a multiple of its size, and not as only a bomb is. */
export function packedDocuments(mebibytes: number): Uint8Array {
  return packed(documents(mebibytes));
}

function packed(frames: Uint8Array): Uint8Array {
  return concat(PACKED_HEADER, zstdCompressSync(concat(frames, END)));
}

// In blocks of 1 MiB, each a DOCUMENT: title, content, format.
function documents(mebibytes: number): Uint8Array {
  const document = (): Uint8Array => {
    const text = documentText(MIB);
    return frame(5, 0, concat(bytes(1, 1, 1, 0x74, 2, 1), varint(text.length), text, bytes(3, 0, 2)));
  };
  return concat(...Array.from({ length: mebibytes }, document));
}

let seed = 1;
function documentText(size: number): Uint8Array {
  const lines: string[] = [];
  for (let length = 0; length < size;) {
    seed = (seed * 48_271) % 2_147_483_647;
    const line = `the worker has written its share of the events: ${seed % 1000}${seed % 64 === 0 ? "☃" : ""}\n`;
    lines.push(line);
    length += line.length;
  }
  return new TextEncoder().encode(lines.join(""));
}

// In blocks of 1 MB, of as many different words: about as far as real text can be packed.
function wordDocuments(megabytes: number, vocabulary = 60_000): Uint8Array {
  const document = (): Uint8Array => {
    const text = new Uint8Array(1_000_000).fill(0x20);
    for (let at = 0; at + 8 <= text.length; at += 9) {
      seed = (seed * 48_271) % 2_147_483_647;
      const word = `word${(seed % vocabulary).toString(36)}`;
      for (let i = 0; i < word.length; i++) text[at + i] = word.charCodeAt(i);
    }
    return frame(5, 0, concat(bytes(1, 1, 1, 0x74, 2, 1), varint(text.length), text, bytes(3, 0, 2)));
  };
  return concat(...Array.from({ length: megabytes }, document));
}

// A CONVERSATION block: role, content.
function turn(): Uint8Array {
  return turnOf(bytes(0x78));
}

function turnOf(content: Uint8Array): Uint8Array {
  return concat(bytes(1, 0, 1, 2, 1), varint(content.length), content);
}

// An EXTENSION with a summary: three times the same name.
function extension(name: Uint8Array): Uint8Array {
  const length = varint(name.length);
  return concat(length, name, bytes(1, 1), length, name, bytes(2, 1), length, name, bytes(3, 1, 0));
}

// An ANNOTATION that is a tag.
function tag(value: Uint8Array): Uint8Array {
  return concat(bytes(1, 0, 0, 2, 0, 3, 3, 1), varint(value.length), value);
}

function namedTree(name: Uint8Array, entries: number): Uint8Array {
  const entry = concat(bytes(1, 1), varint(name.length), name, bytes(2, 0, 0));
  return concat(bytes(1, 1, 0), repeat(concat(bytes(2, 2), varint(entry.length), entry), entries));
}

// ASCII but for one character, which makes two bytes of each.
function notAllLatin(size: number): Uint8Array {
  const text = new Uint8Array(size).fill(0x61);
  text.set([0xe2, 0x98, 0x83]);
  return text;
}

function payload(frames: Uint8Array): Uint8Array {
  return concat(HEADER, frames, END);
}

// Shown in full whatever the budget says: an annotation of block 0.
function critical(block: Uint8Array): Uint8Array {
  return payload(concat(block, frame(8, 0, bytes(1, 0, 0, 2, 0, 1, 3, 1, 1, 1))));
}

function frame(type: number, flags: number, body: Uint8Array): Uint8Array {
  return concat(varint(type), bytes(flags), varint(body.length), body);
}

function flatTree(entries: number): Uint8Array {
  return concat(bytes(1, 1, 0), repeat(bytes(2, 2, 6, 1, 1, 0, 2, 0, 0), entries));
}

function turnsAndReferences(count: number): Uint8Array {
  const bodies = Array.from({ length: count }, (_, i) => turnOf(new TextEncoder().encode(String(i))));
  return joinedFrames([...bodies.map((body) => frame(2, 0, body)), ...bodies.map((body) => frame(2, 4, blake3(body)))]);
}

function joinedFrames(frames: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(frames));
}

// Field 9 is none.
function strangeEntry(fields: number): Uint8Array {
  const entry = concat(bytes(1, 1, 0, 2, 0, 0), repeat(bytes(9, 0, 0), fields));
  return concat(bytes(1, 1, 0, 2, 2), varint(entry.length), entry);
}

function files(count: number): Uint8Array {
  const entries = new Uint8Array(count * 32);
  let length = 0;
  for (let i = 0; i < count; i++) {
    const name = new TextEncoder().encode(`file-${i}.ts`);
    const record = concat(bytes(1, 1, name.length), name, bytes(2, 0, 0, 3, 0), varint(i));
    const entry = concat(bytes(2, 2, record.length), record);
    entries.set(entry, length);
    length += entry.length;
  }
  return concat(bytes(1, 1, 0), entries.subarray(0, length));
}

function hunks(count: number): Uint8Array {
  return concat(bytes(1, 1, 0), repeat(bytes(2, 2, 9, 1, 0, 0, 2, 0, 0, 3, 1, 0), count));
}

function hunk(lines: Uint8Array): Uint8Array {
  const record = concat(bytes(1, 0, 1, 2, 0, 1, 3, 1), varint(lines.length), lines);
  return concat(bytes(1, 1, 0, 2, 2), varint(record.length), record);
}

// One entry with a size of 2^64 - 1, again and again; its name is missing.
function repeatedSizes(count: number): Uint8Array {
  const sizes = repeat(bytes(3, 0, ...Array<number>(9).fill(0xff), 1), count);
  return concat(bytes(2, 2), varint(sizes.length), sizes);
}

function codeWithPath(path: Uint8Array): Uint8Array {
  return concat(bytes(1, 0, 1, 2, 1), varint(path.length), path, bytes(3, 1, 0));
}

// Directories in directories, and some files in the innermost. Each level is put around what is there already.
function deepTree(levels: number, leaves: number, name: readonly number[] = [0x61]): Uint8Array {
  const leaf = bytes(4, 2, 6 + name.length, 1, 1, name.length, ...name, 2, 0, 0);
  const parts = [repeat(leaf, leaves)];
  let length = leaf.length * leaves;
  for (let level = levels; level > 0; level--) {
    const directory = bytes(1, 1, 1, 0x64, 2, 0, 1);
    const tag = concat(bytes(level === 1 ? 2 : 4, 2), varint(length + directory.length));
    parts.push(directory, tag);
    length += directory.length + tag.length;
  }
  return concat(bytes(1, 1, 0), ...parts.reverse());
}

function references(type: number, body: Uint8Array, count: number): Uint8Array {
  return payload(concat(frame(type, 0, body), repeat(frame(type, 4, blake3(body)), count)));
}

// A zstd frame by hand: no size, a 2 MiB window, and blocks that say "128 KiB of the same byte" in four bytes.
function zeros(size: number): Uint8Array {
  const word = (last: number): Uint8Array => {
    const header = last | (1 << 1) | ((128 * KIB) << 3);
    return bytes(header & 0xff, (header >>> 8) & 0xff, header >>> 16, 0);
  };
  return concat(bytes(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58), repeat(word(0), size / (128 * KIB) - 1), word(1));
}

function bytes(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values);
}

function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out.push((rest % 0x80) | 0x80);
  return Uint8Array.from([...out, rest]);
}

function repeat(piece: Uint8Array, times: number): Uint8Array {
  const all = new Uint8Array(piece.length * times);
  for (let i = 0; i < times; i++) all.set(piece, i * piece.length);
  return all;
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
