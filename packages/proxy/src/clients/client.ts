// One client: its servers, the tools it may see, what it has been told, and what is running for it.
import type { Call, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import { INTERNAL_ERROR, isShared, RpcError } from "@bosun/mcp/server";
import { Shrinker } from "@bosun/shrink";
import type { FoldLevel, Originals } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import { MergedServers } from "../merge/merged-servers.ts";
import type { PinCheck } from "../pins/pin-check.ts";
import { Backend } from "../servers/backend.ts";
import type { Backpressure } from "../servers/backpressure.ts";
import type { ServerSlots } from "../servers/server-slots.ts";
import type { ProxyConfig } from "../proxy-config.ts";
import type { FoldLevels } from "../fold-levels.ts";
import type { ServerSpec } from "../servers/server-spec.ts";
import type { Savings } from "../stats/savings.ts";
import type { LocalTools } from "../tools/local-tools.ts";
import { FullSchemas } from "../tools/full-schema.ts";
import { ToolCatalogue } from "../tools/tool-catalogue.ts";
import { ToolsChangedNotifier } from "./tools-changed.ts";

export type ClientOptions = {
  servers: readonly ServerSpec[];
  /** Every tool as `alias__tool`, not only those whose names collide. */
  namespace: boolean;
  toolList: ProxyConfig["toolList"];
  fold: FoldLevels;
  /** read_original is listed, and marks name it. */
  listsOriginals: boolean;
  /** Tokens per text; what is left out can be fetched. */
  budget?: number;
  threshold?: number;
  /** Silence after which a call has failed; progress starts it anew. */
  timeoutMs: number;
  /** Absent with `--pins off`. */
  pins?: PinCheck;
  /** Tools of our own beside those of the servers. */
  local?: LocalTools;
  savings: Savings;
  log: Log;
  /** For what servers say to the one client there is. */
  backpressure?: Backpressure;
};

export class Client {
  readonly owner: string;
  readonly tools: ToolCatalogue;
  readonly toolsChanged = new ToolsChangedNotifier();
  readonly fullSchemas = new FullSchemas();
  running = 0;
  lastUsed = Date.now();
  private readonly originals: Originals;
  private readonly options: ClientOptions;
  private readonly shrinkers = new Map<FoldLevel, Shrinker>();
  private readonly backends: readonly Backend[];
  /** Absent where there is only one server and nothing has to be told apart. */
  private readonly merged: MergedServers | undefined;

  constructor(owner: string, originals: Originals, slots: ServerSlots, options: ClientOptions) {
    const { servers, namespace, log } = options;
    this.owner = owner;
    this.originals = originals;
    this.options = options;
    this.backends = servers.map((spec) => new Backend(spec, { ...options, slots }));
    this.merged = servers.length > 1 || namespace ? new MergedServers(this.backends, namespace, log) : undefined;
    const changed = (): void => this.toolsChanged.notify();
    this.tools = new ToolCatalogue(this.backends, { ...options, pins: options.pins, changed });
  }

  /** Of this level; what was sent folded is remembered in each. */
  shrinkerOf(level: FoldLevel): Shrinker {
    let shrinker = this.shrinkers.get(level);
    if (shrinker) return shrinker;
    const { budget, threshold, listsOriginals } = this.options;
    shrinker = new Shrinker({
      originals: this.originals,
      client: this.owner,
      fold: level,
      // Clients that share a name know nothing of each other: among theirs a short number could be guessed.
      ...(listsOriginals ? { namesOriginals: isShared(this.owner) ? ("whole" as const) : ("short" as const) } : {}),
      dropStructuredCopies: level !== "off",
      ...(budget === undefined ? {} : { budget }),
      ...(threshold === undefined ? {} : { threshold }),
    });
    this.shrinkers.set(level, shrinker);
    return shrinker;
  }

  /** A request that is about no tool. */
  request(call: Call): Promise<JsonObject | RawJson> {
    if (this.merged) return this.merged.request(call);
    const [only] = this.backends;
    if (!only) throw new RpcError(INTERNAL_ERROR, "there is no server");
    return only.request(call);
  }

  /** A result that may name a task, whose server is asked about it from then on. */
  noteTask(backend: Backend, result: JsonObject): void {
    this.merged?.tasks.note(backend, result);
  }

  opened(session: Session): void {
    this.toolsChanged.opened(session);
    this.merged?.opened(session);
    for (const backend of this.backends) backend.opened(session);
  }

  notified(message: Parameters<Backend["clientNotified"]>[0]): void {
    for (const backend of this.backends) backend.clientNotified(message);
  }

  async close(): Promise<void> {
    this.tools.close();
    await Promise.all(this.backends.map((backend) => backend.close()));
  }
}
