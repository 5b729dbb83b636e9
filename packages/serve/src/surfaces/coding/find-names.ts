// Names by pattern as text, for both forms of the glob tool.
import { EngineError, glob } from "@bosun/engine";
import { text } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { ToolCall } from "../../calls/tool-definition.ts";
import { coded } from "./coding-failures.ts";

export const TYPES = ["file", "directory"] as const;
const MAX_CHARS = 30_000;
const TIMEOUT_MS = 60_000;

export type NamesRequest = {
  readonly pattern: string;
  readonly type?: string | undefined;
};

export async function findNames({ pattern, type }: NamesRequest, call: ToolCall): Promise<ToolResult> {
  if (pattern === "") throw new EngineError("INVALID_INPUT", "pattern must not be empty");
  const wanted = TYPES.find((known) => known === type);
  if (type !== undefined && wanted === undefined) {
    return coded("GLOB_INVALID_TYPE", `invalid type ${JSON.stringify(type)}; valid values: ${TYPES.join(", ")}`);
  }
  const found = await search(pattern, wanted, call);
  const timedOut = found.ended === "timeout" ? "\n... search stopped after 60 s; narrow the pattern or path" : "";
  const unfiltered = found.rulesGivenUp
    ? "\n... the .gitignore rules here take too long to apply; ignored files may be listed"
    : "";
  if (found.paths.length === 0) return text(`No files found${timedOut}${unfiltered}`);
  const shown = wholeLines(found.paths);
  const cut = shown.length < found.total ? "\n... output truncated (exceeded 30,000 characters)" : "";
  return text(`${shown.join("\n")}${cut}${timedOut}${unfiltered}`);
}

async function search(pattern: string, type: (typeof TYPES)[number] | undefined, call: ToolCall) {
  try {
    return await glob(call.place(), {
      pattern,
      ...(type === undefined ? {} : { type }),
      maxResults: MAX_CHARS, // a name and its newline have two characters at least
      timeoutMs: TIMEOUT_MS,
      signal: call.context.signal,
    });
  } catch (error) {
    // A missing directory holds nothing; only policy refuses the root.
    const nothing = error instanceof EngineError && (error.code === "NOT_FOUND" || error.code === "NOT_DIRECTORY");
    if (!nothing) throw error;
    return { paths: [], total: 0, ended: undefined, rulesGivenUp: false };
  }
}

function wholeLines(paths: readonly string[]): readonly string[] {
  let chars = -1; // the last line has no newline
  const end = paths.findIndex((path) => {
    chars += path.length + 1;
    return chars > MAX_CHARS;
  });
  return end < 0 ? paths : paths.slice(0, Math.max(1, end));
}
