// Flags and environment → Config, once, at the start: everything below it takes what it says for granted.
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { oneOf, readFlags, size, UsageError, whole } from "@bosun/platform/flags";
import type { Flag, FlagValues, Program } from "@bosun/platform/flags";
import { LOG_LEVELS } from "@bosun/platform/log";
import type { LogFormat, LogLevel } from "@bosun/platform/log";

export const SURFACES = ["coding", "workspace", "shell", "bcp"] as const;
export type Surface = (typeof SURFACES)[number];

/** Tokens of an authorization server. */
export type IssuerConfig = {
  readonly kind: "issuer";
  readonly issuer: string;
  /** The public address of this server: what its tokens must be for. */
  readonly audience: string;
  /** Where the issuer's keys are, unless its metadata says. */
  readonly jwksUri?: string;
  /** What every request needs. */
  readonly scopes: readonly string[];
};

export type Config = {
  readonly transport: "http" | "stdio";
  /** Somebody chose it, by its name or by what only makes sense with it. */
  readonly transportNamed: boolean;
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly auth:
    | { readonly kind: "none" }
    | { readonly kind: "token"; readonly token: string }
    | { readonly kind: "generate" }
    | IssuerConfig;
  /** Real path. */
  readonly workdir: string;
  readonly surfaces: readonly Surface[];
  readonly anthropicCompat: boolean;
  readonly readOnly: boolean;
  readonly disabledTools: readonly string[];
  /** Real paths; empty means unscoped. */
  readonly roots: readonly string[];
  /** Whether `roots` were named, or are the working directory by default. */
  readonly rootsNamed: boolean;
  readonly deny: readonly string[];
  /** Protected places that may be changed after all. */
  readonly openPlaces: readonly string[];
  /** Whether the built-in list of protected places holds, unless the settings say no. */
  readonly protect: boolean;
  readonly sandbox: "auto" | "require" | "off";
  readonly allowNetwork: boolean;
  readonly passEnvironment: readonly string[];
  readonly timeoutMs: number;
  readonly backgroundTimeoutMs: number;
  readonly maxFileBytes: number;
  readonly truncate: "head" | "head-tail";
  readonly requireView: boolean;
  readonly limits: {
    readonly memoryBytes?: number;
    readonly processes?: number;
    readonly fileBytes?: number;
    readonly cpuSeconds?: number;
  };
  readonly idleMs: number;
  readonly approvalTimeoutMs: number;
  /** The settings file named by hand; without one the usual places are looked at. */
  readonly settingsFile: string | undefined;
  /** What rules call this server: `bosun.bash`. */
  readonly alias: string;
  readonly audit: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
};

export type Invocation =
  { readonly kind: "serve"; readonly config: Config } | { readonly kind: "help" } | { readonly kind: "version" };

type Environment = Readonly<Record<string, string | undefined>>;

