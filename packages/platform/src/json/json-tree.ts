// JSON text → a tree of places in it, or where and why it is none. For texts that people write and edit: a value is decoded
// when somebody asks, and what is not changed can stay byte for byte.
import { Positions } from "./positions.ts";
import type { Position } from "./positions.ts";
import { literalEnd, skipBlanks, stringEnd } from "./json-words.ts";

export type JsonTree =
  | {
      readonly kind: "object";
      readonly start: number;
      readonly end: number;
      readonly members: readonly JsonMember[];
      /** The end of the last thing before the closing brace that is not white space. */
      readonly contentEnd: number;
    }
  | { readonly kind: "array"; readonly start: number; readonly end: number; readonly items: readonly JsonTree[] }
  | { readonly kind: "string" | "number" | "boolean" | "null"; readonly start: number; readonly end: number };

export type JsonMember = {
  readonly key: string;
  readonly start: number;
  readonly value: JsonTree;
  /** Where the comma after it is; undefined for a last one without. */
  readonly comma: number | undefined;
};

export type JsonOptions = {
  /** Comments and trailing commas, as editors allow them in their own settings. */
  readonly comments?: boolean;
  readonly maxDepth?: number;
};

/** Recursion must not reach the stack's end. */
const MAX_DEPTH = 200;

/** A text that is not JSON: why not, and where. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly problem: string;
  readonly offset: number;
  readonly at: Position;

  constructor(text: string, offset: number, problem: string) {
    const at = new Positions(text).of(offset);
    super(`${at.line}:${at.column}: ${problem}`);
    this.problem = problem;
    this.offset = offset;
    this.at = at;
  }
}

export function readJsonTree(text: string, options: JsonOptions = {}): JsonTree {
  const reader = new Reader(text, options);
  reader.skip();
  const root = reader.value(0);
  reader.skip();
  if (reader.at < text.length) throw reader.unexpected("the end");
  return root;
}

export function valueOf(text: string, node: JsonTree): unknown {
  switch (node.kind) {
    case "array":
      return node.items.map((item) => valueOf(text, item));
    case "object":
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(text, value)]));
    default:
      return JSON.parse(text.slice(node.start, node.end)) as unknown;
  }
}

/** Of two members with one key the last counts, as everywhere. */
export function memberOf(node: JsonTree | undefined, key: string): JsonMember | undefined {
  return node?.kind === "object" ? node.members.findLast((member) => member.key === key) : undefined;
}

/** Neither null nor a list: what JSON calls an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

class Reader {
  readonly #text: string;
  readonly #comments: boolean;
  readonly #maxDepth: number;
  at = 0;
  /** The end of what was last read that is not white space. */
  #contentEnd = 0;

  constructor(text: string, { comments = false, maxDepth = MAX_DEPTH }: JsonOptions) {
    this.#text = text;
    this.#comments = comments;
    this.#maxDepth = maxDepth;
    if (text.startsWith("\ufeff")) this.at = 1;
  }

  value(depth: number): JsonTree {
    if (depth > this.#maxDepth) throw new JsonError(this.#text, this.at, "nested too deeply");
    const start = this.at;
    if (this.#accept("{")) return this.#object(start, depth);
    if (this.#accept("[")) return this.#array(start, depth);
    const first = this.#text[start];
    if (first === '"') return { kind: "string", start, end: this.#string() };
    const end = literalEnd(this.#text, start);
    // `01` is not a 0 with something behind it, nor `truely` a word.
    if (end < 0 || /[\w.+-]/.test(this.#text.charAt(end))) throw this.unexpected("a value");
    this.#moveTo(end);
    const kind = first === "t" || first === "f" ? "boolean" : first === "n" ? "null" : "number";
    return { kind, start, end };
  }

  /** White space and, where they are allowed, comments. */
  skip(): void {
    for (;;) {
      this.at = skipBlanks(this.#text, this.at);
      if (!this.#comments || this.#text[this.at] !== "/") return;
      const pattern = /\/\/[^\n\r]*|\/\*[^]*?\*\//y;
      pattern.lastIndex = this.at;
      const comment = pattern.exec(this.#text)?.[0];
      if (comment === undefined) return;
      this.#moveTo(this.at + comment.length);
    }
  }

  unexpected(wanted: string): JsonError {
    const found = this.at < this.#text.length ? JSON.stringify(this.#text[this.at]) : "the end of the text";
    return new JsonError(this.#text, this.at, `expected ${wanted}, found ${found}`);
  }

  #object(start: number, depth: number): JsonTree {
    const members: JsonMember[] = [];
    let contentEnd = this.#contentEnd;
    for (this.skip(); ; this.skip()) {
      contentEnd = this.#contentEnd;
      if ((members.length === 0 || this.#comments || members.at(-1)?.comma === undefined) && this.#accept("}"))
        return { kind: "object", start, end: this.at, members, contentEnd };
      if (members.length > 0 && members.at(-1)?.comma === undefined) throw this.unexpected('"," or "}"');
      members.push(this.#member(depth));
    }
  }

  #member(depth: number): JsonMember {
    const start = this.at;
    if (this.#text[start] !== '"') throw this.unexpected("a key");
    const key = JSON.parse(this.#text.slice(start, this.#string())) as string;
    this.skip();
    if (!this.#accept(":")) throw this.unexpected('":"');
    this.skip();
    const value = this.value(depth + 1);
    this.skip();
    const comma = this.at;
    return { key, start, value, comma: this.#accept(",") ? comma : undefined };
  }

  #array(start: number, depth: number): JsonTree {
    const items: JsonTree[] = [];
    let hasComma = false;
    for (this.skip(); ; this.skip()) {
      if ((!hasComma || this.#comments) && this.#accept("]")) return { kind: "array", start, end: this.at, items };
      if (items.length > 0 && !hasComma) throw this.unexpected('"," or "]"');
      items.push(this.value(depth + 1));
      this.skip();
      hasComma = this.#accept(",");
    }
  }

  #string(): number {
    const end = stringEnd(this.#text, this.at);
    if (end < 0) {
      const why = "this text is never closed, or has an escape or a control character that JSON does not know";
      throw new JsonError(this.#text, this.at, why);
    }
    this.#moveTo(end);
    return end;
  }

  #accept(character: string): boolean {
    if (this.#text[this.at] !== character) return false;
    this.#moveTo(this.at + 1);
    return true;
  }

  #moveTo(end: number): void {
    this.at = end;
    this.#contentEnd = end;
  }
}
