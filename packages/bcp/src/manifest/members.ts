// The members of one JSON object of a manifest, asked for by name and type.

import { lineAndColumn } from "../json.ts";
import type { Json, JsonObject } from "../json.ts";

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

export function manifestError(text: string, problem: string, at: number): ManifestError {
  const { line, column } = lineAndColumn(text, at);
  return new ManifestError(`${problem} at line ${line} column ${column}`, { line, column });
}

const U32_MAX = 0xffff_ffffn;
const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** `null` counts as absent everywhere, as it does in the reference; what nobody asks for is ignored. */
export class Members {
  private readonly text: string;
  private readonly object: JsonObject;

  constructor(text: string, object: JsonObject) {
    this.text = text;
    this.object = object;
    if (object.duplicate) throw this.error(`duplicate field \`${object.duplicate.key}\``, object.duplicate.at);
  }

  static of(text: string, json: Json): Members {
    if (json.kind !== "object") throw manifestError(text, `invalid type: ${typeName(json)}, expected a map`, json.at);
    return new Members(text, json);
  }

  /** A string under the first of these names that is there. Two names for one thing are a duplicate. */
  optionalString(...names: readonly string[]): string | undefined {
    const json = this.find(names);
    if (!json) return undefined;
    if (json.kind !== "string") throw this.wrongType(json, "a string");
    return json.value;
  }

  string(...names: readonly string[]): string {
    const value = this.optionalString(...names);
    if (value === undefined) throw this.missing(names);
    return value;
  }

  optionalU32(name: string): number | undefined {
    const value = this.integer(name, U32_MAX, "u32");
    return value === undefined ? undefined : Number(value);
  }

  u32(name: string): number {
    const value = this.optionalU32(name);
    if (value === undefined) throw this.missing([name]);
    return value;
  }

  optionalU64(name: string): number | bigint | undefined {
    const value = this.integer(name, U64_MAX, "u64");
    return value !== undefined && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
  }

  flag(name: string): boolean {
    const json = this.find([name]);
    if (!json) return false;
    if (json.kind !== "true" && json.kind !== "false") throw this.wrongType(json, "a boolean");
    return json.kind === "true";
  }

  list(name: string, required: boolean): readonly Json[] {
    const json = this.find([name]);
    if (!json && required) throw this.missing([name]);
    if (!json) return [];
    if (json.kind !== "array") throw this.wrongType(json, "a sequence");
    return json.items;
  }

  /** An error about this object as a whole. */
  problem(problem: string, at = this.object.at): ManifestError {
    return this.error(problem, at);
  }

  at(name: string): number {
    return this.object.members.get(name)?.at ?? this.object.at;
  }

  private find(names: readonly string[]): Json | undefined {
    const found = names.flatMap((name) => this.object.members.get(name) ?? []).filter(({ kind }) => kind !== "null");
    const [first, second] = found;
    if (second) throw this.error(`duplicate field \`${names[0]}\``, second.at);
    return first;
  }

  private integer(name: string, max: bigint, type: string): bigint | undefined {
    const json = this.find([name]);
    if (!json) return undefined;
    if (json.kind !== "number" || !/^-?\d+$/.test(json.text)) throw this.wrongType(json, type);
    const value = BigInt(json.text);
    if (value >= 0n && value <= max) return value;
    throw this.error(`invalid value: integer \`${json.text}\`, expected ${type}`, json.at);
  }

  private missing(names: readonly string[]): ManifestError {
    return this.error(`missing field \`${names[0]}\``, this.object.at);
  }

  private wrongType(json: Json, expected: string): ManifestError {
    return this.error(`invalid type: ${typeName(json)}, expected ${expected}`, json.at);
  }

  private error(problem: string, at: number): ManifestError {
    return manifestError(this.text, problem, at);
  }
}

function typeName(json: Json): string {
  switch (json.kind) {
    case "object":
      return "map";
    case "array":
      return "sequence";
    case "string":
      return "string";
    case "number":
      return `${/^-?\d+$/.test(json.text) ? "integer" : "floating point"} \`${json.text}\``;
    case "null":
      return "null";
    default:
      return `boolean \`${json.kind}\``;
  }
}
