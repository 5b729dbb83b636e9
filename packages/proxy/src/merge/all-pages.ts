// A server's list as a whole: all its pages, within bounds.
import { isObject } from "@bosun/mcp/server";
import type { Call, JsonObject } from "@bosun/mcp/server";
import { parseExactly } from "@bosun/platform/json";
import type { Backend } from "../servers/backend.ts";
import { onBehalfOf } from "../messages/rewrite-call.ts";
import { jsonOf } from "../messages/message-json.ts";

const MAX_PAGES = 200;
const MAX_ITEMS = 20_000;

export type Listed = {
  /** The first page as it was sent: what else it says beside the list is passed on. */
  first: string;
  items: JsonObject[];
};

export async function allPages(
  backend: Backend,
  call: Call,
  method: string,
  member: string,
  signal: AbortSignal = call.signal,
): Promise<Listed> {
  const items: JsonObject[] = [];
  let first: string | undefined;
  let params: JsonObject = {};
  for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page++) {
    const text = jsonOf(await backend.request(onBehalfOf(call, method, params, signal)));
    first ??= text;
    const result = parseExactly(text) as JsonObject;
    const listed = result[member];
    if (Array.isArray(listed)) for (const item of listed) if (isObject(item)) items.push(item);
    const cursor = result["nextCursor"];
    if (typeof cursor !== "string" || cursor === params["cursor"]) break;
    params = { cursor };
  }
  return { first: first ?? "{}", items: items.slice(0, MAX_ITEMS) };
}
