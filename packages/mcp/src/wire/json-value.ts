// JSON as a type, and the one question asked of it everywhere.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [member: string]: Json | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON text that is already encoded: it goes out as it is, so that nothing in it is lost by decoding it. */
export class RawJson {
  readonly text: string;
  /** The same decoded, where somebody has done that already. */
  readonly decoded: JsonObject | undefined;

  constructor(text: string, decoded?: JsonObject) {
    this.text = text;
    this.decoded = decoded;
  }
}

export function encode(value: Json | RawJson): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value);
}
