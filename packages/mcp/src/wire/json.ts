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

export function encode(value: Json | RawJson): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value);
}
