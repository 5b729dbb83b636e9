// A call of a tool: answered by the server that has it, or here where the tool is ours.
import { isObject, RawJson } from "@bosun/mcp/server";
import type { Call, Json, JsonObject } from "@bosun/mcp/server";
import type { Originals, ToolResult } from "@bosun/shrink";
import type { Client } from "../clients/client.ts";
import type { ProxyConfig } from "../proxy-config.ts";
import type { ServerItem } from "../merge/client-names.ts";
import { completeResult } from "../messages/eras.ts";
import { decodedOf } from "../messages/message-json.ts";
import { rewriteCall } from "../messages/rewrite-call.ts";
import { shrinkResult } from "../results/shrink-result.ts";
import type { ResultOptions } from "../results/shrink-result.ts";
import { argumentHeaders, checkArgumentHeaders } from "./argument-headers.ts";
import type { LocalTools } from "./local-tools.ts";
import { describeTool, READ_ORIGINAL, readOriginal } from "./proxy-tools.ts";

export type CallToolOptions = ResultOptions & {
  originals: Originals;
  toolList: ProxyConfig["toolList"];
  /** Tools of our own beside those of the servers. */
  local?: LocalTools;
};

/** Throws CallFailed for what the model can read, RpcError for what is wrong with the request. */
export async function callTool(client: Client, call: Call, options: CallToolOptions): Promise<JsonObject | RawJson> {
  const { originals, local, savings, toolList } = options;
  const isLazy = toolList === "lazy";
  const { arguments: args = {} } = call.params;
  const name = String(call.params["name"]);
  // Behind another proxy the server has such a tool too: then the handle says whose it is.
  if (name === READ_ORIGINAL.name && (!client.tools.has(name) || isOurs(originals, client.owner, args))) {
    const original = readOriginal(originals, client.owner, args);
    savings.retrieved(original as ToolResult);
    return completeResult(call, original);
  }
  if (isLazy && name === client.tools.describer.name)
    return completeResult(call, (await describeTool(client.tools.definitions(), args)) as JsonObject);
  if (local?.names.has(name)) return local.handle(call);
  const item = await client.tools.find(call);
  const answer = callServer(client, call, item, options);
  return isLazy ? client.fullSchemas.after(answer, call, item.backend.tools.get(item.name)) : answer;
}

async function callServer(
  client: Client,
  call: Call,
  item: ServerItem,
  options: CallToolOptions,
): Promise<JsonObject | RawJson> {
  const { backend } = item;
  const addressed = item.name === String(call.params["name"]) ? call : rewriteCall(call, ["name"], item.name);
  checkArgumentHeaders(backend.tools, addressed);
  const headers = backend.spec.kind === "url" ? argumentHeaders(backend.tools, addressed) : undefined;
  const given = await backend.request(addressed, headers);
  // What is fetched back from a proxy behind us is not shortened again.
  if (item.name === READ_ORIGINAL.name) return given;
  const result = decodedOf(given);
  client.noteTask(backend, result);
  // Questions and tasks are not results yet.
  if (result["resultType"] !== undefined && result["resultType"] !== "complete") return given;
  return shrinkResult(given, call, item, client, options);
}

function isOurs(originals: Originals, owner: string, args: Json): boolean {
  const handle = isObject(args) ? (args["id"] ?? args["handle"]) : undefined;
  return typeof handle === "string" && originals.read(owner, handle).ok;
}
