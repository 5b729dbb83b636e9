// One server through its life: connecting, ready, failed, gone and back; its tools; its calls.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { ConnectionError, isObject, RpcError } from "@bosun/mcp";
import type { CallOptions, Client, ElicitAnswer, HttpFetch, JsonObject, Progress } from "@bosun/mcp";
import { listPromptsAndResources } from "./prompts-and-resources.ts";
import type { ServerPrompt, ServerResource } from "./prompts-and-resources.ts";
import { readTools } from "../tools/tool-info.ts";
import type { ToolInfo } from "../tools/tool-info.ts";
import { endOfError } from "./call-end.ts";
import type { CallEnd } from "./call-end.ts";
import { RecentLog } from "./recent-log.ts";
import { openClient } from "./open-client.ts";
import type { EraStore, OpenContext } from "./open-client.ts";
import { whyNotConnected, ServerProcess } from "./connect-failure.ts";
import { LateResults } from "./late-results.ts";
import { identityOf, listHas, secretsIn } from "./server-config.ts";
import type { ServerConfig } from "./server-config.ts";

const RELIST_MS = 1000;
const RESTART_MS = 1000;

export type ServerState = "off" | "connecting" | "ready" | "failed";

export type ServerContext = Omit<OpenContext, "onStderr" | "onExit" | "onWarning" | "onLate" | "authorizedFetch"> & {
  version: string;
  eras: EraStore;
  say: (text: string) => void;
  /** A token or the like is in use: nothing may show it. */
  onSecret: (secret: string) => void;
  /** Tools came, went or changed. */
  onTools: (server: Server, before: readonly ToolInfo[] | undefined) => void;
  elicit?: (alias: string, params: JsonObject, signal: AbortSignal) => Promise<ElicitAnswer>;
  /** An answer of our model, after a yes. */
  sample?: (alias: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** There is a person who can let a server know which folder this is. */
  canShareFolder?: boolean;
};

export type ServerCallOptions = CallOptions & {
  near: string[];
  /** The person cancelled, and the result came all the same, a moment later. */
  onLate?: (end: Extract<CallEnd, { kind: "result" }>) => void;
};

export class Server {
  config: ServerConfig;
  state: ServerState = "off";
  /** Why it failed, for the person. */
  reason = "";
  tools: ToolInfo[] = [];
  prompts: readonly ServerPrompt[] = [];
  resources: readonly ServerResource[] = [];
  /** Settles when both have come: they are listed behind the tools. */
  promptsListed: Promise<void> = Promise.resolve();
  /** The person has let this server know which folder this is. */
  #isFolderShared = false;
  #hasAskedForFolder = false;
  #callsRunning = 0;
  lastMs: number | undefined;
  readonly log = new RecentLog();
  /** Of its latest start. */
  #process = new ServerProcess();
  authorizedFetch: HttpFetch | undefined;
  readonly #hooks: ServerContext;
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #life = new AbortController();
  #restarts = 0;
  #relistTimer: Timer | undefined;
  #relistedAt = 0;
  readonly #late = new LateResults();

  constructor(config: ServerConfig, hooks: ServerContext) {
    this.config = config;
    this.#hooks = hooks;
    this.useReach(config.reach);
  }

  /** From the next connection on it is reached like this. */
  useReach(reach: ServerConfig["reach"]): void {
    this.config = { ...this.config, reach };
    for (const secret of secretsIn(reach, this.#hooks.env)) this.#hooks.onSecret(secret);
  }

  get alias(): string {
    return this.config.alias;
  }

  get identity(): string {
    return identityOf(this.config);
  }

  get revision(): string | undefined {
    return this.state === "ready" ? this.#client?.revision : undefined;
  }

  get instructions(): string | undefined {
    return this.#client?.instructions;
  }

  /** Connects, or waits for the attempt under way. Never rejects: the state says how it went. */
  connect(): Promise<void> {
    this.#connecting ??= this.#attempt();
    return this.#connecting;
  }

  /** Connects afresh and lists again. */
  async reconnect(): Promise<void> {
    await this.close();
    this.#restarts = 0;
    await this.connect();
  }

  async close(): Promise<void> {
    this.#life.abort();
    this.#connecting = undefined; // an attempt under way is nobody's any more
    clearTimeout(this.#relistTimer);
    const client = this.#client;
    this.#client = undefined;
    this.tools = [];
    this.state = "off";
    await client?.close().catch(() => {}); // gone already is closed
  }

  /** Gives up waiting for a server that is still connecting. */
  skip(): void {
    if (this.state !== "connecting") return;
    this.#life.abort();
    this.#connecting = undefined;
    this.#fail("skipped");
  }

  async call(tool: ToolInfo, args: JsonObject, options: ServerCallOptions): Promise<CallEnd> {
    const startedAt = performance.now();
    const first = await this.#callOnce(tool, args, options);
    const isSafe = this.config.trust && (tool.annotations.idempotent === true || tool.annotations.readOnly === true);
    const wasLost = first.kind === "unreachable" && this.#client?.gone.aborted !== false;
    const again = wasLost || (first.kind === "lost" && isSafe);
    if (!again || options.signal?.aborted === true) return this.#timed(first, startedAt);
    this.#hooks.say(`${this.alias}: connection lost; connecting again`);
    await this.reconnect();
    const isSame = this.tools.find((one) => one.tool === tool.tool)?.definition === tool.definition;
    // What was approved is this definition; another one must be asked about again.
    if (this.state !== "ready" || !isSame) return this.#timed(first, startedAt);
    return this.#timed(await this.#callOnce(tool, args, options), startedAt);
  }

  /** Lists again now. */
  async relist(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.state !== "ready") return;
    this.#relistedAt = Date.now();
    const before = this.tools;
    try {
      await this.#list(client);
      this.#hooks.onTools(this, before);
    } catch (error) {
      this.#hooks.say(`${this.alias}: its tools could not be listed again: ${messageOf(error)}`);
    }
  }

  #timed(end: CallEnd, startedAt: number): CallEnd {
    this.lastMs = Math.round(performance.now() - startedAt);
    this.log.line(`${new Date().toISOString()} call ended: ${end.kind} after ${this.lastMs} ms`);
    return end;
  }

  async #callOnce(tool: ToolInfo, given: JsonObject, options: ServerCallOptions): Promise<CallEnd> {
    const client = this.#client;
    const args = { ...given }; // an object of this very call: a late answer is known by it
    const callMs = options.timeoutMs ?? this.config.callMs;
    let sent = false;
    this.#callsRunning += 1;
    try {
      if (client === undefined) throw new ConnectionError("closed", "the server is not connected");
      this.log.line(`${new Date().toISOString()} → tools/call ${tool.tool}`);
      const result = await client.callTool(tool.tool, args, {
        ...options,
        timeoutMs: callMs,
        onProgress: (progress: Progress) => options.onProgress?.(progress),
        onSent: () => (sent = true),
      });
      return { kind: "result", result };
    } catch (error) {
      if (options.signal?.aborted === true) {
        // The person does not wait for it; whoever asked for it hears of it.
        if (sent) void this.#late.wait(args).then((end) => end && options.onLate?.(end));
        return { kind: "cancelled" };
      }
      const end = endOfError(error, { sent, callMs, near: options.near });
      return end.kind === "timeout" ? ((await this.#late.wait(args)) ?? end) : end;
    } finally {
      this.#callsRunning -= 1;
    }
  }

  #attempt(): Promise<void> {
    const attempt = this.#connect().finally(() => {
      if (this.#connecting === attempt) this.#connecting = undefined;
    });
    return attempt;
  }

  async #connect(): Promise<void> {
    const life = new AbortController();
    this.#life = life;
    this.state = "connecting";
    this.reason = "";
    const startedAt = performance.now();
    let opened: Client | undefined;
    this.#process = new ServerProcess();
    const limit = setTimeout(() => {
      if (this.#life === life && this.state === "connecting") {
        life.abort();
        this.#fail(`no answer for ${Math.round(this.config.connectMs / 1000)} s`);
      }
    }, this.config.connectMs + 500);
    try {
      const client = await this.#open(life.signal);
      opened = client;
      // Skipped or disconnected meanwhile: nobody waits for it, and how closing goes changes nothing.
      if (life.signal.aborted) return void client.close().catch(() => {});
      this.#client = client;
      await this.#list(client);
      if (life.signal.aborted) return void client.close().catch(() => {});
      this.#hooks.eras.set(this.identity, client.era);
      this.state = "ready";
      this.lastMs = Math.round(performance.now() - startedAt);
      client.gone.addEventListener("abort", () => void this.#lost(client, life), { once: true });
      if (client.gone.aborted) void this.#lost(client, life);
      this.#listen(client, life.signal);
      this.promptsListed = this.#listFurther(client);
      this.#hooks.onTools(this, undefined);
    } catch (error) {
      // Another attempt may be under way by now: only what this one opened is its to close.
      if (this.#client === opened) this.#client = undefined;
      void opened?.close().catch(() => {}); // the first error is the one that is told
      const reason = await whyNotConnected(error, this.config, this.#process);
      if (!life.signal.aborted) this.#fail(reason);
    } finally {
      clearTimeout(limit);
    }
  }

  async #open(signal: AbortSignal): Promise<Client> {
    const { version, eras, elicit, sample, canShareFolder } = this.#hooks;
    const context: OpenContext = {
      ...this.#hooks,
      authorizedFetch: this.authorizedFetch,
      onStderr: (text) => {
        this.log.text(text);
        this.#process.wrote(text);
      },
      onExit: (how) => this.#process.ended(how),
      onWarning: (text) => this.#hooks.say(text),
      onLate: (params, reply) => this.#late.came(params, reply),
    };
    const options = {
      name: "aish",
      version,
      onNotification: (method: string, params: JsonObject) => this.#heard(method, params),
      ...(elicit ? { elicit: (params: JsonObject, cancel: AbortSignal) => elicit(this.alias, params, cancel) } : {}),
      ...(sample ? { sample: (params: JsonObject, cancel: AbortSignal) => this.#sample(params, cancel) } : {}),
      ...(canShareFolder === true ? { roots: () => this.#roots() } : {}),
    };
    // Asking a modern server costs one request and tells its capabilities; only an old one is spared the question.
    const known = eras.get(this.identity) === "legacy" ? "legacy" : undefined;
    try {
      return await openClient(this.config, options, known, context, signal);
    } catch (error) {
      // What was remembered may be out of date: ask again, once.
      const saysNothing = error instanceof ConnectionError && (error.status === 401 || error.status === 403);
      if (known === undefined || saysNothing || signal.aborted) throw error;
      return openClient(this.config, options, undefined, context, signal);
    }
  }

  async #list(client: Client): Promise<void> {
    const timeoutMs = this.config.connectMs;
    const listed = await client.list("tools", { timeoutMs }).catch((error: unknown) => {
      // A server without tools need not know the method.
      if (error instanceof RpcError && error.code === -32601) return [];
      throw error;
    });
    // Tools that mirror arguments in headers are known to the client only through its own listing.
    if (client.session.http && JSON.stringify(listed).includes("x-mcp-header")) await client.listTools({ timeoutMs });
    const { tools, problems } = readTools(this.alias, listed);
    const { allow, deny } = this.config;
    this.tools = tools.filter(
      ({ tool }) =>
        (allow.length === 0 || listHas(allow, tool)) && !listHas(deny, tool) && !client.refusedTools.has(tool),
    );
    for (const problem of problems.slice(0, 5)) this.#hooks.say(`${this.alias}: ${problem}`);
  }

  /** In the background: the tools do not wait for what a person may ask for. */
  async #listFurther(client: Client): Promise<void> {
    const { prompts, resources } = await listPromptsAndResources(client, this.config.connectMs);
    if (this.#client !== client) return;
    this.prompts = prompts;
    this.resources = resources;
  }

  async getPrompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<JsonObject> {
    return this.#connected().getPrompt(name, args, { signal, timeoutMs: this.config.callMs });
  }

  async readResource(uri: string): Promise<JsonObject> {
    return this.#connected().readResource(uri, { timeoutMs: this.config.callMs });
  }

  #connected(): Client {
    if (this.#client === undefined) throw new ConnectionError("closed", `${this.alias} is not connected`);
    return this.#client;
  }

  /** From now on it may know which folder this is; one that asked before is told that the answer is another one now. */
  async shareFolder(): Promise<void> {
    this.#isFolderShared = true;
    await this.#connected().rootsChanged();
  }

  // A person who is typing something else must not find a question in its place: only who works for them may ask.
  async #sample(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { sample } = this.#hooks;
    if (sample === undefined || this.#callsRunning === 0) throw new RpcError(-1, "only while a tool is called");
    return sample(this.alias, params, signal);
  }

  // A question at any moment would be answered by a key that was meant for another: the person is told, and decides later.
  #roots(): { uri: string; name: string }[] {
    const { cwd, say } = this.#hooks;
    if (this.#isFolderShared || this.config.trust) return [{ uri: pathToFileURL(cwd).href, name: path.basename(cwd) }];
    if (!this.#hasAskedForFolder) say(`${this.alias} asks which folder this is; :mcp share ${this.alias} tells it`);
    this.#hasAskedForFolder = true;
    return [];
  }

  // 2026-07-28 servers tell of changes on a stream we ask for; older ones tell unasked.
  #listen(client: Client, signal: AbortSignal): void {
    const { tools } = client.capabilities;
    if (client.era !== "modern" || !isObject(tools) || tools["listChanged"] !== true) return;
    // Without the stream its tools can still be called; :mcp reconnect lists them again.
    void client.listen({ toolsListChanged: true }, signal).catch(() => {});
  }

  #heard(method: string, params: JsonObject): void {
    if (method === "notifications/message") {
      const { level, data } = params;
      this.log.line(`[${String(level)}] ${typeof data === "string" ? data : JSON.stringify(data)}`);
    }
    if (method !== "notifications/tools/list_changed" || this.state !== "ready") return;
    clearTimeout(this.#relistTimer);
    const wait = Math.max(0, this.#relistedAt + RELIST_MS - Date.now());
    this.#relistTimer = setTimeout(() => void this.relist(), wait);
  }

  async #lost(client: Client, life: AbortController): Promise<void> {
    if (this.#client !== client || life.signal.aborted) return;
    this.#client = undefined;
    this.tools = [];
    const last = await this.#process.lastWords(this.config);
    if (life.signal.aborted) return; // disconnected or connected anew meanwhile
    life.abort();
    this.#fail(last === undefined ? "it ended" : `it ended: ${last}`);
    void client.close().catch(() => {}); // the connection is lost already
    if (this.config.reach.kind !== "stdio" || this.#restarts > 0) return;
    this.#restarts += 1;
    setTimeout(() => {
      if (this.state === "failed") void this.connect();
    }, RESTART_MS).unref();
  }

  #fail(reason: string): void {
    this.state = "failed";
    this.reason = reason;
    this.tools = [];
    this.log.line(`${new Date().toISOString()} failed: ${reason}`);
    this.#hooks.onTools(this, undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
