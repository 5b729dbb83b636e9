// A path as the coding tools take it: relative to the session's directory, inside the scope.
import { resolveInScope } from "@bosun/engine";
import type { ResolveOptions, ScopedPath } from "@bosun/engine";
import type { ToolCall } from "../../served-tool.ts";

export function placeOf(call: ToolCall, requested: string, options: Omit<ResolveOptions, "base"> = {}): ScopedPath {
  return resolveInScope(call.bench.scope, requested, { ...options, base: call.session.cwd });
}
