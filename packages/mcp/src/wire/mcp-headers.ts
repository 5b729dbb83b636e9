// The HTTP headers that repeat what a 2026-07-28 message says, for gateways that do not read bodies.
import { encodeHeaderText } from "./header-text.ts";
import type { JsonObject } from "./json.ts";

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
