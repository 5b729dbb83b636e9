// Writes src/tokens/o200k.bin: the o200k vocabulary and the character classes its splitter needs, as compact data.
//
//   node scripts/bun.mjs packages/shrink/scripts/make-o200k.ts
//
// Not compressed: git and archives do that, and a program that starts should not have to undo it. Three numbers (tokens,
// bytes of the longest, runs of classes above U+FFFF); the hash table of rank + 1; where each token starts (a rank that
// is unused is empty); the code points at which runs of classes start; the class of each UTF-16 unit, then of each run;
// the bytes of all tokens. Numbers have four bytes, the least significant first. Read by src/tokens/vocabulary.ts.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { CharClass } from "../src/tokens/char-class.ts";
import { HASH_BASE, nextSlot, slotOf, TABLE_SLOTS } from "../src/tokens/vocabulary.ts";

const require = (name: string) => Bun.resolveSync(name, import.meta.dirname);
const source = path.join(path.dirname(require("gpt-tokenizer/package.json")), "data", "o200k_base.tiktoken");
const folder = path.join(import.meta.dirname, "..", "src", "tokens");
const target = path.join(folder, "o200k.bin");

const tokens = readRanks(source);
const longest = tokens.reduce((most, token) => Math.max(most, token.length), 0);
const { classes, runs } = readClasses();
const data = Buffer.concat([
  numbers([tokens.length, longest, runs.length]),
  numbers(hashTable(tokens)),
  numbers(startsOf(tokens)),
  numbers(runs.map(({ start }) => start)),
  Buffer.from(classes),
  Buffer.from(runs.map(({ kind }) => kind)),
  ...tokens,
]);
writeFileSync(target, data);
console.log(`${target}: ${data.length} bytes`);

function readRanks(file: string): Buffer[] {
  const ranks: Buffer[] = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const [bytes, rank] = line.split(" ");
    if (bytes && rank) ranks[Number(rank)] = Buffer.from(bytes, "base64");
  }
  return Array.from({ length: ranks.length }, (_, rank) => ranks[rank] ?? Buffer.alloc(0));
}

function numbers(list: readonly number[]): Buffer {
  const bytes = Buffer.alloc(list.length * 4);
  for (const [i, number] of list.entries()) bytes.writeInt32LE(number, i * 4);
  return bytes;
}

function hashTable(ranks: readonly Buffer[]): number[] {
  const table = Array.from({ length: TABLE_SLOTS }, () => 0);
  for (const [rank, token] of ranks.entries()) {
    if (token.length === 0) continue;
    let hash = 0;
    for (const byte of token) hash = (Math.imul(hash, HASH_BASE) + byte + 1) | 0;
    let slot = slotOf(hash);
    while (table[slot] !== 0) slot = nextSlot(slot);
    table[slot] = rank + 1;
  }
  return table;
}

function startsOf(ranks: readonly Buffer[]): number[] {
  let at = 0;
  return [0, ...ranks.map((token) => (at += token.length))];
}

/** Of each UTF-16 unit its class, and above them where each run of one class starts. */
function readClasses(): { classes: number[]; runs: { start: number; kind: number }[] } {
  const classes = Array.from({ length: 0x10000 }, (_, code) => classOf(code));
  const found: { start: number; kind: number }[] = [];
  for (let code = 0x10000; code <= 0x10ffff; code++) {
    const kind = classOf(code);
    if (found.at(-1)?.kind !== kind) found.push({ start: code, kind });
  }
  return { classes, runs: found };
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
