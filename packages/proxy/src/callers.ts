// Callers of 2026-07-28 over HTTP, who have no session: told apart by the token they send, if they do, and by the handle
// they asked for (`bosun/session`). Nobody checks the token here: it is something that only they hold.
import { createHash } from "node:crypto";
import { ANONYMOUS_OWNER } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";

/** The call under the name of its token. */
export function named(call: Call): Call {
  const token = call.owner === ANONYMOUS_OWNER ? call.header?.("authorization") : undefined;
  if (!token) return call;
  return { ...call, owner: `principal:${createHash("sha256").update(token).digest("base64url")}` };
}
