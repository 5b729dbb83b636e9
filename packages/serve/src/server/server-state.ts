// What all tools work with: the scope, the sandboxed host of commands, and what each client has. One per server.
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import {
  MemorySessions,
  ProcessHost,
  Protection,
  boundaryOf,
  chooseSandbox,
  closeScope,
  literalBoundaryOf,
  needsRefresh,
  openScope,
} from "@bosun/engine";
import type { Boundary, Mechanism, Sandbox, SandboxOptions, Scope, Session } from "@bosun/engine";
import { isShared, ownerWithHandle, principalOf } from "@bosun/mcp/server";
import { childEnvironment, isNeverHandedOn } from "@bosun/platform/environment";
import { ChangedPlaces } from "../approvals/changed-places.ts";
import type { Config } from "../config/config.ts";
import { searchSandbox } from "../sandbox-start/deferred-sandbox.ts";
import type { Log } from "@bosun/platform/log";
import { literalGlob } from "../config/path-rules.ts";
import type { PathRules } from "../config/path-rules.ts";
import type { SandboxMemory } from "../sandbox-start/probe-cache.ts";

/** Mechanisms that keep a command from changing what a person's programs obey; elsewhere it is put back afterwards. */
const HOLDING: ReadonlySet<Mechanism> = new Set<Mechanism>(["bubblewrap", "namespaces", "seatbelt"]);

/** Far more than all sessions keep finished tasks; the oldest are long gone. */
const MAX_READ_TASKS = 10_000;

/** Sessions that callers without one are given when a command leaves the working directory. */
const MAX_HANDLES = 1000;

/** Between TERM and KILL for commands whose client is gone: nobody waits for what they would still say. */
const GONE_GRACE_MS = 1000;
/** A shorter one ("1", "on") would blank half the environment; real tokens are longer. */
const SHORTEST_SECRET = 6;

export type ServerStateOptions = {
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
  /** Where mount points are locked, versions go that are taken out of protected places, and what a crash would need. */
  readonly stateFolder: string;
  /** Words that start the Landlock helper, when this is not run from its sources. */
  readonly sandboxHelper?: readonly string[] | undefined;
};

export class ServerState {
  readonly config: Config;
  readonly log: Log;
  readonly paths: PathRules;
  /** What a person's own programs obey, as it is at each moment. */
  readonly protection: Protection;
  readonly scope: Scope;
  /** The workspace surface's: the working directory and nothing else. Often the same. */
  readonly workspace: Scope;
  readonly host: ProcessHost;
  readonly sandbox: Sandbox;
  readonly boundary: Boundary;
  /** What commands and tools changed of places that are settled. */
  readonly changedPlaces: ChangedPlaces;
  /** What commands see. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #readTasks = new Set<string>();
  readonly #sessions: MemorySessions;
  readonly #byOwner = new Map<string, string>();
  #closing: Promise<void> | undefined;

  /** Throws EngineError for a folder or pattern that cannot be used, or when a required sandbox is missing. */
  static async open(options: ServerStateOptions): Promise<ServerState> {
    const { config, paths, home, memory, log } = options;
    const mode = options.withoutCommands ? "off" : config.sandbox;
    const place = config.roots.join(path.delimiter);
    // Begun first: what there is to find out, another process finds out beside us.
    const search = mode === "off" ? undefined : searchSandbox({ place, network: config.allowNetwork, memory, log });
    const secrets = options.secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
    const holdsSecret = (value: string): boolean => secrets.some((secret) => value.includes(secret));
    for (const name of config.passEnvironment.filter(isNeverHandedOn))
      log("warn", `${name} is not passed on to commands: it would run something before them, or is this server's own`);
    const environment = childEnvironment(options.env, { pass: config.passEnvironment, holdsSecret });
    const protection = protectionFor(config, paths, home);
    const rules = {
      deny: [...config.deny, ...paths.deny],
      readOnly: [...paths.readOnly, ...paths.protected.map(literalGlob), ...wildHolds(config, paths)],
      ignore: paths.ignore,
      protection,
    };
    const scope = openScope({ workdir: config.workdir, roots: config.roots, ...rules });
    const isWorkspace = scope.roots.length === 1 && scope.roots[0] === scope.workdir;
    const workspace = isWorkspace
      ? scope
      : openScope({ workdir: config.workdir, roots: [config.workdir], kept: config.roots, ...rules });
    const view = { network: config.allowNetwork, home, path: environment["PATH"] ?? "", protect: paths.protected };
    // What wildcards cover is looked for before the first command, not before the first answer.
    const boundary = literalBoundaryOf(scope, view);
    const isProtecting = protection.enabled || paths.hold.length > 0;
    const wanted: SandboxOptions = {
      mode,
      lockFolder: path.join(options.stateFolder, "mountpoints"),
      ...(options.sandboxHelper === undefined ? {} : { helper: options.sandboxHelper }),
      ...(isProtecting ? { findHeld: () => heldNow(protection, log) } : {}),
      ...(needsRefresh(scope) ? { reread: () => boundaryOf(scope, view) } : {}),
    };
    const sandbox = search?.open(boundary, wanted) ?? (await chooseSandbox(boundary, wanted));
    const host = new ProcessHost({ confinement: sandbox.confinement });
    try {
      const announced = "announced" in sandbox ? await sandbox.announced : sandbox;
      return new ServerState(options, {
        scope,
        workspace,
        protection,
        boundary,
        host,
        sandbox: announced,
        environment,
      });
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  private constructor(
    { config, paths, log, home, stateFolder }: ServerStateOptions,
    parts: Pick<ServerState, "protection" | "scope" | "workspace" | "boundary" | "host" | "sandbox" | "environment">,
  ) {
    this.config = config;
    this.log = log;
    this.paths = paths;
    this.protection = parts.protection;
    this.scope = parts.scope;
    this.workspace = parts.workspace;
    this.boundary = parts.boundary;
    this.sandbox = parts.sandbox;
    this.environment = parts.environment;
    this.host = parts.host;
    const holds = this.holdsPlaces;
    this.changedPlaces = new ChangedPlaces({
      enabled: paths.protect === "on",
      settle: holds ? paths.settle : [...paths.settle, ...paths.hold],
      note: paths.note,
      open: paths.open,
      settlesGit: !holds,
      further: () => {
        heldNow(this.protection, log); // says when not everything is looked at, also where nothing is held
        return this.protection.settled(holds);
      },
      ...(holds ? { held: () => this.protection.lastPlaces } : {}),
      roots: this.scope.roots,
      workdir: this.scope.workdir,
      home: realFolder(home),
      stateFolder,
      foldCase: this.scope.foldCase,
      ...(this.protection.enabled ? { deep: this.protection.deep } : {}),
      hasLeftovers: () => this.host.hasLeftovers(),
      log,
      approvalTimeoutMs: config.approvalTimeoutMs,
    });
    this.protection.leaveOut(() => this.changedPlaces.places.made);
    this.#sessions = new MemorySessions({
      host: this.host,
      workdir: config.workdir,
      env: parts.environment,
      limits: config.limits,
      observer: this.changedPlaces.places,
      ...(config.backgroundTimeoutMs > 0 ? { jobs: { timeoutMs: config.backgroundTimeoutMs } } : {}),
      // On stdio there is one client, and what it has ends with its connection.
      ...(config.transport === "http" ? { idleMs: config.idleMs } : {}),
    });
  }