const FLAGS: readonly Flag[] = [
  {
    name: "transport",
    setting: "serve.transport",
    value: "http|stdio",
    help: "how clients connect (http; stdio if one speaks on standard input)",
  },
  {
    name: "host",
    setting: "serve.host",
    value: "ADDRESS",
    help: "address to listen on (127.0.0.1); others need a token",
  },
  { name: "port", setting: "serve.port", value: "N", help: "port to listen on (8080); 0 takes a free one" },
  { name: "token", setting: "serve.token", value: "TOKEN", help: "bearer token that HTTP clients must send" },
  { name: "generate-token", setting: "serve.generate_token", help: "make a token and print it on stderr" },
  {
    name: "auth-issuer",
    setting: "serve.auth_issuer",
    value: "URL",
    help: "authorization server whose tokens HTTP clients must send",
  },
  {
    name: "auth-audience",
    setting: "serve.auth_audience",
    value: "URL",
    help: "public address of this server, which those tokens must name",
  },
  {
    name: "auth-jwks",
    setting: "serve.auth_jwks",
    value: "URL",
    help: "where the issuer's keys are (what its metadata says)",
  },
  {
    name: "auth-scope",
    setting: "serve.auth_scopes",
    commas: true,
    repeatable: true,
    value: "NAMES",
    help: "scopes those tokens must have; repeatable",
  },
  {
    name: "allow-host",
    setting: "serve.allowed_hosts",
    commas: true,
    repeatable: true,
    value: "NAME",
    help: "Host header to accept besides loopback; repeatable",
  },
  {
    name: "allow-origin",
    setting: "serve.allowed_origins",
    commas: true,
    repeatable: true,
    value: "ORIGIN",
    help: "web origin that may call; repeatable",
  },
  {
    name: "tools",
    setting: "serve.tools",
    commas: true,
    repeatable: true,
    value: "SURFACES",
    help: "coding, workspace, shell, bcp, or several (coding)",
  },
  {
    name: "anthropic-compat",
    setting: "serve.anthropic_compat",
    help: "one str_replace_editor instead of view, str_replace, create_file",
  },
  { name: "read-only", setting: "serve.read_only", help: "only tools that change nothing" },
  {
    name: "disable-tools",
    setting: "serve.disable_tools",
    commas: true,
    repeatable: true,
    value: "NAMES",
    help: "tools to leave out",
  },
  {
    name: "workdir",
    setting: "serve.workdir",
    value: "FOLDER",
    help: "where relative paths and commands start (., or --allow-dir)",
  },
  {
    name: "allow-dir",
    setting: "serve.allow_dirs",
    commas: true,
    repeatable: true,
    value: "FOLDER",
    help: "folder that may be touched; repeatable (the workdir)",
  },
  {
    name: "deny-dir",
    commas: true,
    repeatable: true,
    value: "GLOB",
    help: "paths never to touch, such as **/.env; repeatable",
  },
  {
    name: "open-place",
    commas: true,
    repeatable: true,
    value: "GLOB",
    help: "protected place that may be changed, such as .git/config; repeatable",
  },
  { name: "no-protect", help: "protect nothing that git, shells and editors obey outside the sandbox" },
  { name: "unscoped", setting: "serve.unscoped", help: "no folder limit: for containers" },
  {
    name: "sandbox",
    setting: "serve.sandbox",
    value: "auto|require|off",
    help: "confine commands to the same folders (auto)",
  },
  { name: "allow-network", setting: "serve.allow_network", help: "let sandboxed commands use the network" },
  {
    name: "pass-env",
    setting: "serve.env_pass",
    commas: true,
    repeatable: true,
    value: "NAMES",
    help: "environment variables commands may see besides the usual ones; never LD_PRELOAD and its like",
  },
  { name: "timeout", setting: "serve.timeout_s", value: "SECONDS", help: "default time limit of bash (120)" },
  {
    name: "background-task-timeout",
    setting: "serve.background_task_timeout_s",
    value: "SECONDS",
    help: "end background tasks after this long (0: never)",
    aliases: ["bg-timeout"],
  },
  {
    name: "max-file-size",
    setting: "serve.max_file_size",
    value: "SIZE",
    help: "largest file to read or write (10MB)",
  },
  { name: "max-memory", setting: "serve.max_memory", value: "SIZE", help: "memory of each process of a command" },
  { name: "max-processes", setting: "serve.max_processes", value: "N", help: "processes of one command at once" },
  {
    name: "max-written-size",
    setting: "serve.max_written_size",
    value: "SIZE",
    help: "largest file a command may write",
  },
  { name: "max-cpu", setting: "serve.max_cpu_s", value: "SECONDS", help: "processor time of one command" },
  {
    name: "truncate",
    setting: "serve.truncate",
    value: "head|head-tail",
    help: "which part of long output is shown (head)",
  },
  {
    name: "require-view-before-edit",
    setting: "serve.require_view_before_edit",
    value: "auto|true|false",
    help: "refuse edits of files not viewed (auto: with --anthropic-compat)",
  },
  {
    name: "session-idle-timeout",
    value: "SECONDS",
    help: "forget an HTTP client that is idle this long (600)",
  },
  {
    name: "approval-timeout",
    setting: "approvals.timeout_s",
    value: "SECONDS",
    help: "how long a question to the person stays open (300)",
  },
  { name: "config", value: "FILE", help: "settings file with rules" },
  { name: "audit", value: "on|off", help: "keep a record of every call (on)" },
  { name: "log-level", setting: "log.level", value: "debug|info|warn|error", help: "what is logged on stderr (info)" },
  { name: "log-format", setting: "log.format", value: "text|json", help: "how it is logged (text)" },
  { name: "no-bash", help: "same as --disable-tools bash", wordOnly: true },
  { name: "version", help: "print the version", wordOnly: true },
];

/** Of the variables' names; the first wins. */
const PREFIXES = ["BOSUN", "BORIS"];

