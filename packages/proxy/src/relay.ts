// The proxy as a service: which messages pass through, and which we answer or change on the way.
import {
  failure,
  INTERNAL_ERROR,
  isObject,
  isShared,
  TooManyClients,
  RawJson,
  RpcError,
  withHandle,
  withState,
} from "@bosun/mcp/server";
import type { Call, Json, JsonObject, Service, Session } from "@bosun/mcp/server";
import { parseExactly, spanAt } from "@bosun/mcp/relay";
import { callName, Originals, Shrinker } from "@bosun/shrink";
import type { Exact, ToolCompression, ToolResult } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import { Backend } from "./backend.ts";
import type { ServerSpec } from "./downstream.ts";
import { DownstreamGone } from "./downstream-gone.ts";
import { emittedResult } from "./emitted-result.ts";
import { isModernRevision } from "./eras.ts";
import type { LocalTools } from "./local-tools.ts";
import { IdleCollection } from "./idle-collection.ts";
import { named } from "./callers.ts";
import { announcingTools } from "./merged-greeting.ts";
import { checkMirrored, mirroredArguments } from "./mirrored-arguments.ts";
import { greetingWithNothingHidden, listWithNothingHidden } from "./nothing-hidden.ts";
import { describeTool, READ_ORIGINAL, readOriginal } from "./own-tools.ts";
import type { PinWatch } from "./pin-watch.ts";
import { Places } from "./places.ts";
import { readdressed } from "./readdressed.ts";
import { decodedOf, textOf } from "./rebuilt.ts";
import type { Recording } from "./recording.ts";
import type { RenderedBlocks } from "./rendered-blocks.ts";
import type { Room } from "./room.ts";
import type { Savings } from "./savings.ts";
import { SeveralServers } from "./several-servers.ts";
import { ToolCatalogue } from "./tool-catalogue.ts";
import { ToolNews } from "./tool-news.ts";

export const ORIGINAL_URI = "bosun://original/";

/** As long as sessions over HTTP may be silent. */
const CALLER_IDLE_MS = 30 * 60 * 1000;
/** Where something was answered, the next call is not far. */
const BUSY_MS = 100;

export type RelayOptions = {
  servers: readonly ServerSpec[];
  /** Every tool as `alias__tool`, not only those whose names collide. */
  namespace: boolean;
  compressTools: ToolCompression;
  /** Tokens per text; what is left out can be fetched. */
  budget?: number;
  threshold?: number;
  /** Silence after which a call has failed; progress starts it anew. */
  timeoutMs: number;
  /** Absent with `--pins off`. */
  pins?: PinWatch;
  /** Each has servers of its own. */
  maxClients?: number;
  /** With `--emit bcp`. */
  rendered?: RenderedBlocks;
  recording?: Recording;
  /** Tools of our own beside those of the servers. */
  local?: LocalTools;
  savings: Savings;
  log: Log;
  /** For what servers say to the one client there is. */
  room?: Room;
  /** Called once each: when the first client has come, and when one has been told the tools and a model reads them. */
  arrived?: () => void;
  listed?: () => void;
};

/** One client: its servers, what it has been told, and what it may ask back. */
type Client = {
  backends: readonly Backend[];
  /** Absent where there is only one and nothing has to be told apart. */
  several: SeveralServers | undefined;
  tools: ToolCatalogue;
  news: ToolNews;
  shrinker: Shrinker;
  /** Gives its place back. */
  release(): void;
  /** It came over HTTP without a session: nothing tells when it has gone. */
  isCaller: boolean;
  running: number;
  lastUsed: number;
};

export type Relay = Service & {
  /** Calls are running, or something was answered a moment ago. Who waits for a server to start waits for nothing of ours. */
  isBusy(): boolean;
  close(): Promise<void>;
};

