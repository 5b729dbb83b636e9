// A server's result on its way to the client: recorded as it came, in fewer tokens where that loses nothing, counted.
import { RawJson } from "@bosun/mcp/server";
import type { Call, JsonObject } from "@bosun/mcp/server";
import { spanAt } from "@bosun/platform/json";
import { blocksOf, callKey, DEFAULT_THRESHOLD, shownText } from "@bosun/shrink";
import type { Exact, FoldLevel, Shrinker, ToolDefinition, ToolResult } from "@bosun/shrink";
import type { FoldLevels } from "../fold-levels.ts";
import type { ServerItem } from "../merge/client-names.ts";
import { decodedOf, jsonOf } from "../messages/message-json.ts";
import type { Savings } from "../stats/savings.ts";
import type { BcpRendering } from "./bcp-rendering.ts";
import type { Recording } from "./recording.ts";
import { spliceResult } from "./splice-result.ts";

export type ResultOptions = {
  fold: FoldLevels;
  /** How sure we must be of what a text is: a result with a text that seems to be something, not as surely, passes unmodified. */
  minConfidence?: number;
  /** With `--render-mode`. */
  rendering?: BcpRendering;
  recording?: Recording;
  savings: Savings;
};

export type Receiver = { owner: string; shrinkerOf(level: FoldLevel): Shrinker };

export async function shrinkResult(
  given: JsonObject | RawJson,
  call: Call,
  { backend, name }: ServerItem,
  client: Receiver,
  { fold, rendering, recording, savings, minConfidence }: ResultOptions,
): Promise<RawJson> {
  const json = jsonOf(given);
  const result = decodedOf(given) as ToolResult;
  const exact = exactOf(json, result);
  recording?.add(name, result, exact.structured?.());
  if (minConfidence !== undefined && isDoubtful(result, minConfidence)) return new RawJson(json);
  const shrinker = client.shrinkerOf(fold.levelOf(backend.name, name));
  const folded = shrinker.shrink(result, exact, {
    key: callKey(String(call.params["name"]), call.params["arguments"]),
    isReadOnly: isReadOnly(backend.tools.get(name)),
  });
  const source = { result, json, toolName: name, client: client.owner };
  const shrunk = rendering ? await rendering.render(shrinker.originals, source, folded) : folded;
  savings.result(backend.name, name, result, shrunk);
  return shrunk.changed ? spliceResult(json, result, shrunk) : new RawJson(json);
}

function exactOf(json: string, { structuredContent }: ToolResult): Exact {
  if (structuredContent === undefined) return { json };
  const structured = (): string | undefined => {
    const span = spanAt(json, ["structuredContent"]);
    return span && json.slice(span.start, span.end);
  };
  return { json, structured };
}

function isDoubtful({ content }: ToolResult, minConfidence: number): boolean {
  if (minConfidence >= 1) return true; // nothing is ever as sure
  const texts = (Array.isArray(content) ? content : []).map((block) => shownText(block) ?? "");
  return texts.some((text) => isDetected(text, DEFAULT_THRESHOLD) && !isDetected(text, minConfidence));
}

function isDetected(text: string, threshold: number): boolean {
  return blocksOf(text, { toolName: "", threshold }).some(({ type }) => type !== "tool_result");
}

/** Then repeating the call changes nothing, and a mark may say so. */
function isReadOnly(tool: ToolDefinition | undefined): boolean {
  const annotations = tool?.["annotations"];
  return (
    typeof annotations === "object" &&
    annotations !== null &&
    "readOnlyHint" in annotations &&
    annotations.readOnlyHint === true
  );
}
