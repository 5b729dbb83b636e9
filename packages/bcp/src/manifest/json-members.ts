// The members of one JSON object of a manifest, asked for by name and type.

import { GarbageCollection } from "../garbage-collection.ts";
import { lineAndColumn, NO_NODE } from "../json-document.ts";
import type { JsonNode, JsonText } from "../json-document.ts";
import { toUtf8 } from "../utf8-text.ts";
import { hashOfBytes, KeyHashes } from "./duplicate-keys.ts";
import { MEMBER_NAMES } from "./member-names.ts";
import type { MemberName } from "./member-names.ts";

/** A manifest that cannot be used. `line` and `column` count from 1 and are there where one spot is to blame. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** Index of the manifest entry, once entries are being built. */
  readonly block: number | undefined;

  constructor(message: string, facts: { line?: number; column?: number; block?: number } = {}) {
    super(message);
    this.line = facts.line;
    this.column = facts.column;
    this.block = facts.block;
  }
}

export function manifestError(json: Uint8Array, problem: string, at: number): ManifestError {
  const { line, column } = lineAndColumn(json, at);
  return new ManifestError(`${problem} at line ${line} column ${column}`, { line, column });
}

/** The text of a manifest, and what is needed to read it. */
export class ManifestText {
  readonly json: JsonText;
  readonly garbage = new GarbageCollection();
  readonly hashes: KeyHashes;

  constructor(json: JsonText) {
    this.json = json;
    this.hashes = new KeyHashes(json, this.garbage);
  }
}

// What reading an object leaves behind.
const OBJECT_COST = 1024;
// The largest numbers have twenty digits. Of what is longer, so much is shown.
const SHOWN_BYTES = 100;
// A longer one is none that we know.
export const WORD_BYTES = 1024;
// All that we know are forty. What has so many more was not written for us, and would have to be read without a pause.
const MAX_KEYS = 100_000;
const U32_MAX = 0xffff_ffff;
const U64_MAX = 0xffff_ffff_ffff_ffffn;
// That another key has the hash of one of these is less likely than that a bit of memory turns over.
const NAMES_BY_HASH: ReadonlyMap<number, MemberName> = new Map(
  MEMBER_NAMES.map((name) => [hashOfBytes(toUtf8(name), 0, name.length), name]),
);

/** `null` counts as absent everywhere, as it does in the reference; what nobody asks for is ignored. */
export class Members {
  private readonly json: JsonText;
  private readonly object: JsonNode;
  private readonly members = new Map<MemberName, JsonNode>();
  private readonly hashes: KeyHashes;
  private readonly mark: number;
  private readonly stopAt: MemberName | undefined;
  /** The byte behind the object, once all of it has been read. */
  end: number;
  /** The value of `stopAt` that reading has come to: it goes on behind it. */
  stop: JsonNode;

  constructor({ json, hashes, garbage }: ManifestText, object: JsonNode, stopAt?: MemberName) {
    this.json = json;
    this.object = object;
    this.hashes = hashes;
    this.stopAt = stopAt;
    if (json.kind(object) !== "object") throw this.wrongType(object, "a map");
    garbage.add(OBJECT_COST);
    this.mark = hashes.length;
    this.end = object + 1;
    this.stop = this.read(json.first(object));
  }

  /** Reads on behind the value that ends at `end`, and returns the next to stop at, or NO_NODE when all has been read. */
  goOn(end: number): JsonNode {
    this.end = end;
    return this.read(this.json.next(end));
  }

  private read(first: JsonNode): JsonNode {
    const { json, hashes } = this;
    for (let key = first; key !== NO_NODE; key = json.next(this.end)) {
      if (hashes.length - this.mark >= MAX_KEYS) throw this.problem(`more than ${MAX_KEYS} keys in one object`, key);
      const name = NAMES_BY_HASH.get(hashes.add(key));
      const value = json.valueOf(key);
      if (name !== undefined) this.members.set(name, value);
      if (name !== undefined && name === this.stopAt) return value;
      this.end = json.end(value);
    }
    this.end = json.closed(this.end);
    const repeated = hashes.repeated(this.mark, this.object);
    if (repeated !== undefined) throw this.problem(`duplicate field \`${json.text(repeated, WORD_BYTES)}\``, repeated);
    return NO_NODE;
  }