  /** Whether commands are kept from changing what a person's programs obey; where not, it is put back after them. */
  get holdsPlaces(): boolean {
    return HOLDING.has(this.sandbox.mechanism);
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

  /**
   * A session of its own for a caller who has none, starting in this directory; its handle. Undefined when no command of
   * it could start there, as in the temporary folder of another session.
   */
  keepDirectory(owner: string, directory: string): string | undefined {
    this.#forgetOldest();
    const session = this.#sessions.open(directory);
    const outside = session.outside(directory);
    if (outside === undefined || !isFolder(outside)) {
      void this.#sessions.close(session.handle);
      return undefined;
    }
    const handle = crypto.randomUUID();
    this.#byOwner.set(ownerWithHandle(owner, handle), session.handle);
    return handle;
  }

  /** The session that holds this task or output, among those that a caller without a session may have begun it in. */
  sessionHolding(owner: string, id: string): Session | undefined {
    const principal = principalOf(owner);
    if (!isShared(principal)) return undefined;
    const prefix = ownerWithHandle(principal, "");
    for (const [name, handle] of this.#byOwner) {
      if (name !== principal && !name.startsWith(prefix)) continue;
      const session = this.#sessions.peek(handle);
      if (session?.jobs.has(id) === true || session?.cutOutputs.find(id) !== undefined) return session;
    }
    return undefined;
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
    if (handle !== undefined) await this.#sessions.close(handle, GONE_GRACE_MS);
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

  /** Callers without a session may be given any number of handles: the first ones go, unless they run something. */
  #forgetOldest(): void {
    const withHandle = [...this.#byOwner].filter(([owner]) => owner !== principalOf(owner));
    for (const [owner, handle] of withHandle)
      if (this.#sessions.peek(handle) === undefined) this.#byOwner.delete(owner);
    let spare = withHandle.length - MAX_HANDLES;
    for (const [owner, handle] of withHandle) {
      if (spare < 0) return;
      if (this.#sessions.peek(handle)?.busy === true) continue;
      this.#byOwner.delete(owner);
      void this.#sessions.close(handle, GONE_GRACE_MS);
      spare -= 1;
    }
  }

  async #close(): Promise<void> {
    await this.#sessions.closeAll();
    await this.host.close();
    this.changedPlaces.close();
    closeScope(this.scope);
    if (this.workspace !== this.scope) closeScope(this.workspace);
  }
}

const warned = new WeakSet<Protection>();

function heldNow(protection: Protection, log: Log): ReturnType<Protection["places"]> {
  const places = protection.places();
  if (protection.limited && !warned.has(protection)) {
    warned.add(protection);
    log("warn", "there are more folders or repositories here than are looked at: some repositories are not protected");
  }
  return places;
}

function protectionFor(config: Config, paths: PathRules, home: string): Protection {
  const everywhere = config.roots.length === 0 || config.roots.includes("/");
  return new Protection({
    // All of a machine cannot be searched: then the folder it works in is.
    roots: everywhere ? [config.workdir] : config.roots,
    everywhere,
    home: realFolder(home),
    open: paths.open,
    extra: paths.hold.filter((pattern) => !isWild(pattern)),
    enabled: paths.protect === "on",
  });
}

/** What `hold` says with wildcards is read-only by the scope's own rules, below each allowed folder. */
function wildHolds({ roots, workdir }: Config, { hold, open }: PathRules): string[] {
  const patterns = hold.filter((pattern) => isWild(pattern) && !open.includes(pattern));
  const bases = roots.length === 0 ? [workdir] : roots;
  return patterns.flatMap((pattern) =>
    pattern.startsWith("/") ? [pattern] : bases.map((base) => path.posix.join(literalGlob(base), pattern)),
  );
}

/** The allowed folders are real paths, too. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // not there: its name is all there is
  }
}

function isWild(pattern: string): boolean {
  return /[*?[{\\]/.test(pattern);
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