export const PROGRAM: Program = {
  name: "bosun serve",
  summary: "file, shell and search tools for AI agents, over MCP",
  usage: ["bosun serve [options]"],
  flags: FLAGS,
  prefixes: PREFIXES,
  examples: [
    ["bosun serve --transport stdio", "for a client that starts it, in this folder only"],
    ["bosun serve --generate-token", "for clients over HTTP, on 127.0.0.1:8080/mcp"],
    ["bosun serve --transport stdio --read-only", "look, but change nothing"],
    ["bosun serve --allow-dir ~/src --deny-dir '**/.env'", "another boundary"],
    ["bosun serve --sandbox require --allow-network", "only confined, but with the network"],
  ],
};

/** `layer`: what the settings file says, below flags and variables. */
export function parseInvocation(
  words: readonly string[],
  env: Environment,
  cwd: string,
  layer: ReadonlyMap<string, readonly string[]> = new Map(),
): Invocation {
  const flags = readFlags(PROGRAM, words, env, layer);
  if (flags.isHelp) return { kind: "help" };
  if (flags.isOn("version")) return { kind: "version" };
  return { kind: "serve", config: configFrom(flags, cwd) };
}

/** The longest message a client may send: a file of the largest size, most of its characters escaped, and what is around it. */
export function maxMessageBytes({ maxFileBytes }: Pick<Config, "maxFileBytes">): number {
  const escaped = 3;
  return escaped * maxFileBytes + LEAST_MESSAGE_BYTES;
}

const LEAST_MESSAGE_BYTES = 1024 * 1024;

function configFrom(flags: FlagValues, cwd: string): Config {
  const asked = flags.text("workdir");
  const start = folder(asked ?? ".", cwd, flags.source("workdir"));
  const anthropicCompat = flags.isOn("anthropic-compat");
  const named = flags.list("allow-dir");
  const unscoped = flags.isOn("unscoped");
  if (unscoped && named.length > 0)
    throw new UsageError("--unscoped and --allow-dir contradict each other: choose one");
  const roots = unscoped
    ? []
    : named.length === 0
      ? [start]
      : named.map((one) => folder(one, cwd, flags.source("allow-dir")));
  const workdir = asked === undefined ? startWithin(roots, start) : start;
  const surfaces = surfacesFrom(flags);
  if (surfaces.includes("workspace") && !unscoped && !roots.some((root) => holds(root, workdir))) {
    throw new UsageError(
      `the workspace tools work in ${workdir}, which no --allow-dir holds: add it, or change --workdir`,
    );
  }
  return {
    transport: oneOf(flags, "transport", ["http", "stdio"], "http"),
    transportNamed:
      ["transport", "host", "port", "token", "auth-issuer"].some((name) => flags.text(name) !== undefined) ||
      flags.isOn("generate-token"),
    host: flags.text("host") ?? "127.0.0.1",
    port: whole(flags, "port", { max: 65_535 }, 8080),
    allowedHosts: flags.list("allow-host"),
    allowedOrigins: flags.list("allow-origin"),
    auth: authFrom(flags),
    workdir,
    surfaces,
    anthropicCompat,
    readOnly: flags.isOn("read-only"),
    disabledTools: [...flags.list("disable-tools"), ...(flags.isOn("no-bash") ? ["bash"] : [])],
    roots,
    rootsNamed: named.length > 0,
    deny: flags.list("deny-dir"),
    openPlaces: flags.list("open-place"),
    protect: !flags.isOn("no-protect"),
    sandbox: oneOf(flags, "sandbox", ["auto", "require", "off"], "auto"),
    allowNetwork: flags.isOn("allow-network"),
    passEnvironment: flags.list("pass-env"),
    timeoutMs: whole(flags, "timeout", { min: 1 }, 120) * 1000,
    backgroundTimeoutMs: whole(flags, "background-task-timeout", {}, 0) * 1000,
    maxFileBytes: size(flags, "max-file-size") ?? 10 * 1024 * 1024,
    truncate: oneOf(flags, "truncate", ["head", "head-tail"], "head"),
    requireView: requireViewFrom(flags, anthropicCompat),
    limits: limitsFrom(flags),
    idleMs: whole(flags, "session-idle-timeout", { min: 1 }, 600) * 1000,
    approvalTimeoutMs: whole(flags, "approval-timeout", { min: 1 }, 300) * 1000,
    settingsFile: flags.text("config") === undefined ? undefined : path.resolve(cwd, flags.text("config") ?? ""),
    alias: "bosun",
    audit: oneOf(flags, "audit", ["on", "off"], "on") === "on",
    logLevel: oneOf(flags, "log-level", LOG_LEVELS, "info"),
    logFormat: oneOf(flags, "log-format", ["text", "json"], "text"),
  };
}