  /** A string under the first of these names that is there. Two names for one thing are a duplicate. */
  optionalText(...names: readonly MemberName[]): JsonNode | undefined {
    const node = this.find(names);
    if (node !== undefined && this.json.kind(node) !== "string") throw this.wrongType(node, "a string");
    return node;
  }

  text(...names: readonly MemberName[]): JsonNode {
    const node = this.optionalText(...names);
    if (node === undefined) throw this.missing(names);
    return node;
  }

  /** The same as a word, of which only the beginning counts. */
  optionalWord(...names: readonly MemberName[]): string | undefined {
    const node = this.optionalText(...names);
    return node === undefined ? undefined : this.json.text(node, WORD_BYTES);
  }

  word(...names: readonly MemberName[]): string {
    return this.json.text(this.text(...names), WORD_BYTES);
  }

  optionalU32(name: MemberName): number | undefined {
    const value = this.integer(name, U32_MAX, "u32");
    return value === undefined ? undefined : Number(value);
  }

  u32(name: MemberName): number {
    const value = this.optionalU32(name);
    if (value === undefined) throw this.missing([name]);
    return value;
  }

  optionalU64(name: MemberName): number | bigint | undefined {
    return this.integer(name, U64_MAX, "u64");
  }

  flag(name: MemberName): boolean {
    const node = this.find([name]);
    if (node === undefined) return false;
    const kind = this.json.kind(node);
    if (kind !== "true" && kind !== "false") throw this.wrongType(node, "a boolean");
    return kind === "true";
  }

  optionalList(name: MemberName): JsonNode | undefined {
    const node = this.find([name]);
    if (node !== undefined && this.json.kind(node) !== "array") throw this.wrongType(node, "a sequence");
    return node;
  }

  list(name: MemberName): JsonNode {
    const node = this.optionalList(name);
    if (node === undefined) throw this.missing([name]);
    return node;
  }

  /** An error about this object as a whole, or at one place in it. */
  problem(problem: string, at = this.object): ManifestError {
    return manifestError(this.json.bytes, problem, at);
  }

  at(name: MemberName): number {
    return this.members.get(name) ?? this.object;
  }

  private find(names: readonly MemberName[]): JsonNode | undefined {
    let found: JsonNode | undefined;
    for (const name of names) {
      const node = this.members.get(name);
      if (node === undefined || this.json.kind(node) === "null") continue;
      if (found !== undefined) throw this.problem(`duplicate field \`${names[0]}\``, node);
      found = node;
    }
    return found;
  }

  private integer(name: MemberName, max: number | bigint, type: string): number | bigint | undefined {
    const node = this.find([name]);
    if (node === undefined) return undefined;
    const value = this.json.integer(node);
    if (value === undefined) throw this.wrongType(node, type);
    if (value >= 0 && value <= max) return value;
    throw this.problem(`invalid value: integer \`${this.json.source(node, SHOWN_BYTES)}\`, expected ${type}`, node);
  }

  private missing(names: readonly MemberName[]): ManifestError {
    return this.problem(`missing field \`${names[0]}\``);
  }

  private wrongType(node: JsonNode, expected: string): ManifestError {
    return manifestError(this.json.bytes, `invalid type: ${typeName(this.json, node)}, expected ${expected}`, node);
  }
}

function typeName(json: JsonText, node: JsonNode): string {
  const kind = json.kind(node);
  switch (kind) {
    case "object":
      return "map";
    case "array":
      return "sequence";
    case "number":
      return `${json.integer(node) !== undefined ? "integer" : "floating point"} \`${json.source(node, SHOWN_BYTES)}\``;
    case "true":
    case "false":
      return `boolean \`${kind}\``;
    default:
      return kind;
  }
}
