// Lists in pages. A cursor names the last item of the page before, so it survives changes of the list and cannot be
// mistaken for one of another list.
import type { Json, JsonObject } from "../wire/json-value.ts";
import { INVALID_PARAMS, RpcError } from "../wire/rpc-error.ts";

export type Page<T> = { items: readonly T[]; nextCursor?: string };

export function pageOf<T>(
  kind: string,
  items: readonly T[],
  nameOf: (item: T) => string,
  cursor: Json | undefined,
  pageSize: number,
): Page<T> {
  const start = cursor === undefined ? 0 : after(kind, items, nameOf, cursor);
  const page = items.slice(start, start + pageSize);
  const last = page.at(-1);
  const more = last !== undefined && start + pageSize < items.length;
  return more ? { items: page, nextCursor: encodeCursor(kind, nameOf(last)) } : { items: page };
}

export function withCursor(result: JsonObject, page: Page<unknown>): JsonObject {
  return page.nextCursor === undefined ? result : { ...result, nextCursor: page.nextCursor };
}

function after<T>(kind: string, items: readonly T[], nameOf: (item: T) => string, cursor: Json): number {
  const prefix = `${kind}\n`;
  const decoded = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
  const name = decoded.startsWith(prefix) ? decoded.slice(prefix.length) : undefined;
  const index = name === undefined ? -1 : items.findIndex((item) => nameOf(item) === name);
  if (index === -1 || cursor !== encodeCursor(kind, name ?? ""))
    throw new RpcError(INVALID_PARAMS, "unknown cursor: start the list again without one");
  return index + 1;
}

function encodeCursor(kind: string, name: string): string {
  return Buffer.from(`${kind}\n${name}`).toString("base64url");
}
