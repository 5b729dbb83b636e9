// The HTTP headers that repeat what a 2026-07-28 message says, for gateways that do not read bodies: plain where a header
// can carry the value, wrapped in base64 where not.
import type { JsonObject } from "./json-value.ts";

/** The member of params that `Mcp-Name` repeats. */
const NAMED_BY: { [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

export function nameMember(method: string): string | undefined {
  return Object.hasOwn(NAMED_BY, method) ? NAMED_BY[method] : undefined;
}

export function standardHeaders(
  { method, params }: { method: string; params: JsonObject | undefined },
  revision: string,
): [string, string][] {
  const headers: [string, string][] = [
    ["mcp-protocol-version", revision],
    ["mcp-method", method],
  ];
  const member = nameMember(method);
  const name = member === undefined ? undefined : params?.[member];
  if (typeof name === "string") headers.push(["mcp-name", encodeHeaderText(name)]);
  return headers;
}

const OPEN = "=?base64?";
const CLOSE = "?=";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export function encodeHeaderText(value: string): string {
  if (value === "") return "";
  const looksWrapped = value.startsWith(OPEN) && value.endsWith(CLOSE);
  if (PLAIN.test(value) && !looksWrapped) return value;
  return `${OPEN}${Buffer.from(value, "utf8").toString("base64")}${CLOSE}`;
}

/** Undefined when the wrapping is there but what it wraps is not proper base64 of UTF-8. */
export function decodeHeaderText(header: string): string | undefined {
  const value = header.trim();
  if (!value.startsWith(OPEN) || !value.endsWith(CLOSE) || value.length < OPEN.length + CLOSE.length) return value;
  const encoded = value.slice(OPEN.length, -CLOSE.length);
  // Buffer.from and atob take what must be refused: check the alphabet and the padding first.
  if (!BASE64.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // base64 of something that is no UTF-8
    return undefined;
  }
}
