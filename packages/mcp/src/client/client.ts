// What a client does with a server: tools, resources, prompts, completions, changes.
import type { ToolResult } from "../wire/content.ts";
import { ClientSession } from "./client-session.ts";
import type { ClientOptions, OpenLink } from "./client-session.ts";
import type { CallOptions } from "./outgoing-requests.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { headerParams, mirroredHeaders } from "../wire/param-headers.ts";
import type { HeaderParam } from "../wire/param-headers.ts";
import { ResultCache } from "./result-cache.ts";
import { TASKS_EXTENSION } from "../wire/revisions.ts";
import { ConnectionError, HEADER_MISMATCH, RpcError } from "../wire/rpc-error.ts";
import { pollTask } from "./poll-task.ts";

/** A server that never stops paging is broken or hostile. */
const MAX_PAGES = 1000;
const MAX_ITEMS = 100_000;
/** Of one list, over all its pages. */
const MAX_LIST_CHARS = 64 * 1024 * 1024;

export type ToolDefinition = JsonObject & { name: string; inputSchema: JsonObject };
type ListKind = "tools" | "prompts" | "resources" | "resourceTemplates";

const LISTS: { [kind in ListKind]: { method: string; capability: string } } = {
  tools: { method: "tools/list", capability: "tools" },
  prompts: { method: "prompts/list", capability: "prompts" },
  resources: { method: "resources/list", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", capability: "resources" },
};

export class Client {
  readonly session: ClientSession;
  /** Tools that were left out of the list, and why. */
  readonly refusedTools = new Map<string, string>();
  private readonly cache: ResultCache;
  private readonly tools = new Map<string, ToolDefinition>();
  /** Which arguments a tool wants mirrored: walking its schema once is enough. */
  private readonly headers = new WeakMap<ToolDefinition, HeaderParam[]>();

  private constructor(session: ClientSession, cache: ResultCache) {
    this.session = session;
    this.cache = cache;
  }

  static async connect(open: OpenLink, options: ClientOptions): Promise<Client> {
    const cache = new ResultCache();
    const session = await ClientSession.connect(open, {
      ...options,
      onNotification(method, params) {
        forgetChanged(cache, method, params);
        options.onNotification?.(method, params);
      },
    });
    return new Client(session, cache);
  }

  get serverInfo(): JsonObject | undefined {
    return this.session.serverInfo;
  }
  get capabilities(): JsonObject {
    return this.session.capabilities;
  }
  get instructions(): string | undefined {
    return this.session.instructions;
  }
  get era(): "legacy" | "modern" {
    return this.session.era;
  }
  get revision(): string {
    return this.session.revision;
  }
  /** Aborted when the connection is gone. */
  get gone(): AbortSignal {
    return this.session.gone;
  }

  /** All tools. Over HTTP, tools whose `x-mcp-header` marks break the rules are left out: see `refusedTools`. */
  async listTools(options: CallOptions = {}): Promise<ToolDefinition[]> {
    const listed = (await this.list("tools", options)).filter(isTool);
    this.refusedTools.clear();
    const usable = this.mirrorsHeaders ? listed.filter((tool) => this.headersAreSound(tool)) : listed;
    this.tools.clear();
    for (const tool of usable) this.tools.set(tool.name, tool);
    return usable;
  }

  /** The whole list, page by page. */
  async list(kind: ListKind, options: CallOptions = {}): Promise<JsonObject[]> {
    const { method } = LISTS[kind];
    const items: JsonObject[] = [];
    let chars = 0;
    let cursor: Json | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.cached(method, params, options);
      const part = result[kind];
      if (Array.isArray(part)) for (const item of part) if (isObject(item)) items.push(item);
      if (items.length > MAX_ITEMS)
        throw new ConnectionError("invalid", `${method} listed more than ${MAX_ITEMS} items`);
      cursor = result["nextCursor"];
      // An empty string is a cursor like any other; only its absence ends the list.
      if (typeof cursor !== "string") return items;
      chars += JSON.stringify(result).length;
      if (chars > MAX_LIST_CHARS) throw new ConnectionError("invalid", `${method} listed more than fits in memory`);
    }
    throw new ConnectionError("invalid", `${method} did not end after ${MAX_PAGES} pages`);
  }

  async callTool(name: string, args: JsonObject = {}, options: CallOptions = {}): Promise<ToolResult & JsonObject> {
    try {
      return await this.callOnce(name, args, options);
    } catch (error) {
      // Our copy of the tool's schema was stale: look again, once.
      if (!(error instanceof RpcError) || error.code !== HEADER_MISMATCH) throw error;
      this.cache.forget("tools/list");
      await this.listTools();
      return this.callOnce(name, args, options);
    }
  }

  readResource(uri: string, options?: CallOptions): Promise<JsonObject> {
    return this.cached("resources/read", { uri }, options);
  }

  getPrompt(name: string, args: Record<string, string> = {}, options?: CallOptions): Promise<JsonObject> {
    return this.session.request("prompts/get", { name, arguments: args }, options);
  }

  /** Values that could follow what was typed; `given` are the arguments already chosen. */
  async complete(
    ref: JsonObject,
    argument: { name: string; value: string },
    { given, ...options }: CallOptions & { given?: Record<string, string> } = {},
  ): Promise<JsonObject> {
    const params = { ref, argument, ...(given === undefined ? {} : { context: { arguments: given } }) };
    const { completion } = await this.session.request("completion/complete", params, options);
    return isObject(completion) ? completion : { values: [] };
  }

  /** Is the server there? 2026-07-28 has no ping, but a method that every server answers. */
  async ping(options?: CallOptions): Promise<void> {
    await this.session.request(this.era === "legacy" ? "ping" : "server/discover", {}, options);
  }

  /** Our roots are others now. 2026-07-28 asks for them in each call and is not told. */
  async rootsChanged(): Promise<void> {
    if (this.era === "legacy") await this.session.notify("notifications/roots/list_changed");
  }

  setLogLevel(level: string): Promise<void> {
    return this.session.setLogLevel(level);
  }

  async subscribe(uri: string): Promise<void> {
    await this.session.request("resources/subscribe", { uri });
  }

  async unsubscribe(uri: string): Promise<void> {
    await this.session.request("resources/unsubscribe", { uri });
  }

  /**
   * 2026-07-28: subscribes to changes until the signal is aborted or the server ends it. They arrive as notifications.
   * Legacy servers send them without a subscription.
   */
  async listen(notifications: JsonObject, signal: AbortSignal): Promise<void> {
    const forever = { timeoutMs: Number.POSITIVE_INFINITY, maxTotalMs: Number.POSITIVE_INFINITY };
    try {
      await this.session.request("subscriptions/listen", { notifications }, { signal, ...forever });
    } catch (error) {
      // the caller has ended it: that is how listening ends
      if (!signal.aborted) throw error;
    }
  }

  close(): Promise<void> {
    return this.session.close();
  }

  private async callOnce(name: string, args: JsonObject, options: CallOptions): Promise<ToolResult & JsonObject> {
    const paramHeaders = this.mirrored(name, args);
    const params = { name, arguments: args };
    const result = await this.session.request("tools/call", params, { ...options, paramHeaders });
    const whole = result["resultType"] === "task" ? await pollTask(this.session, result, options) : result;
    if (!Array.isArray(whole["content"])) {
      if (whole["structuredContent"] === undefined) throw new ConnectionError("invalid", `${name} returned no content`);
      return { ...whole, content: [] };
    }
    return whole as ToolResult & JsonObject;
  }

  /** Headers that mirror arguments are of 2026-07-28, over HTTP. */
  private get mirrorsHeaders(): boolean {
    return this.session.http && this.era === "modern";
  }

  private mirrored(name: string, args: JsonObject): [string, string][] {
    const tool = this.tools.get(name);
    if (!tool || !this.mirrorsHeaders) return [];
    let params = this.headers.get(tool);
    if (!params) this.headers.set(tool, (params = headerParams(tool.inputSchema)));
    return mirroredHeaders(params, args);
  }

  private async cached(method: string, params: JsonObject, options?: CallOptions): Promise<JsonObject> {
    const known = this.cache.get(method, params);
    if (known) return known;
    const result = await this.session.request(method, params, options);
    if (this.session.keepable(result)) this.cache.keep(method, params, result);
    return result;
  }

  private headersAreSound(tool: ToolDefinition): boolean {
    try {
      headerParams(tool.inputSchema);
      return true;
    } catch (error) {
      // what is wrong with its marks is kept for whoever asks why the tool is missing
      this.refusedTools.set(tool.name, error instanceof Error ? error.message : String(error));
      return false;
    }
  }
}

function forgetChanged(cache: ResultCache, method: string, params: JsonObject): void {
  const changed = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
  if (changed !== undefined) cache.forget(`${changed}/`);
  if (method === "notifications/resources/updated") cache.forget("resources/read", params["uri"]);
}

/** The capability a client declares to be handed tasks (`callTool` then waits for their end). */
export const TASKS_CAPABILITY: JsonObject = { extensions: { [TASKS_EXTENSION]: {} } };

function isTool(item: JsonObject): item is ToolDefinition {
  return typeof item["name"] === "string" && isObject(item["inputSchema"]);
}
