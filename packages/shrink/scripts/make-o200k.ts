// Writes src/tokens/o200k.bin: the o200k vocabulary and the character classes its splitter needs, as compact data.
//
//   node scripts/bun.mjs packages/shrink/scripts/make-o200k.ts
//
// Not compressed: git and archives do that, and a program that starts should not have to undo it. Layout: uint32 count
// of tokens; the length of each token as one byte (0: this rank is unused);
// the bytes of all tokens in the order of their ranks; then runs of character classes as pairs of varints
// (length of the run, class), covering U+0000 to U+10FFFF. Read by src/tokens/vocabulary.ts.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { CharClass } from "../src/tokens/char-class.ts";

const require = (name: string) => Bun.resolveSync(name, import.meta.dirname);
const source = path.join(path.dirname(require("gpt-tokenizer/package.json")), "data", "o200k_base.tiktoken");
const target = path.join(import.meta.dirname, "..", "src", "tokens", "o200k.bin");

const data = Buffer.concat([tokenTable(readRanks(source)), classRuns()]);
writeFileSync(target, data);
console.log(`${target}: ${data.length} bytes`);

function readRanks(file: string): Buffer[] {
  const ranks: Buffer[] = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [bytes, rank] = line.split(" ");
    if (bytes && rank) ranks[Number(rank)] = Buffer.from(bytes, "base64");
  }
  return ranks;
}

function tokenTable(ranks: Buffer[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(ranks.length);
  const tokens = Array.from({ length: ranks.length }, (_, rank) => ranks[rank] ?? Buffer.alloc(0));
  if (tokens.some((token) => token.length > 255)) throw new Error("a token is longer than 255 bytes");
  return Buffer.concat([count, Buffer.from(tokens.map((token) => token.length)), ...tokens]);
}

function classRuns(): Buffer {
  const out: number[] = [];
  let current = classOf(0);
  let length = 0;
  for (let code = 0; code <= 0x110000; code++) {
    const next = code === 0x110000 ? -1 : classOf(code);
    if (next === current) {
      length++;
      continue;
    }
    for (; length > 127; length >>>= 7) out.push((length & 127) | 128);
    out.push(length, current);
    current = next;
    length = 1;
  }
  return Buffer.from(out);
}

function classOf(code: number): number {
  const char = String.fromCodePoint(code);
  if (char === "\r" || char === "\n") return CharClass.newline;
  if (/\s/u.test(char)) return CharClass.space;
  if (/[\p{Lu}\p{Lt}]/u.test(char)) return CharClass.upper;
  if (/\p{Ll}/u.test(char)) return CharClass.lower;
  if (/\p{M}/u.test(char)) return CharClass.mark;
  if (/\p{L}/u.test(char)) return CharClass.letter;
  if (/\p{N}/u.test(char)) return CharClass.digit;
  return CharClass.other;
}
