// A server's result on its way to the client: recorded as it came, in fewer tokens where that loses nothing, counted.
import { RawJson } from "@bosun/mcp/server";
import type { Call, JsonObject } from "@bosun/mcp/server";
import { spanAt } from "@bosun/platform/json";
import { callKey } from "@bosun/shrink";
import type { Exact, Shrinker, ToolResult } from "@bosun/shrink";
import type { ServerItem } from "../merge/client-names.ts";
import { decodedOf, jsonOf } from "../messages/message-json.ts";
import type { Savings } from "../stats/savings.ts";
import type { BcpRendering } from "./bcp-rendering.ts";
import type { Recording } from "./recording.ts";
import { spliceResult } from "./splice-result.ts";

export type ResultOptions = {
  /** Nothing is changed. */
  passResults?: boolean;
  /** With `--render-mode`. */
  rendering?: BcpRendering;
  recording?: Recording;
  savings: Savings;
};

export type Receiver = { owner: string; shrinker: Shrinker };

export async function shrinkResult(
  given: JsonObject | RawJson,
  call: Call,
  { backend, name }: ServerItem,
  { owner, shrinker }: Receiver,
  { rendering, recording, savings, passResults = false }: ResultOptions,
): Promise<RawJson> {
  const json = jsonOf(given);
  const result = decodedOf(given) as ToolResult;
  const exact = exactOf(json, result);
  recording?.add(name, result, exact.structured?.());
  if (passResults) return new RawJson(json);
  const folded = shrinker.shrink(result, exact, {
    key: callKey(String(call.params["name"]), call.params["arguments"]),
  });
  const source = { result, json, toolName: name, client: owner };
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
