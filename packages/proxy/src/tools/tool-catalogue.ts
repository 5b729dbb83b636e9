// The tools that one client may see and call: of all its servers, under names that are unmistakable, as they were
// accepted, shortened if that was asked for, with ours at the end.
import { INVALID_PARAMS, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import { lazyTools } from "@bosun/shrink";
import type { ToolDefinition } from "@bosun/shrink";
import type { FoldLevels } from "../fold-levels.ts";
import { clientNames } from "../merge/client-names.ts";
import type { ServerItem } from "../merge/client-names.ts";
import { uncachedResult } from "../messages/eras.ts";
import { editMembers, exactObject, jsonOf } from "../messages/message-json.ts";
import type { ProxyConfig } from "../proxy-config.ts";
import type { Backend } from "../servers/backend.ts";
import { CallFailed } from "../servers/call-failed.ts";
import type { Savings } from "../stats/savings.ts";
import type { LocalTools } from "./local-tools.ts";
import { describeToolUnlessTaken, READ_ORIGINAL } from "./proxy-tools.ts";
import { revealHiddenText } from "./reveal-hidden-text.ts";
import { isTool, ServerTools } from "./server-tools.ts";
import type { ServerToolsOptions } from "./server-tools.ts";

export type CatalogueOptions = ServerToolsOptions & {
  toolList: ProxyConfig["toolList"];
  fold: FoldLevels;
  /** read_original is listed. */
  listsOriginals: boolean;
  namespace: boolean;
  savings: Savings;
  /** Tools of our own beside those of the servers. */
  local?: LocalTools | undefined;
};

export class ToolCatalogue {
  private readonly backends: readonly Backend[];
  private readonly options: CatalogueOptions;
  private readonly serverTools: ServerTools;
  private names = new Map<string, ServerItem>();

  constructor(backends: readonly Backend[], options: CatalogueOptions) {
    this.backends = backends;
    this.options = options;
    this.serverTools = new ServerTools(options);
  }

  /** The one server whose pages pass one by one, under their own names: there is nothing to compare them with. */
  private get passing(): Backend | undefined {
    const { namespace, pins, local } = this.options;
    return this.backends.length === 1 && !namespace && !pins && !local ? this.backends[0] : undefined;
  }

  async list(call: Call): Promise<JsonObject | RawJson> {
    if (this.passing) return this.listPage(this.passing, call);
    // We have given out no cursor.
    if (call.params["cursor"] !== undefined) throw new RpcError(INVALID_PARAMS, "unknown cursor");
    const [only] = this.backends;
    if (this.backends.length === 1 && only) {
      const first = await this.serverTools.refresh(only, call);
      await this.nameAll();
      return editMembers(first, ["nextCursor"], { tools: (await this.shown(call)) as Json[] });
    }
    await this.refreshAll(call);
    return uncachedResult(call, { tools: (await this.shown(call)) as Json[] });
  }

  /** The server and name behind what the client calls it. Throws when nobody has listed it, or when it is held back. */
  async find(call: Call): Promise<ServerItem> {
    const wanted = String(call.params["name"]);
    let item: ServerItem | undefined = this.passing ? { backend: this.passing, name: wanted } : this.known(wanted);
    let unlisted: string | undefined;
    if (!item) {
      unlisted = await this.lookForAll(call);
      item = this.known(wanted);
    }
    // A definition that was never looked at, or has changed since, is looked at before it is used. What the client calls it
    // stays as it was.
    else if (this.options.pins && !isSettled(item))
      unlisted = await this.serverTools.refreshUnlessRefused(item.backend, call);
    if (!item || !(this.passing || isKnown(item))) throw this.unknown(wanted, unlisted);
    const why = item.backend.heldBack.get(item.name);
    if (why !== undefined) throw new CallFailed(why);
    return item;
  }

  /** The client has gone. */
  close(): void {
    this.serverTools.close();
  }

  /** Is this name a tool of a server's? Then it is never ours. */
  has(name: string): boolean {
    return this.passing ? this.passing.tools.has(name) : this.names.has(name);
  }

  /** The tool that gives full definitions. */
  get describer(): ToolDefinition {
    return describeToolUnlessTaken((name) => this.has(name));
  }

  /** Full definitions, by the names the client knows. */
  definitions(): ReadonlyMap<string, ToolDefinition> {
    if (this.passing) return this.passing.tools;
    const known = new Map<string, ToolDefinition>();
    for (const [clientName, { backend, name }] of this.names) {
      const tool = backend.tools.get(name);
      if (tool) known.set(clientName, { ...tool, name: clientName });
    }
    return known;
  }

  private async listPage(backend: Backend, call: Call): Promise<RawJson> {
    const page = await backend.request(call);
    const result = exactObject(page);
    const listed = Array.isArray(result["tools"]) ? result["tools"].filter(isTool) : [];
    const tools = await this.serverTools.addPage(backend, listed, call.params["cursor"] === undefined);
    const isLast = result["nextCursor"] === undefined;
    const promised = tools.map((tool) => this.promised(tool, { backend, name: tool.name }));
    return editMembers(jsonOf(page), [], { tools: (await this.presented(call, promised, isLast)) as Json[] });
  }

  private async refreshAll(call: Call): Promise<void> {
    await this.serverTools.refreshAll(this.backends, call);
    await this.nameAll();
  }

  private async nameAll(): Promise<void> {
    const { pins, namespace, local } = this.options;
    const offered = this.backends.map((backend) => ({ backend, names: [...backend.tools.keys()] }));
    const absent = this.backends.filter((backend) => !backend.isListed && backend.tools.size === 0);
    const absentNames = await Promise.all(absent.map((backend) => pins?.lastNames(backend.spec) ?? []));
    // Of two tools of one name ours keeps it: configurations that name it mean ours.
    this.names = clientNames(offered, namespace, new Set([...absentNames.flat(), ...(local?.names ?? [])]));
    if (this.backends.length > 1 && pins)
      await pins.compare(offered.map(({ backend, names }) => ({ spec: backend.spec, tools: names })));
  }

  private shown(call: Call): Promise<ToolDefinition[]> {
    // Of a server that is down nothing is listed, but what it had keeps its name.
    const there = [...this.definitions()].filter(([name]) => this.names.get(name)?.backend.isListed !== false);
    return this.presented(
      call,
      there.map(([name, tool]) => this.promised(tool, this.names.get(name))),
      true,
    );
  }

  private async presented(call: Call, listed: readonly ToolDefinition[], isLast: boolean): Promise<ToolDefinition[]> {
    const { toolList, savings } = this.options;
    const visible = await revealHiddenText(listed);
    const shorter = toolList === "lazy" ? lazyTools(visible) : visible;
    const isShorter = shorter !== visible;
    const ours = isLast ? await this.ownTools(call, isShorter) : [];
    savings.tools(listed, shorter, ours, isShorter);
    return [...shorter, ...ours];
  }

  private async ownTools(call: Call, isShorter: boolean): Promise<ToolDefinition[]> {
    const { local, listsOriginals } = this.options;
    const ours = [
      ...(local ? await local.definitions(call) : []),
      ...(listsOriginals ? [READ_ORIGINAL] : []),
      ...(isShorter ? [this.describer] : []),
    ];
    // A tool of the server's goes first: names are never merged.
    return ours.filter(({ name }) => !this.has(name));
  }

  /** Structured content that repeats the text is dropped, so it must not be promised: a validating client would refuse. */
  private promised(tool: ToolDefinition, item: ServerItem | undefined): ToolDefinition {
    if (item && this.options.fold.levelOf(item.backend.name, item.name) === "off") return tool;
    const { outputSchema: _, name, ...rest } = tool;
    return { name, ...rest };
  }

  /** Only what a server has listed: as it was accepted, or held back with a reason. */
  private known(wanted: string): ServerItem | undefined {
    const item = this.names.get(wanted);
    return item && isKnown(item) ? item : this.byPrefix(wanted);
  }

  /** `alias__tool` is understood also where the list has the bare name. */
  private byPrefix(wanted: string): ServerItem | undefined {
    for (const backend of this.backends) {
      const start = `${backend.name}__`;
      const item = { backend, name: wanted.slice(start.length) };
      if (wanted.startsWith(start) && isKnown(item)) return item;
    }
    const holding = this.backends.filter((backend) => backend.heldBack.has(wanted));
    return holding.length === 1 && holding[0] ? { backend: holding[0], name: wanted } : undefined;
  }

  /** Why there is nothing to find, where the one server that there is refused to say what it has. */
  private async lookForAll(call: Call): Promise<string | undefined> {
    const [only] = this.backends;
    if (this.backends.length > 1 || !only) {
      await this.refreshAll(call);
      return undefined;
    }
    const unlisted = await this.serverTools.refreshUnlessRefused(only, call);
    await this.nameAll();
    return unlisted;
  }

  private unknown(wanted: string, unlisted: string | undefined): RpcError {
    const known = unlisted ?? `there are: ${[...this.definitions().keys()].join(", ")}`;
    const why = this.options.pins ? ". Only what is listed can be called, unless --pins off" : "";
    return new RpcError(INVALID_PARAMS, `there is no tool ${JSON.stringify(wanted)}; ${known}${why}`);
  }
}

function isKnown({ backend, name }: ServerItem): boolean {
  return backend.tools.has(name) || backend.heldBack.has(name);
}

function isSettled({ backend, name }: ServerItem): boolean {
  return backend.toolsKnown && !backend.heldBack.has(name);
}
