// The tools that one client may see and call: of all its servers, under names that are unmistakable, as they were
// accepted, shortened if that was asked for, with ours at the end.
import { INVALID_PARAMS, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import { parseExactly } from "@bosun/mcp/relay";
import { compressTools } from "@bosun/shrink";
import type { ToolCompression, ToolDefinition } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import type { Backend } from "./backend.ts";
import { SLOWEST_MS } from "./first-answer.ts";
import { describeToolBeside, READ_ORIGINAL } from "./own-tools.ts";
import type { LocalTools } from "./local-tools.ts";
import { withNothingHidden } from "./nothing-hidden.ts";
import { allPages } from "./pages.ts";
import type { Listed } from "./pages.ts";
import type { Awaited } from "./pin-decisions.ts";
import type { Checked, PinWatch } from "./pin-watch.ts";
import { rebuilt, textOf } from "./rebuilt.ts";
import type { Savings } from "./savings.ts";
import { inEra } from "./several-servers.ts";
import { shownNames } from "./shown-names.ts";
import type { Named } from "./shown-names.ts";
import { usableTools } from "./tool-bounds.ts";
import type { Usable } from "./tool-bounds.ts";
import { within } from "./within.ts";

/** How often a list is asked for while its server keeps saying that it has changed. */
const MAX_LOOKS = 3;
const MAX_SAID = 1000;

export type CatalogueOptions = {
  compressTools: ToolCompression;
  namespace: boolean;
  /** Absent with `--pins off`. */
  pins: PinWatch | undefined;
  /** The client should ask for its tools again, and no server has told it so. */
  changed: () => void;
  savings: Savings;
  /** Tools of our own beside those of the servers. */
  local?: LocalTools | undefined;
  log: Log;
};

/** `refused`: it is held back, and why. */
export type Found = Named & { refused: string | undefined };

export class ToolCatalogue {
  private readonly backends: readonly Backend[];
  private readonly options: CatalogueOptions;
  private readonly refreshing = new Map<Backend, Promise<string>>();
  private names = new Map<string, Named>();
  /** Ends the wait for a person's decision. */
  private readonly awaiting = new Map<Backend, () => void>();
  private isOver = false;
  /** What has been logged already, so that it is said once. */
  private readonly said = new Set<string>();

  constructor(backends: readonly Backend[], options: CatalogueOptions) {
    this.backends = backends;
    this.options = options;
  }

  /** One server, nothing to compare: its pages pass one by one, under their own names. */
  private get isPlain(): boolean {
    return this.backends.length === 1 && !this.options.namespace && this.options.pins === undefined;
  }

  async list(call: Call): Promise<JsonObject | RawJson> {
    const [only] = this.backends;
    if (this.isPlain && only) return this.listPage(only, call);
    // We have given out no cursor.
    if (call.params["cursor"] !== undefined) throw new RpcError(INVALID_PARAMS, "unknown cursor");
    if (this.backends.length === 1 && only) {
      const first = await this.refresh(only, call);
      await this.nameAll();
      return rebuilt(first, ["nextCursor"], { tools: (await this.shown(call)) as Json[] });
    }
    await this.refreshAll(call);
    return inEra(call, { tools: (await this.shown(call)) as Json[] });
  }

  /** The server and name behind what the client calls it. Throws when nobody has listed it. */
  async find(call: Call): Promise<Found> {
    const wanted = String(call.params["name"]);
    const [only] = this.backends;
    if (this.isPlain && only) return { backend: only, name: wanted, refused: only.held.get(wanted) };
    let named = this.named(wanted);
    let unlisted: string | undefined;
    if (!named) {
      unlisted = await this.lookForAll(call);
      named = this.named(wanted);
    }
    // A definition that was never looked at, or has changed since, is looked at before it is used. What the client calls it
    // stays as it was.
    else if (this.options.pins && !isSettled(named)) unlisted = await this.lookAt(named.backend, call);
    if (!named || !isKnown(named)) throw this.unknown(wanted, unlisted);
    return { ...named, refused: named.backend.held.get(named.name) };
  }

  /** The client has gone. */
  close(): void {
    this.isOver = true;
    for (const stop of this.awaiting.values()) stop();
  }

  /** Is this name a tool of a server's? Then it is never ours. */
  has(shown: string): boolean {
    const [only] = this.backends;
    if (this.backends.length === 1 && only && !this.options.namespace) return only.tools.has(shown);
    return this.names.has(shown);
  }

  /** The tool that gives full definitions. */
  get describer(): ToolDefinition {
    return describeToolBeside((name) => this.has(name));
  }

  /** Full definitions, by the names the client knows. */
  definitions(): ReadonlyMap<string, ToolDefinition> {
    const [only] = this.backends;
    if (this.isPlain && only) return only.tools;
    const known = new Map<string, ToolDefinition>();
    for (const [shown, { backend, name }] of this.names) {
      const tool = backend.tools.get(name);
      if (tool) known.set(shown, { ...tool, name: shown });
    }
    return known;
  }

  private async listPage(backend: Backend, call: Call): Promise<RawJson> {
    const passed = textOf(await backend.handle(call));
    const result = parseExactly(passed) as JsonObject;
    const listed = Array.isArray(result["tools"]) ? result["tools"].filter(isTool) : [];
    const { tools, unusable } = await this.usable(backend, listed);
    for (const tool of tools) backend.tools.set(tool.name, tool);
    backend.held = call.params["cursor"] === undefined ? unusable : new Map([...backend.held, ...unusable]);
    const last = result["nextCursor"] === undefined;
    return rebuilt(passed, [], { tools: (await this.presented(call, tools, last)) as Json[] });
  }

  private async usable(backend: Backend, listed: readonly ToolDefinition[]): Promise<Usable> {
    const usable = await usableTools(listed, this.options.pins !== undefined);
    for (const why of usable.unusable.values()) {
      const text = `a tool of ${backend.name}: ${why}`;
      if (this.said.has(text) || this.said.size >= MAX_SAID) continue;
      this.said.add(text);
      this.options.log("warn", text);
    }
    return usable;
  }

  private async refreshAll(call: Call): Promise<void> {
    const { log } = this.options;
    await Promise.all(
      this.backends.map(async (backend) => {
        if (backend.isResting) backend.isListed = false;
        else
          await within(SLOWEST_MS, this.refresh(backend, call), (why, isLate) => {
            backend.toolsKnown = false;
            backend.isListed = false;
            if (isLate) backend.keptWaiting();
            log("warn", `${backend.name} is not in the tool list: ${why}`);
          });
      }),
    );
    await this.nameAll();
  }

  /** Asks the server, checks what it says, and gives its first page as it was sent. */
  private refresh(backend: Backend, call: Call): Promise<string> {
    let running = this.refreshing.get(backend);
    if (running) return running;
    running = this.look(backend, call).finally(() => this.refreshing.delete(backend));
    this.refreshing.set(backend, running);
    return running;
  }

  private async look(backend: Backend, call: Call): Promise<string> {
    // Loaded while the server thinks.
    if (this.options.pins) void import("@bosun/policy");
    try {
      const { first, items } = await settledList(backend, call);
      const { tools, unusable } = await this.usable(backend, items.filter(isTool));
      const { offered, held, awaited }: Checked = this.options.pins
        ? await this.options.pins.check(backend.spec, tools, unusable)
        : { offered: tools, held: unusable };
      backend.tools.clear();
      for (const tool of offered) backend.tools.set(tool.name, tool);
      backend.held = held;
      backend.isListed = true;
      this.await(backend, awaited);
      return first;
    } catch (error) {
      backend.toolsKnown = false;
      backend.isListed = false;
      throw error;
    }
  }

  private await(backend: Backend, awaited: Awaited | undefined): void {
    this.awaiting.get(backend)?.();
    this.awaiting.delete(backend);
    if (!awaited || !this.options.pins || this.isOver) return;
    const decided = (): void => {
      backend.toolsKnown = false;
      this.options.changed();
    };
    this.awaiting.set(backend, this.options.pins.decisions.wait(awaited, decided));
  }

  private async nameAll(): Promise<void> {
    const { pins, namespace } = this.options;
    const offered = this.backends.map((backend) => ({ backend, names: [...backend.tools.keys()] }));
    const absent = this.backends.filter((backend) => !backend.isListed && backend.tools.size === 0);
    const taken = await Promise.all(absent.map((backend) => pins?.lastNames(backend.spec) ?? []));
    this.names = shownNames(offered, namespace, new Set(taken.flat()));
    if (this.backends.length > 1 && pins)
      await pins.compare(offered.map(({ backend, names }) => ({ spec: backend.spec, tools: names })));
  }

  private shown(call: Call): Promise<ToolDefinition[]> {
    // Of a server that is down nothing is listed, but what it had keeps its name.
    const there = [...this.definitions()].filter(([shown]) => this.names.get(shown)?.backend.isListed !== false);
    return this.presented(
      call,
      there.map(([, tool]) => tool),
      true,
    );
  }

  private async presented(call: Call, listed: readonly ToolDefinition[], last: boolean): Promise<ToolDefinition[]> {
    const { compressTools: level, savings } = this.options;
    const visible = await withNothingHidden(listed.map(promisingNothing));
    const shorter = compressTools(visible, level);
    const ours = last ? await this.ownTools(call) : [];
    savings.tools(listed, shorter, ours, level !== "off");
    return [...shorter, ...ours];
  }

  private async ownTools(call: Call): Promise<ToolDefinition[]> {
    const { compressTools: level, local } = this.options;
    const ours = [...(local ? await local.definitions(call) : []), READ_ORIGINAL];
    if (level !== "off") ours.push(this.describer);
    // A tool of the server's goes first: names are never merged.
    return ours.filter(({ name }) => !this.has(name));
  }

  /** Only what a server has listed: as it was accepted, or held back with a reason. */
  private named(wanted: string): Named | undefined {
    const named = this.names.get(wanted);
    if (named && isKnown(named)) return named;
    return this.byPrefix(wanted);
  }

  /** `alias__tool` is understood also where the list has the bare name. */
  private byPrefix(wanted: string): Named | undefined {
    for (const backend of this.backends) {
      const start = `${backend.name}__`;
      const named = { backend, name: wanted.slice(start.length) };
      if (wanted.startsWith(start) && isKnown(named)) return named;
    }
    const holders = this.backends.filter((backend) => backend.held.has(wanted));
    return holders.length === 1 && holders[0] ? { backend: holders[0], name: wanted } : undefined;
  }

  /** Why there is nothing to find, where the one server that there is refused to say what it has. */
  private async lookForAll(call: Call): Promise<string | undefined> {
    const [only] = this.backends;
    if (this.backends.length > 1 || !only) {
      await this.refreshAll(call);
      return undefined;
    }
    const unlisted = await this.lookAt(only, call);
    await this.nameAll();
    return unlisted;
  }

  private async lookAt(backend: Backend, call: Call): Promise<string | undefined> {
    try {
      await this.refresh(backend, call);
      return undefined;
    } catch (error) {
      // A server that refuses to list can still be asked for what it has listed before.
      if (error instanceof RpcError) return `${backend.name} does not list its tools (${error.message})`;
      throw error;
    }
  }

  private unknown(wanted: string, unlisted: string | undefined): RpcError {
    const known = unlisted ?? `there are: ${[...this.definitions().keys()].join(", ")}`;
    const why = this.options.pins ? ". Only what is listed can be called, unless --pins off" : "";
    return new RpcError(INVALID_PARAMS, `there is no tool ${JSON.stringify(wanted)}; ${known}${why}`);
  }
}

function isKnown({ backend, name }: Named): boolean {
  return backend.tools.has(name) || backend.held.has(name);
}

function isSettled({ backend, name }: Named): boolean {
  return backend.toolsKnown && !backend.held.has(name);
}

/**
 * The list as it is when nothing is announced meanwhile: servers say that it has changed while they still put it together.
 * One that says so each time is taken at its last word, and is looked at again before the next call.
 */
async function settledList(backend: Backend, call: Call): Promise<Listed> {
  for (let look = 1; ; look++) {
    backend.toolsKnown = true; // before asking: a change that is announced meanwhile makes it false again
    const listed = await allPages(backend, call, "tools/list", "tools");
    if (backend.toolsKnown || look === MAX_LOOKS) return listed;
  }
}

function isTool(value: Json): value is JsonObject & ToolDefinition {
  return typeof value === "object" && value !== null && !Array.isArray(value) && typeof value["name"] === "string";
}

/** Structured content that repeats the text is dropped, so it must not be promised: a validating client would refuse. */
function promisingNothing({ outputSchema: _, name, ...tool }: ToolDefinition): ToolDefinition {
  return { name, ...tool };
}
