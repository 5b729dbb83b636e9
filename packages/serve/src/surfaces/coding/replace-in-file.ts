// Replacing text in a file, for str_replace and the combined editor alike.
import { EngineError, replaceText } from "@bosun/engine";
import { text } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { ToolCall } from "../../calls/tool-definition.ts";
import { numberedLines } from "./numbered-lines.ts";

export type EditRequest = {
  readonly find: string;
  readonly replace: string;
  readonly all: boolean;
};

export async function editFile({ find, replace, all }: EditRequest, call: ToolCall): Promise<ToolResult> {
  // Before the scope: the order of checks is part of the contract.
  if (find === "") throw new EngineError("INVALID_INPUT", "old_str must not be empty", { reason: "empty" });
  const place = call.place();
  const { viewed } = call.session;
  const { config } = call.state;
  const { signal } = call.context;
  const done = await replaceText(place, {
    find,
    replace,
    all,
    maxBytes: config.maxFileBytes,
    signal,
    ...(config.requireView ? { guard: (fresh, file) => viewed.require(fresh, file, signal) } : {}),
  });
  viewed.note(place.path, done.fingerprint);
  if (all) return text(`Replaced ${done.replacements} occurrences in ${place.path}`);
  return text(`Replaced in ${place.path}\n\n${numberedLines(done.snippet)}`);
}
