// What the servers of one client offer: asked for whenever it is needed or has changed, bounded, and compared with what was
// accepted. The answer is kept in each `Backend`.
import { RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject } from "@bosun/mcp/server";
import type { ToolDefinition } from "@bosun/shrink";
import type { Log } from "@bosun/platform/log";
import { allPages } from "../merge/all-pages.ts";
import type { Listed } from "../merge/all-pages.ts";
import { LIST_TIMEOUT_MS, withTimeout } from "../merge/wait-for-most.ts";
import type { PinCheck, PinChecked } from "../pins/pin-check.ts";
import type { PendingDecision } from "../pins/pin-decisions.ts";
import type { Backend } from "../servers/backend.ts";
import { usableTools } from "./usable-tools.ts";
import type { Usable } from "./usable-tools.ts";

/** How often a list is asked for while its server keeps saying that it has changed. */
const MAX_LOOKS = 3;
const MAX_LOGGED = 1000;

export type ServerToolsOptions = {
  /** Absent with `--pins off`. */
  pins: PinCheck | undefined;
  /** The client should ask for its tools again, and no server has told it so. */
  changed: () => void;
  log: Log;
};

export class ServerTools {
  private readonly options: ServerToolsOptions;
  private readonly refreshing = new Map<Backend, Promise<string>>();
  /** Ends the wait for a person's decision. */
  private readonly awaiting = new Map<Backend, () => void>();
  private isClosed = false;
  /** What has been logged already, so that it is said once. */
  private readonly logged = new Set<string>();

  constructor(options: ServerToolsOptions) {
    this.options = options;
  }

  /** Asks the server, checks what it says, and gives its first page as it was sent. */
  refresh(backend: Backend, call: Call): Promise<string> {
    let running = this.refreshing.get(backend);
    if (running) return running;
    running = this.ask(backend, call).finally(() => this.refreshing.delete(backend));
    this.refreshing.set(backend, running);
    return running;
  }

  /** A server that does not list its tools in time holds up nobody. */
  async refreshAll(backends: readonly Backend[], call: Call): Promise<void> {
    const refreshOne = async (backend: Backend): Promise<void> => {
      if (backend.isBackingOff) {
        backend.isListed = false;
        return;
      }
      await withTimeout(LIST_TIMEOUT_MS, this.refresh(backend, call), (why, isLate) => {
        backend.toolsKnown = false;
        backend.isListed = false;
        if (isLate) backend.noteTimeout();
        this.options.log("warn", `${backend.name} is not in the tool list: ${why}`);
      });
    };
    await Promise.all(backends.map(refreshOne));
  }

  /** Why the server does not list its tools, if it refuses to; it can still be asked for what it has listed before. */
  async refreshUnlessRefused(backend: Backend, call: Call): Promise<string | undefined> {
    try {
      await this.refresh(backend, call);
      return undefined;
    } catch (error) {
      // Whatever else went wrong is the failure of the call that needed the list.
      if (error instanceof RpcError) return `${backend.name} does not list its tools (${error.message})`;
      throw error;
    }
  }

  /** One page of a list that nothing is compared with. */
  async addPage(backend: Backend, listed: readonly ToolDefinition[], isFirst: boolean): Promise<ToolDefinition[]> {
    const { tools, unusable } = await this.usable(backend, listed);
    for (const tool of tools) backend.tools.set(tool.name, tool);
    backend.heldBack = isFirst ? unusable : new Map([...backend.heldBack, ...unusable]);
    return tools;
  }

  close(): void {
    this.isClosed = true;
    for (const stop of this.awaiting.values()) stop();
  }

  private async ask(backend: Backend, call: Call): Promise<string> {
    const { pins } = this.options;
    // Loaded while the server thinks.
    if (pins) void import("@bosun/policy");
    try {
      const { first, items } = await settledList(backend, call);
      const { tools, unusable } = await this.usable(backend, items.filter(isTool));
      const { offered, heldBack, awaited }: PinChecked = pins
        ? await pins.check(backend.spec, tools, unusable)
        : { offered: tools, heldBack: unusable };
      backend.tools.clear();
      for (const tool of offered) backend.tools.set(tool.name, tool);
      backend.heldBack = heldBack;
      backend.isListed = true;
      this.awaitDecision(backend, awaited);
      return first;
    } catch (error) {
      // What it listed before may be called; what it lists now is not known.
      backend.toolsKnown = false;
      backend.isListed = false;
      throw error;
    }
  }

  private async usable(backend: Backend, listed: readonly ToolDefinition[]): Promise<Usable> {
    const usable = await usableTools(listed, this.options.pins !== undefined);
    for (const why of usable.unusable.values()) {
      const text = `a tool of ${backend.name}: ${why}`;
      if (this.logged.has(text) || this.logged.size >= MAX_LOGGED) continue;
      this.logged.add(text);
      this.options.log("warn", text);
    }
    return usable;
  }

  private awaitDecision(backend: Backend, awaited: PendingDecision | undefined): void {
    this.awaiting.get(backend)?.();
    this.awaiting.delete(backend);
    if (!awaited || !this.options.pins || this.isClosed) return;
    const decided = (): void => {
      backend.toolsKnown = false;
      this.options.changed();
    };
    this.awaiting.set(backend, this.options.pins.decisions.wait(awaited, decided));
  }
}

export function isTool(value: Json): value is JsonObject & ToolDefinition {
  return typeof value === "object" && value !== null && !Array.isArray(value) && typeof value["name"] === "string";
}

/**
 * The list as it is when nothing is announced meanwhile: servers say that it has changed while they still put it together.
 * One that says so each time is taken at its last word, and is asked again before the next call.
 */
async function settledList(backend: Backend, call: Call): Promise<Listed> {
  for (let look = 1; ; look++) {
    backend.toolsKnown = true; // before asking: a change that is announced meanwhile makes it false again
    const listed = await allPages(backend, call, "tools/list", "tools");
    if (backend.toolsKnown || look === MAX_LOOKS) return listed;
  }
}
