// JSON as a type, and the one question asked of it everywhere.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON text that is already encoded: it goes out as it is, so that nothing in it is lost by decoding it. */
export class RawJson {
  /** The same decoded, where somebody has done that already. */
  readonly decoded: JsonObject | undefined;
  #pieces: readonly string[];

  /** In pieces where it is long: who sends them one by one never needs the whole. */
  constructor(text: string | readonly string[], decoded?: JsonObject) {
    this.#pieces = typeof text === "string" ? [text] : text;
    this.decoded = decoded;
  }

  get text(): string {
    if (this.#pieces.length !== 1) this.#pieces = [this.#pieces.join("")];
    return this.#pieces[0] ?? "";
  }

  get pieces(): readonly string[] {
    return this.#pieces;
  }

  get length(): number {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0);
  }
}

/** A number that JavaScript would round, as the JSON text it was sent in: `JSON.stringify` writes it unchanged. */
export function exactNumber(text: string): Json {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): Json };
  return rawJSON(text);
}

/**
 * A text that JSON.parse accepts, with every number that JavaScript would round or respell as it was sent. For what is
 * passed on, not for what is reckoned with: such a number is an object here.
 */
export function parseExactly(text: string): Json {
  if (!RESPELT.test(text)) return JSON.parse(text) as Json;
  const keep = (_: string, value: Json, { source }: { source?: string } = {}): Json =>
    typeof value === "number" && source !== undefined && JSON.stringify(value) !== source ? exactNumber(source) : value;
  return JSON.parse(text, keep as (key: string, value: Json) => Json) as Json;
}

export function isExactNumber(value: unknown): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}

/** Long numbers, zeros at the end of a fraction, exponents and −0: without any of them every number survives. */
const RESPELT = /\d{16}|\.\d*0(?!\d)|\d[eE]|-0/;

export function encode(value: Json | RawJson): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value);
}
