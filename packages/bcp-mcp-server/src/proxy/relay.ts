// The proxy as a service: which messages pass through, and which we answer or change on the way.
import { failure, INTERNAL_ERROR, isObject, RawJson, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, Service, Session } from "@bosun/mcp/server";
import { Deadline } from "@bosun/mcp/relay";
import { compressTools, Originals, Shrinker } from "@bosun/shrink";
import type { ToolCompression, ToolDefinition } from "@bosun/shrink";
import type { Log } from "../log.ts";
import { DownstreamGone } from "./downstream.ts";
import type { ServerSpec } from "./downstream.ts";
import { isModernRevision } from "./eras.ts";
import { checkMirrored, mirroredArguments } from "./mirrored-arguments.ts";
import { DESCRIBE_TOOL, describeTool, READ_ORIGINAL, readOriginal } from "./own-tools.ts";
import { rebuilt } from "./rebuilt.ts";
import type { Savings } from "./savings.ts";
import { Way } from "./way.ts";

export const ORIGINAL_URI = "bosun://original/";

export type RelayOptions = {
  server: ServerSpec;
  compressTools: ToolCompression;
  /** Tokens per text; what is left out can be fetched. */
  budget?: number;
  threshold?: number;
  /** Silence after which a call has failed; progress starts it anew. */
  timeoutMs: number;
  savings: Savings;
  log: Log;
};

/** One client: its ways to the server, what it has been told, and what it may ask back. */
type Client = {
  ways: Map<"legacy" | "modern", Way>;
  shrinker: Shrinker;
  tools: Map<string, ToolDefinition>;
};