export function createRelay(options: RelayOptions): Relay {
  const { servers, namespace, savings, log } = options;
  const originals = new Originals();
  const clients = new Map<string, Client>();
  const places = new Places(options.maxClients ?? Infinity);
  const closing = new Set<Promise<void>>();
  let { arrived, listed } = options;
  let running = 0;
  const collection = new IdleCollection(() => running > 0);
  let lastAnswer = 0;
  const sweeper = setInterval(endIdle, CALLER_IDLE_MS / 10);
  sweeper.unref?.();

  function clientOf({ owner, header }: Call): Client {
    let client = clients.get(owner);
    if (client) return client;
    const release = isShared(owner)
      ? () => {}
      : (places.take() ?? (endLongestIdleCaller() ? places.take() : undefined));
    if (!release) throw new TooManyClients();
    const shrinker = new Shrinker({
      originals,
      client: owner,
      dropStructuredCopies: true,
      // Callers that share a name have not all seen the same earlier results.
      ...(isShared(owner) ? { repeats: false } : {}),
      ...(options.budget === undefined ? {} : { budget: options.budget }),
      ...(options.threshold === undefined ? {} : { threshold: options.threshold }),
    });
    const backends = servers.map((spec) => new Backend(spec, { ...options, places }));
    const several = servers.length > 1 || namespace ? new SeveralServers(backends, namespace, log) : undefined;
    const news = new ToolNews();
    const changed = (): void => news.tell();
    const tools = new ToolCatalogue(backends, { ...options, pins: options.pins, local: options.local, changed });
    const isCaller = header !== undefined;
    client = { backends, several, tools, news, shrinker, release, isCaller, running: 0, lastUsed: Date.now() };
    clients.set(owner, client);
    savings.session(servers);
    arrived?.();
    arrived = undefined;
    return client;
  }

  /** Sessions and connections end with their carrier; callers without either are gone when they do not come back. */
  function endIdle(): void {
    for (const [owner, { isCaller, running, lastUsed }] of clients)
      if (isCaller && running === 0 && Date.now() - lastUsed > CALLER_IDLE_MS) end(owner);
  }

  function endLongestIdleCaller(): boolean {
    let longest: [owner: string, lastUsed: number] | undefined;
    for (const [owner, { isCaller, running, lastUsed }] of clients)
      if (isCaller && running === 0 && lastUsed < (longest?.[1] ?? Infinity)) longest = [owner, lastUsed];
    if (longest) end(longest[0]);
    return longest !== undefined;
  }

  function end(owner: string): void {
    const client = clients.get(owner);
    client?.release();
    clients.delete(owner);
    originals.forget(owner);
    client?.tools.close();
    for (const backend of client?.backends ?? []) {
      const closed = backend.close();
      closing.add(closed);
      void closed.finally(() => closing.delete(closed));
    }
  }

  function pass(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const [only] = client.backends;
    if (client.several) return client.several.handle(call);
    if (!only) throw new RpcError(INTERNAL_ERROR, "there is no server");
    return only.handle(call);
  }

  async function greeting(client: Client, call: Call): Promise<string> {
    const shown = await greetingWithNothingHidden(textOf(await pass(client, call)));
    return options.pins ? announcingTools(shown) : shown;
  }

  async function callTool(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const { name, arguments: args = {} } = call.params;
    // Behind another proxy the server has such a tool too: then the handle says whose it is.
    if (name === READ_ORIGINAL.name && (!client.tools.has(name) || isOurs(call.owner, args))) {
      const { found, result } = readOriginal(originals, call.owner, args);
      if (found) savings.retrieved(result as ToolResult);
      return own(call, result);
    }
    if (name === client.tools.describer.name)
      return own(call, (await describeTool(client.tools.definitions(), args)) as JsonObject);
    if (options.local?.has(name) && !client.tools.has(String(name))) return options.local.handle(call);
    const found = await client.tools.find(call);
    const { backend, refused } = found;
    if (refused !== undefined) return own(call, failure(refused) as JsonObject);
    const addressed = found.name === String(name) ? call : readdressed(call, ["name"], found.name);
    checkMirrored(backend.tools, addressed);
    const passed = await backend.handle(
      addressed,
      backend.http ? mirroredArguments(backend.tools, addressed) : undefined,
    );
    // What is fetched back from a proxy behind us is not shortened again.
    if (found.name === READ_ORIGINAL.name) return passed;
    return emitted(client, call, found, textOf(passed), decodedOf(passed));
  }

  function isOurs(owner: string, args: Json): boolean {
    const handle = isObject(args) ? args["handle"] : undefined;
    return typeof handle === "string" && originals.read(owner, handle).ok;
  }

  async function emitted(
    client: Client,
    call: Call,
    { backend, name }: { backend: Backend; name: string },
    passed: string,
    result: JsonObject,
  ): Promise<RawJson> {
    client.several?.tasks.note(backend, result);
    // Questions and tasks are not results yet.
    if (result["resultType"] !== undefined && result["resultType"] !== "complete") return new RawJson(passed);
    const given = result as ToolResult;
    const exact = exactly(passed, given);
    options.recording?.add(name, given, exact.structured?.());
    const calledAs = callName(String(call.params["name"]), call.params["arguments"]);
    const folded = client.shrinker.shrink(given, exact, calledAs);
    const shrunk = options.rendered
      ? await options.rendered.render(
          originals,
          { result: given, json: passed, toolName: name, client: call.owner },
          folded,
        )
      : folded;
    savings.result(backend.name, name, given, shrunk);
    collection.after(passed.length);
    return shrunk.changed ? emittedResult(passed, given, shrunk) : new RawJson(passed);
  }

  async function listTools(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const list = await client.tools.list(call);
    listed?.();
    listed = undefined;
    return list;
  }

  const leftOut = (name: string, why: string): void => log("warn", `${name} is left out of a list: ${why}`);

  function readResource(client: Client, call: Call): Promise<JsonObject | RawJson> | JsonObject {
    const { uri } = call.params;
    if (typeof uri !== "string" || !uri.startsWith(ORIGINAL_URI)) return pass(client, call);
    const read = originals.read(call.owner, uri.slice(ORIGINAL_URI.length));
    if (!read.ok) throw new RpcError(isModernRevision(call.revision) ? -32602 : -32002, read.reason, { uri });
    savings.retrieved(read.result);
    const contents = [{ uri, mimeType: "application/json", text: read.json ?? JSON.stringify(read.result) }];
    return own(call, { contents, ...(isModernRevision(call.revision) ? { ttlMs: 0, cacheScope: "private" } : {}) });
  }

  async function handle(given: Call): Promise<JsonObject | RawJson> {
    const { call, handle: session } = withState(named(given), (owner) => clients.has(owner));
    const client = clientOf(call);
    client.running++;
    try {
      const result = await answer(client, call);
      if (session === undefined) return result;
      return withHandle(parseExactly(textOf(result)) as JsonObject, session);
    } catch (error) {
      if (session !== undefined) end(call.owner); // it will never hear the name of what it asked for
      throw error;
    } finally {
      client.running--;
      client.lastUsed = Date.now();
    }
  }

  async function answer(client: Client, call: Call): Promise<JsonObject | RawJson> {
    const isRunning = call.method === "tools/call" || call.method === "tools/list";
    if (isRunning) running++;
    try {
      switch (call.method) {
        case "tools/list":
          return await listTools(client, call);
        case "tools/call":
          return await callTool(client, call);
        case "resources/read":
          return await readResource(client, call);
        case "initialize":
          return parseExactly(await greeting(client, call)) as JsonObject;
        case "server/discover":
          return new RawJson(await greeting(client, call));
        case "subscriptions/listen":
          client.news.listens(call);
          return await pass(client, call);
        case "prompts/list":
        case "resources/list":
        case "resources/templates/list":
          return new RawJson(await listWithNothingHidden(call.method, textOf(await pass(client, call)), leftOut));
        default:
          return await pass(client, call);
      }
    } catch (error) {
      if (!(error instanceof DownstreamGone)) throw error;
      log("warn", error.message);
      // The model can read why its call failed; other methods fail as methods do.
      if (call.method === "tools/call") return own(call, failure(error.message) as JsonObject);
      throw new RpcError(INTERNAL_ERROR, error.message);
    } finally {
      if (isRunning) running--;
      lastAnswer = Date.now();
    }
  }

  return {
    handle,
    opened(session: Session) {
      const client = clients.get(session.id);
      client?.news.opened(session);
      if (client?.several) client.several.opened(session);
      else client?.backends[0]?.opened(session);
    },
    notified(message, session) {
      for (const backend of (session && clients.get(session.id)?.backends) ?? []) backend.fromClient(message);
    },
    ended: end,
    isBusy: () => running > 0 || Date.now() - lastAnswer < BUSY_MS,
    async close() {
      clearInterval(sweeper);
      const backends = [...clients.values()].flatMap((client) => client.backends);
      await Promise.all([...closing, ...backends.map((backend) => backend.close())]);
    },
  };
}

function exactly(passed: string, given: ToolResult): Exact {
  if (given.structuredContent === undefined) return { json: passed };
  const structured = (): string | undefined => {
    const span = spanAt(passed, ["structuredContent"]);
    return span && passed.slice(span.start, span.end);
  };
  return { json: passed, structured };
}

function own(call: Call, result: JsonObject): JsonObject {
  return isModernRevision(call.revision) ? { resultType: "complete", ...result } : result;
}
