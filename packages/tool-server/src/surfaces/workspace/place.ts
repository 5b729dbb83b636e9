// A path as the workspace tools take it (reference §3.2): relative, below the workspace, echoed in its normal form.
import { parseWorkspacePath, resolveInScope } from "@bosun/engine";
import type { ResolveOptions, ScopedPath } from "@bosun/engine";
import type { ToolCall } from "../../served-tool.ts";

export type WorkspacePlace = { readonly normal: string; readonly place: ScopedPath } & Disposable;

export function placeOf(call: ToolCall, requested: string, options: Omit<ResolveOptions, "base"> = {}): WorkspacePlace {
  const { normal, walk } = parseWorkspacePath(requested);
  const place = resolveInScope(call.bench.workspace, walk, options);
  return { normal, place, [Symbol.dispose]: () => place[Symbol.dispose]() };
}

/** An empty text is the root where the root is the default, and nowhere else (reference §3.2). */
export function orRoot(directory: string): string {
  return directory === "" ? "." : directory;
}