export function createRelay(options: RelayOptions): Service & { close(): Promise<void> } {
  const originals = new Originals();
  const clients = new Map<string, Client>();

  function clientOf(owner: string): Client {
    let client = clients.get(owner);
    if (client) return client;
    const shrinker = new Shrinker({
      originals,
      client: owner,
      dropStructuredCopies: true,
      // Callers that share a name have not all seen the same earlier results.
      repeats: owner !== "anonymous",
      ...(options.budget === undefined ? {} : { budget: options.budget }),
      ...(options.threshold === undefined ? {} : { threshold: options.threshold }),
    });
    clients.set(owner, (client = { ways: new Map(), shrinker, tools: new Map() }));
    return client;
  }

  function wayOf(client: Client, call: Call): Way {
    const era = isModernRevision(call.revision) ? "modern" : "legacy";
    let way = client.ways.get(era);
    if (!way) client.ways.set(era, (way = new Way(options.server, options.log)));
    return way;
  }

  async function pass(client: Client, call: Call, headers?: [string, string][]): Promise<JsonObject | RawJson> {
    const way = wayOf(client, call);
    if (call.method === "subscriptions/listen") return way.handle(call, headers);
    const deadline = new Deadline(options.timeoutMs, Number.MAX_SAFE_INTEGER, call.signal);
    const watched: Call = {
      ...call,
      signal: deadline.signal,
      notify(method, params) {
        deadline.touch();
        call.notify(method, params);
      },
    };
    try {
      return await way.handle(watched, headers);
    } catch (error) {
      if (deadline.expired !== undefined) throw new DownstreamGone(`${way.name}: ${deadline.expired}`);
      throw error;
    } finally {
      deadline.over();
    }
  }

  async function listTools(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const passed = textOf(await pass(client, call));
    const result = JSON.parse(passed) as JsonObject;
    const listed = Array.isArray(result["tools"]) ? result["tools"].filter(isTool) : [];
    for (const tool of listed) client.tools.set(tool.name, tool);
    const stripped = listed.map(promisingNothing);
    const shorter = compressTools(stripped, options.compressTools);
    const last = result["nextCursor"] === undefined;
    options.savings.tools(options.server.name, listed, shorter);
    return rebuilt(passed, [], { tools: [...shorter, ...(last ? ownTools(client) : [])] as Json[] });
  }

  function ownTools(client: Client): ToolDefinition[] {
    const ours = options.compressTools === "off" ? [READ_ORIGINAL] : [READ_ORIGINAL, DESCRIBE_TOOL];
    // A tool of the server's goes first: names are never merged.
    return ours.filter(({ name }) => !client.tools.has(name));
  }

  async function callTool(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const { name, arguments: args = {} } = call.params;
    if (name === READ_ORIGINAL.name && !client.tools.has(name)) {
      options.savings.retrieved(options.server.name);
      return own(call, readOriginal(originals, call.owner, args));
    }
    if (name === DESCRIBE_TOOL.name && !client.tools.has(name))
      return own(call, describeTool(client.tools, args) as JsonObject);
    checkMirrored(client.tools, call);
    const passed = textOf(
      await pass(client, call, wayOf(client, call).http ? mirroredArguments(client.tools, call) : undefined),
    );
    const result = JSON.parse(passed) as JsonObject;
    // Questions and tasks are not results yet.
    if (result["resultType"] !== undefined && result["resultType"] !== "complete") return new RawJson(passed);
    const shrunk = client.shrinker.shrink(result as Parameters<Shrinker["shrink"]>[0]);
    options.savings.result(options.server.name, String(name), shrunk);
    if (!shrunk.changed) return new RawJson(passed);
    const { content, _meta } = shrunk.result;
    const put: { [member: string]: Json } = { content: content as Json, ...(_meta ? { _meta: _meta as Json } : {}) };
    return rebuilt(passed, shrunk.droppedStructured ? ["structuredContent"] : [], put);
  }

  function readResource(client: Client, call: Call): Promise<JsonObject | RawJson> | JsonObject {
    const { uri } = call.params;
    if (typeof uri !== "string" || !uri.startsWith(ORIGINAL_URI)) return pass(client, call);
    const read = originals.read(call.owner, uri.slice(ORIGINAL_URI.length));
    if (!read.ok) throw new RpcError(isModernRevision(call.revision) ? -32602 : -32002, read.reason, { uri });
    options.savings.retrieved(options.server.name);
    const contents = [{ uri, mimeType: "application/json", text: JSON.stringify(read.result) }];
    return own(call, { contents, ...(isModernRevision(call.revision) ? { ttlMs: 0, cacheScope: "private" } : {}) });
  }

  async function handle(call: Call): Promise<JsonObject | RawJson> {
    const client = clientOf(call.owner);
    try {
      switch (call.method) {
        case "tools/list":
          return await listTools(client, call);
        case "tools/call":
          return await callTool(client, call);
        case "resources/read":
          return await readResource(client, call);
        case "initialize":
          return JSON.parse(textOf(await pass(client, call))) as JsonObject;
        default:
          return await pass(client, call);
      }
    } catch (error) {
      if (!(error instanceof DownstreamGone)) throw error;
      options.log("warn", error.message);
      // The model can read why its call failed; other methods fail as methods do.
      if (call.method === "tools/call") return own(call, failure(error.message) as JsonObject);
      throw new RpcError(INTERNAL_ERROR, error.message);
    }
  }

  return {
    handle,
    opened(session: Session) {
      clients.get(session.id)?.ways.get("legacy")?.opened(session);
    },
    notified(method, params, session) {
      if (session) clients.get(session.id)?.ways.get("legacy")?.fromClient(method, params);
    },
    ended(owner) {
      const client = clients.get(owner);
      clients.delete(owner);
      originals.forget(owner);
      for (const way of client?.ways.values() ?? []) void way.close();
    },
    async close() {
      const ways = [...clients.values()].flatMap((client) => [...client.ways.values()]);
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

function own(call: Call, result: JsonObject): JsonObject {
  return isModernRevision(call.revision) ? { resultType: "complete", ...result } : result;
}

function textOf(result: JsonObject | RawJson): string {
  return result instanceof RawJson ? result.text : JSON.stringify(result);
}

function isTool(value: Json): value is JsonObject & ToolDefinition {
  return isObject(value) && typeof value["name"] === "string";
}

/** Structured content that repeats the text is dropped, so it must not be promised: a validating client would refuse. */
function promisingNothing({ outputSchema: _, name, ...tool }: ToolDefinition): ToolDefinition {
  return { name, ...tool };
}
