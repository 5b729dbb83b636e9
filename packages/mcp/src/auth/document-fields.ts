// Members of a foreign JSON document → typed values. A member of the wrong type is an error, a missing one is not.
import { AuthorizationError } from "./authorization-error.ts";
import type { JsonObject } from "./fetch-json.ts";

/** Longer lists are no use to anyone and would be carried around for ever. */
const MAX_LIST = 500;

export function textField(document: JsonObject, key: string): string | undefined {
  const value = document[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrong(key, "a string");
  return value;
}

export function requiredText(document: JsonObject, key: string): string {
  const value = textField(document, key);
  if (value === undefined || value === "") throw wrong(key, "a non-empty string");
  return value;
}

export function listField(document: JsonObject, key: string): string[] | undefined {
  const value = document[key];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > MAX_LIST) throw wrong(key, "a list of strings");
  return value.map((item: unknown) => {
    if (typeof item !== "string") throw wrong(key, "a list of strings");
    return item;
  });
}

export function flagField(document: JsonObject, key: string): boolean {
  const value = document[key];
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw wrong(key, "true or false");
  return value;
}

/** Seconds; some servers write numbers as strings. */
export function secondsField(document: JsonObject, key: string): number | undefined {
  const value = document[key];
  if (value === undefined || value === null) return undefined;
  const seconds = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds < 0) throw wrong(key, "a number of seconds");
  return seconds;
}

function wrong(key: string, expected: string): AuthorizationError {
  return new AuthorizationError("bad_document", `"${key}" must be ${expected}`);
}
