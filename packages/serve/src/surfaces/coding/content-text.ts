// Content search as text, for both spellings of the grep tool's parameters.
import { EngineError, formatGrepLine, grep } from "@bosun/engine";
import type { GrepMode, GrepResult } from "@bosun/engine";
import { text } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { ToolCall } from "../../calls/tool-definition.ts";
import { coded } from "./coding-failures.ts";

export const MODES: readonly GrepMode[] = ["content", "files_with_matches", "count"];
const MAX_CHARS = 30_000;
const MAX_LINE_CHARS = 2000;
const TIMEOUT_MS = 60_000;

export type SearchRequest = {
  readonly pattern: string;
  readonly include?: string | undefined;
  readonly type?: string | undefined;
  readonly mode: string;
  readonly caseInsensitive: boolean;
  readonly lineNumbers: boolean;
  readonly multiline: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly context?: number | undefined;
};

export async function searchContent(request: SearchRequest, call: ToolCall): Promise<ToolResult> {
  if (request.pattern === "") throw new EngineError("INVALID_INPUT", "pattern must not be empty");
  const mode = request.mode === "" ? "files_with_matches" : MODES.find((known) => known === request.mode);
  if (mode === undefined) {
    const said = `invalid output_mode ${JSON.stringify(request.mode)}; valid values: ${MODES.join(", ")}`;
    return coded("GREP_INVALID_OUTPUT_MODE", said);
  }
  const { lineNumbers } = request;
  const result = await grep(call.place(), {
    pattern: request.pattern,
    mode,
    ...(request.include === undefined ? {} : { include: request.include }),
    ...(request.type === undefined ? {} : { type: request.type }),
    caseInsensitive: request.caseInsensitive,
    multiline: request.multiline,
    before: atLeastZero(request.before ?? request.context ?? 0),
    after: atLeastZero(request.after ?? request.context ?? 0),
    lineNumbers,
    offset: atLeastZero(request.offset),
    limit: atLeastZero(request.limit),
    maxChars: MAX_CHARS,
    maxLineChars: MAX_LINE_CHARS,
    maxFileBytes: call.state.config.maxFileBytes,
    timeoutMs: TIMEOUT_MS,
    signal: call.context.signal,
  });
  return text(`${linesOf(result, lineNumbers).join("\n")}${noticesOf(result)}`);
}

function linesOf(result: GrepResult, lineNumbers: boolean): readonly string[] {
  switch (result.mode) {
    case "content":
      return result.lines.map((line) => formatGrepLine(line, lineNumbers));
    case "count":
      return result.counts.map(({ path, lines }) => `${path}:${lines}`);
    case "files_with_matches":
      return result.paths;
  }
}

function noticesOf(result: GrepResult): string {
  const paging = result.cutByChars
    ? `\n\n[Truncated: more than ${MAX_CHARS} characters. Continue with offset ${result.nextOffset}.]`
    : "";
  if (result.ended === undefined) return paging;
  const why =
    result.ended === "timeout" ? `the search took longer than ${result.timeoutMs / 1000} s` : "it was cancelled";
  return `${paging}\n\n[Incomplete: ${why}. Narrow it with path, include or type.]`;
}

function atLeastZero(value: number): number {
  return Math.max(0, value);
}
