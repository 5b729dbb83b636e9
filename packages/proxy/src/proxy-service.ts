// Each request of a client: answered here, or passed to a server and changed on the way back. Errors of a call become
// results in one place, at the end of `answer`.
import { failure, INTERNAL_ERROR, RawJson, RpcError, withHandle, withState } from "@bosun/mcp/server";
import type { Call, JsonObject, Service, Session } from "@bosun/mcp/server";
import type { Originals } from "@bosun/shrink";
import { Clients, withTokenOwner } from "./clients/clients.ts";
import type { Client, ClientOptions } from "./clients/client.ts";
import { announceToolChanges } from "./merge/merged-greeting.ts";
import { completeResult, isModernRevision, uncachedResult } from "./messages/eras.ts";
import { exactObject, jsonOf } from "./messages/message-json.ts";
import type { ResultOptions } from "./results/shrink-result.ts";
import { CallFailed, ServerGone } from "./servers/call-failed.ts";
import { callTool } from "./tools/call-tool.ts";
import { revealInGreeting, revealInList } from "./tools/reveal-hidden-text.ts";

export const ORIGINAL_URI = "bosun://original/";

/** Where something was answered, the next call is not far. */
const BUSY_MS = 100;

export type ProxyOptions = ClientOptions &
  ResultOptions & {
    originals: Originals;
    /** Each has servers of its own. */
    maxClients?: number;
    /** Called once: a client has been told the tools, and a model reads them. */
    listed?: () => void;
  };

export type ProxyService = Service & {
  /** Calls are running, or something was answered a moment ago. */
  isBusy(): boolean;
  close(): Promise<void>;
};

export function createProxyService(options: ProxyOptions): ProxyService {
  const { savings, log, pins } = options;
  const clients = new Clients(options, options.maxClients);
  const { originals } = options;
  let { listed } = options;
  let running = 0;
  let lastAnswer = 0;

  async function handle(given: Call): Promise<JsonObject | RawJson> {
    const { call, handle: session } = withState(withTokenOwner(given), (owner) => clients.has(owner));
    const client = clients.of(call);
    client.running++;
    // A subscription runs as long as its client listens.
    const isWork = call.method !== "subscriptions/listen";
    if (isWork) running++;
    try {
      const result = await answer(client, call);
      return session === undefined ? result : withHandle(exactObject(result), session);
    } catch (error) {
      if (session !== undefined) clients.end(call.owner); // it will never hear the name of what it asked for
      throw error;
    } finally {
      if (isWork) running--;
      client.running--;
      client.lastUsed = Date.now();
      lastAnswer = Date.now();
    }
  }

  async function answer(client: Client, call: Call): Promise<JsonObject | RawJson> {
    try {
      switch (call.method) {
        case "tools/list":
          return await listTools(client, call);
        case "tools/call":
          return await callTool(client, call, options);
        case "resources/read":
          return await readResource(client, call);
        case "initialize":
        case "server/discover":
          return await greet(client, call);
        case "subscriptions/listen":
          client.toolsChanged.subscribe(call);
          return await client.request(call);
        case "prompts/list":
        case "resources/list":
        case "resources/templates/list":
          return new RawJson(await revealInList(call.method, jsonOf(await client.request(call)), logLeftOut));
        default:
          return await client.request(call);
      }
    } catch (error) {
      // The one place where an error of a call becomes a result.
      if (!(error instanceof CallFailed)) throw error;
      if (error instanceof ServerGone) log("warn", error.message);
      // The model can read why its call failed; other methods fail as methods do.
      if (call.method === "tools/call") return completeResult(call, failure(error.message) as JsonObject);
      throw new RpcError(INTERNAL_ERROR, error.message);
    }
  }

  async function listTools(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const list = await client.tools.list(call);
    listed?.();
    listed = undefined;
    return list;
  }

  async function readResource(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const { uri } = call.params;
    if (typeof uri !== "string" || !uri.startsWith(ORIGINAL_URI)) return client.request(call);
    const read = originals.read(client.owner, uri.slice(ORIGINAL_URI.length));
    if (!read.ok) throw new RpcError(isModernRevision(call.revision) ? -32602 : -32002, read.reason, { uri });
    savings.retrieved(read.result);
    const text = read.json ?? JSON.stringify(read.result);
    return uncachedResult(call, { contents: [{ uri, mimeType: "application/json", text }] });
  }

  async function greet(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const shown = await revealInGreeting(jsonOf(await client.request(call)));
    const greeting = new RawJson(pins ? announceToolChanges(shown) : shown);
    // The connection reads the revision that was agreed on.
    return call.method === "initialize" ? exactObject(greeting) : greeting;
  }

  const logLeftOut = (name: string, why: string): void => log("warn", `${name} is left out of a list: ${why}`);

  return {
    handle,
    opened: (session: Session) => clients.get(session.id)?.opened(session),
    notified: (message, session) => session && clients.get(session.id)?.notified(message),
    ended: (owner) => clients.end(owner),
    isBusy: () => running > 0 || Date.now() - lastAnswer < BUSY_MS,
    close: () => clients.close(),
  };
}
