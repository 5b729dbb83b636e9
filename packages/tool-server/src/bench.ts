// What all tools work with: the scope, the sandboxed host of commands, and what each client has. One per server.
import path from "node:path";
import {
  MemorySessions,
  ProcessHost,
  boundaryOf,
  childEnvironment,
  chooseSandbox,
  closeScope,
  needsRereading,
  openScope,
} from "@bosun/engine";
import type { Boundary, ProtectedPlacesOptions, Sandbox, SandboxOptions, Scope, Session } from "@bosun/engine";
import type { Config } from "./config.ts";
import { searchSandbox } from "./late-sandbox.ts";
import type { Log } from "./log.ts";
import { literalGlob } from "./path-rules.ts";
import type { PathRules } from "./path-rules.ts";
import { Protection } from "./protection.ts";
import type { SandboxMemory } from "./sandbox-memory.ts";

/** Far more than all sessions keep finished tasks; the oldest are long gone. */
const MAX_READ_TASKS = 10_000;

export type BenchOptions = {
  readonly config: Config;
  readonly paths: PathRules;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Our own tokens: never in a child's environment. */
  readonly secrets: readonly string[];
  /** No tool starts commands: then no sandbox is looked for. */
  readonly withoutCommands: boolean;
  readonly memory: SandboxMemory;
  /** Where versions go that are taken out of protected places, and what a crash would need. */
  readonly stateFolder: string;
  /** Places besides the usual ones, and what a person takes out of them. */
  readonly places: PlaceSettings;
  /** Words that start the Landlock helper, when this is not run from its sources. */
  readonly sandboxHelper?: readonly string[] | undefined;
  /** The program never changes its working directory. */
  readonly staysInFolder?: boolean;
};

export type PlaceSettings = Pick<ProtectedPlacesOptions, "enabled" | "settle" | "note" | "open">;

export class Bench {
  readonly config: Config;
  readonly log: Log;
  readonly scope: Scope;
  /** The workspace surface's: the working directory and nothing else. Often the same. */
  readonly workspace: Scope;
  readonly host: ProcessHost;
  readonly sandbox: Sandbox;
  readonly boundary: Boundary;
  /** Of places that a person's own programs obey. */
  readonly protection: Protection;
  /** What commands see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #readTasks = new Set<string>();
  readonly #sessions: MemorySessions;
  readonly #byOwner = new Map<string, string>();
  #closing: Promise<void> | undefined;

  /** Throws EngineError for a folder or pattern that cannot be used, or when a required sandbox is missing. */
  static async open(options: BenchOptions): Promise<Bench> {
    const { config, paths, home, memory, log } = options;
    const mode = options.withoutCommands ? "off" : config.sandbox;
    const place = config.roots.join(path.delimiter);
    // Begun first: what there is to find out, another process finds out beside us.
    const search = mode === "off" ? undefined : searchSandbox({ place, network: config.allowNetwork, memory, log });
    const environment = childEnvironment(options.env, { pass: config.passEnvironment, secrets: options.secrets });
    const rules = {
      deny: [...config.deny, ...paths.deny],
      readOnly: [...paths.readOnly, ...paths.protected.map(literalGlob)],
      ignore: paths.ignore,
      staysInFolder: options.staysInFolder === true,
    };
    const scope = openScope({ workdir: config.workdir, roots: config.roots, ...rules });
    const isWorkspace = scope.roots.length === 1 && scope.roots[0] === scope.workdir;
    const workspace = isWorkspace ? scope : openScope({ workdir: config.workdir, roots: [config.workdir], ...rules });
    const view = { network: config.allowNetwork, home, path: environment["PATH"] ?? "", protect: paths.protected };
    const boundary = await boundaryOf(scope, view);
    const wanted: SandboxOptions = {
      mode,
      ...(options.sandboxHelper === undefined ? {} : { helper: options.sandboxHelper }),
      ...(needsRereading(scope) ? { reread: () => boundaryOf(scope, view) } : {}),
    };
    const sandbox = search?.open(boundary, wanted) ?? (await chooseSandbox(boundary, wanted));
    const host = new ProcessHost({ confinement: sandbox.confinement });
    try {
      const announced = "announced" in sandbox ? await sandbox.announced : sandbox;
      return new Bench(options, { scope, workspace, boundary, host, sandbox: announced, environment });
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  private constructor(
    { config, log, home, stateFolder, places }: BenchOptions,
    parts: Pick<Bench, "scope" | "workspace" | "boundary" | "host" | "sandbox" | "environment">,
  ) {
    this.config = config;
    this.log = log;
    this.scope = parts.scope;
    this.workspace = parts.workspace;
    this.boundary = parts.boundary;
    this.sandbox = parts.sandbox;
    this.environment = parts.environment;
    this.host = parts.host;
    this.protection = new Protection({
      ...places,
      roots: this.scope.roots,
      workdir: this.scope.workdir,
      home,
      stateFolder,
      foldCase: this.scope.foldCase,
      hasLeftovers: () => this.host.hasLeftovers(),
      log,
      approvalTimeoutMs: config.approvalTimeoutMs,
    });
    this.#sessions = new MemorySessions({
      host: this.host,
      workdir: config.workdir,
      env: parts.environment,
      limits: config.limits,
      observer: this.protection.places,
      ...(config.backgroundTimeoutMs > 0 ? { jobs: { timeoutMs: config.backgroundTimeoutMs } } : {}),
      // On stdio there is one client, and what it has ends with its connection.
      ...(config.transport === "http" ? { idleMs: config.idleMs } : {}),
    });
  }

  /** What this caller has; made on its first call. */
  sessionOf(owner: string): Session {
    const handle = this.#byOwner.get(owner);
    const known = handle === undefined ? undefined : this.#sessions.find(handle);
    if (known !== undefined) return known;
    const session = this.#sessions.open();
    this.#byOwner.set(owner, session.handle);
    return session;
  }

  has(owner: string): boolean {
    const handle = this.#byOwner.get(owner);
    return handle !== undefined && this.#sessions.find(handle) !== undefined;
  }

  isBusy(owner: string): boolean {
    const handle = this.#byOwner.get(owner);
    return handle !== undefined && this.#sessions.find(handle)?.busy === true;
  }

  /** A finished task's one plain reading is done; its output can still be read by position. */
  noteRead(taskId: string): void {
    this.#readTasks.add(taskId);
    const [oldest] = this.#readTasks;
    if (this.#readTasks.size > MAX_READ_TASKS && oldest !== undefined) this.#readTasks.delete(oldest);
  }

  wasRead(taskId: string): boolean {
    return this.#readTasks.has(taskId);
  }

  /** A client is gone: everything it had ends. */
  async endClient(owner: string): Promise<void> {
    const handle = this.#byOwner.get(owner);
    this.#byOwner.delete(owner);
    if (handle !== undefined) await this.#sessions.close(handle);
  }

  /** All clients are to go: everything they had ends. */
  async endClients(): Promise<void> {
    await this.#sessions.closeAll();
  }

  /** Ends every command and gives everything back. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#sessions.closeAll();
    await this.host.close();
    this.protection.close();
    closeScope(this.scope);
    if (this.workspace !== this.scope) closeScope(this.workspace);
  }
}
