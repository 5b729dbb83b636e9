// All servers: connected at once, in the background, each in its own time. A dead one costs nobody anything.
import { aliasFrom, NameTable } from "../tools/tool-names.ts";
import type { ToolInfo } from "../tools/tool-info.ts";
import { Server } from "./mcp-server.ts";
import type { ServerContext } from "./mcp-server.ts";
import type { ServerConfig } from "./server-config.ts";

const MAX_INSTRUCTIONS = 4000;

export class Servers {
  readonly #servers = new Map<string, Server>();
  readonly #hooks: ServerContext;

  constructor(hooks: ServerContext) {
    this.#hooks = hooks;
  }

  add(config: ServerConfig): Server {
    const server = new Server(config, this.#hooks);
    this.#servers.set(config.alias, server);
    return server;
  }

  get(alias: string): Server | undefined {
    return this.#servers.get(alias);
  }

  has(alias: string): boolean {
    return this.#servers.has(alias);
  }

  list(): Server[] {
    return [...this.#servers.values()];
  }

  byUrl(url: string): Server | undefined {
    return this.list().find(({ config: { reach } }) => reach.kind === "http" && reach.url === url);
  }

  /** A free alias near the one wished for. */
  freeAlias(wish: string): string {
    return aliasFrom(wish, (alias) => this.#servers.has(alias));
  }

  rename(server: Server, alias: string): void {
    this.#servers.delete(server.alias);
    server.config = { ...server.config, alias };
    for (const tool of server.tools) Object.assign(tool, { alias });
    this.#servers.set(alias, server);
  }

  async remove(alias: string): Promise<Server | undefined> {
    const server = this.#servers.get(alias);
    this.#servers.delete(alias);
    await server?.close();
    return server;
  }

  /** Starts every attempt; resolves when all have settled. */
  async connectAll(): Promise<void> {
    await Promise.all(this.list().map((server) => (server.config.enabled ? server.connect() : undefined)));
  }

  get connecting(): Server[] {
    return this.list().filter((server) => server.state === "connecting");
  }

  /** Tools that can be called now. */
  tools(): ToolInfo[] {
    return this.list().flatMap((server) => (server.state === "ready" ? server.tools : []));
  }

  names(isOffered: (tool: ToolInfo) => boolean): NameTable<ToolInfo> {
    return new NameTable(this.tools().filter(isOffered));
  }

  /**
   * What servers say about their tools as a whole. Only of those inside this process and those the person trusts: from
   * anybody else it would be a stranger's words in the place where ours are.
   */
  instructions(): string[] {
    return this.list()
      .filter(({ state, config }) => state === "ready" && (config.reach.kind === "builtin" || config.trust))
      .sort((left, right) => (left.alias < right.alias ? -1 : 1))
      .flatMap(({ alias, instructions }) => {
        const text = instructions?.trim() ?? "";
        return text === "" ? [] : [`About the tools of ${alias}: ${text.slice(0, MAX_INSTRUCTIONS).toWellFormed()}`];
      });
  }

  async close(): Promise<void> {
    await Promise.all(this.list().map((server) => server.close()));
  }
}