function authFrom(flags: FlagValues): Config["auth"] {
  const token = flags.text("token");
  const generate = flags.isOn("generate-token");
  if (token !== undefined && generate) {
    throw new UsageError(
      `${flags.source("token")} and ${flags.source("generate-token")} exclude each other: choose one`,
    );
  }
  const issued = issuerFrom(flags);
  if (issued !== undefined && (token !== undefined || generate)) {
    const other = flags.source(generate ? "generate-token" : "token");
    throw new UsageError(`${flags.source("auth-issuer")} and ${other} exclude each other: choose one`);
  }
  if (issued !== undefined) return issued;
  if (generate) return { kind: "generate" };
  return token === undefined ? { kind: "none" } : { kind: "token", token };
}

function issuerFrom(flags: FlagValues): IssuerConfig | undefined {
  const [issuer, audience, jwksUri] = [
    webAddress(flags, "auth-issuer"),
    webAddress(flags, "auth-audience"),
    webAddress(flags, "auth-jwks"),
  ];
  const scopes = flags.list("auth-scope");
  if (issuer === undefined) {
    const lonely = ["auth-audience", "auth-jwks", "auth-scope"].find((name) => flags.text(name) !== undefined);
    if (lonely === undefined) return undefined;
    throw new UsageError(`${flags.source(lonely)} needs --auth-issuer: whose tokens are meant`);
  }
  if (audience === undefined) {
    throw new UsageError(
      `${flags.source("auth-issuer")} needs --auth-audience: the public address of this server, such as https://tools.example/mcp. Only tokens for it are taken`,
    );
  }
  return { kind: "issuer", issuer, audience, scopes, ...(jwksUri === undefined ? {} : { jwksUri }) };
}

/** As it was written: issuers and audiences are compared byte for byte. */
function webAddress(flags: FlagValues, name: string): string | undefined {
  const value = flags.text(name);
  if (value === undefined || /^https?:$/.test(URL.parse(value)?.protocol ?? "")) return value;
  throw new UsageError(`${flags.source(name)}: ${JSON.stringify(value)} is not an http(s) address`);
}

function surfacesFrom(flags: FlagValues): readonly Surface[] {
  const wanted = flags.list("tools");
  if (wanted.length === 0) return ["coding"];
  const unknown = wanted.find((name) => !SURFACES.some((surface) => surface === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `${flags.source("tools")}: unknown tool surface ${JSON.stringify(unknown)}; valid: ${SURFACES.join(", ")}`,
    );
  }
  return SURFACES.filter((surface) => wanted.includes(surface));
}

// Edits are not held back by default; Claude models, which the compat mode is for, expect that they are.
function requireViewFrom(flags: FlagValues, anthropicCompat: boolean): boolean {
  const wanted = oneOf(flags, "require-view-before-edit", ["auto", "true", "false"], "auto");
  return wanted === "auto" ? anthropicCompat : wanted === "true";
}

function limitsFrom(flags: FlagValues): Config["limits"] {
  const memoryBytes = size(flags, "max-memory");
  const fileBytes = size(flags, "max-written-size");
  const processes = whole(flags, "max-processes", { min: 1 });
  const cpuSeconds = whole(flags, "max-cpu", { min: 1 });
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(fileBytes === undefined ? {} : { fileBytes }),
    ...(processes === undefined ? {} : { processes }),
    ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
  };
}

/** By whole components: /w/a holds /w/a/b and not /w/ab. */
export function holds(folder: string, file: string): boolean {
  return file === folder || folder === "/" || file.startsWith(`${folder}/`);
}

function folder(requested: string, cwd: string, source: string): string {
  try {
    const real = realpathSync(path.resolve(cwd, requested));
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Whatever the system says of it, the person can only name another one.
    throw new UsageError(`${source}: folder ${requested} does not exist`);
  }
  throw new UsageError(`${source}: ${requested} is not a folder`);
}

/** Clients start servers wherever they please: where nothing is allowed there, the first folder that is allowed it is. */
function startWithin(roots: readonly string[], start: string): string {
  const [first = start] = roots;
  return roots.some((root) => holds(root, start)) ? start : first;
}
