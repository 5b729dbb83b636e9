// Flags and environment → Config, once, at the start: everything below it takes what it says for granted.
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { describeFlags, readFlags, UsageError } from "./flags.ts";
import type { Flag, FlagValues } from "./flags.ts";
import { LOG_LEVELS } from "./log.ts";
import type { LogFormat, LogLevel } from "./log.ts";

export const SURFACES = ["coding", "workspace", "shell", "bcp"] as const;
export type Surface = (typeof SURFACES)[number];

export type Config = {
  readonly transport: "http" | "stdio";
  /** Somebody chose it, by its name or by what only makes sense with it. */
  readonly transportNamed: boolean;
  readonly host: string;
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly auth:
    { readonly kind: "none" } | { readonly kind: "token"; readonly token: string } | { readonly kind: "generate" };
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

export const FLAGS: readonly Flag[] = [
  {
    name: "transport",
    kind: "text",
    value: "http|stdio",
    help: "how clients connect (http; stdio if one speaks on standard input)",
  },
  { name: "host", kind: "text", value: "ADDRESS", help: "address to listen on (127.0.0.1); others need a token" },
  { name: "port", kind: "text", value: "N", help: "port to listen on (8080); 0 takes a free one" },
  { name: "token", kind: "text", value: "TOKEN", help: "bearer token that HTTP clients must send" },
  { name: "generate-token", kind: "switch", help: "make a token and print it on stderr" },
  { name: "allow-host", kind: "list", value: "NAME", help: "Host header to accept besides loopback; repeatable" },
  { name: "allow-origin", kind: "list", value: "ORIGIN", help: "web origin that may call; repeatable" },
  { name: "tools", kind: "list", value: "SURFACES", help: "coding, workspace, shell, bcp, or several (coding)" },
  {
    name: "anthropic-compat",
    kind: "switch",
    help: "one str_replace_editor instead of view, str_replace, create_file",
  },
  { name: "read-only", kind: "switch", help: "only tools that change nothing" },
  { name: "disable-tools", kind: "list", value: "NAMES", help: "tools to leave out" },
  {
    name: "workdir",
    kind: "text",
    value: "FOLDER",
    help: "where relative paths and commands start (., or --allow-dir)",
  },
  { name: "allow-dir", kind: "list", value: "FOLDER", help: "folder that may be touched; repeatable (the workdir)" },
  { name: "deny-dir", kind: "list", value: "GLOB", help: "paths never to touch, such as **/.env; repeatable" },
  {
    name: "open-place",
    kind: "list",
    value: "GLOB",
    help: "protected place that may be changed, such as .git/config; repeatable",
  },
  { name: "no-protect", kind: "switch", help: "protect nothing that git, shells and editors obey outside the sandbox" },
  { name: "unscoped", kind: "switch", help: "no folder limit: for containers" },
  { name: "sandbox", kind: "text", value: "auto|require|off", help: "confine commands to the same folders (auto)" },
  { name: "allow-network", kind: "switch", help: "let sandboxed commands use the network" },
  {
    name: "pass-env",
    kind: "list",
    value: "NAMES",
    help: "environment variables commands may see besides the usual ones; never LD_PRELOAD and its like",
  },
  { name: "timeout", kind: "text", value: "SECONDS", help: "default time limit of bash (120)" },
  {
    name: "background-task-timeout",
    kind: "text",
    value: "SECONDS",
    help: "end background tasks after this long (0: never)",
    aliases: ["bg-timeout"],
  },
  { name: "max-file-size", kind: "text", value: "SIZE", help: "largest file to read or write (10MB)" },
  { name: "max-memory", kind: "text", value: "SIZE", help: "memory of each process of a command" },
  { name: "max-processes", kind: "text", value: "N", help: "processes of one command at once" },
  { name: "max-written-size", kind: "text", value: "SIZE", help: "largest file a command may write" },
  { name: "max-cpu", kind: "text", value: "SECONDS", help: "processor time of one command" },
  { name: "truncate", kind: "text", value: "head|head-tail", help: "which part of long output is shown (head)" },
  {
    name: "require-view-before-edit",
    kind: "text",
    value: "auto|true|false",
    help: "refuse edits of files not viewed (auto: with --anthropic-compat)",
  },
  {
    name: "session-idle-timeout",
    kind: "text",
    value: "SECONDS",
    help: "forget an HTTP client that is idle this long (600)",
  },
  {
    name: "approval-timeout",
    kind: "text",
    value: "SECONDS",
    help: "how long a question to the person stays open (300)",
  },
  { name: "config", kind: "text", value: "FILE", help: "settings file with rules" },
  { name: "audit", kind: "text", value: "on|off", help: "keep a record of every call (on)" },
  { name: "log-level", kind: "text", value: "debug|info|warn|error", help: "what is logged on stderr (info)" },
  { name: "log-format", kind: "text", value: "text|json", help: "how it is logged (text)" },
  { name: "no-bash", kind: "switch", help: "same as --disable-tools bash", wordOnly: true },
  { name: "version", kind: "switch", help: "print the version", wordOnly: true },
  { name: "help", kind: "switch", help: "print this text", wordOnly: true },
];

/** Of the variables' names; the first wins. */
export const PREFIXES = ["BOSUN", "BORIS"] as const;

/** `layer`: what the settings file says, below flags and variables. */
export function parseInvocation(
  words: readonly string[],
  env: Environment,
  cwd: string,
  layer: ReadonlyMap<string, readonly string[]> = new Map(),
): Invocation {
  const flags = readFlags(FLAGS, words, env, PREFIXES, layer);
  if (flags.switch("help")) return { kind: "help" };
  if (flags.switch("version")) return { kind: "version" };
  return { kind: "serve", config: configFrom(flags, cwd) };
}

/** The longest message a client may send: a file of the largest size, most of its characters escaped, and what is around it. */
export function maxMessageBytes({ maxFileBytes }: Pick<Config, "maxFileBytes">): number {
  const escaped = 3;
  return escaped * maxFileBytes + LEAST_MESSAGE_BYTES;
}

const LEAST_MESSAGE_BYTES = 1024 * 1024;

export function helpText(): string {
  return [
    "Usage: bosun serve [options]\n\nFile, shell and search tools for AI agents, over MCP.\n\n",
    describeFlags(FLAGS),
    "\nEvery option is also read from BOSUN_<NAME>, such as BOSUN_PORT; lists are comma-separated there.\n",
  ].join("");
}

function configFrom(flags: FlagValues, cwd: string): Config {
  const asked = flags.text("workdir");
  const start = folder(asked ?? ".", cwd, flags.source("workdir"));
  const anthropicCompat = flags.switch("anthropic-compat");
  const named = flags.list("allow-dir");
  const unscoped = flags.switch("unscoped");
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
    transport: choice(flags, "transport", ["http", "stdio"], "http"),
    transportNamed:
      ["transport", "host", "port", "token"].some((name) => flags.text(name) !== undefined) ||
      flags.switch("generate-token"),
    host: flags.text("host") ?? "127.0.0.1",
    port: whole(flags, "port", 8080, { max: 65_535 }),
    allowedHosts: flags.list("allow-host"),
    allowedOrigins: flags.list("allow-origin"),
    auth: authFrom(flags),
    workdir,
    surfaces,
    anthropicCompat,
    readOnly: flags.switch("read-only"),
    disabledTools: [...flags.list("disable-tools"), ...(flags.switch("no-bash") ? ["bash"] : [])],
    roots,
    rootsNamed: named.length > 0,
    deny: flags.list("deny-dir"),
    openPlaces: flags.list("open-place"),
    protect: !flags.switch("no-protect"),
    sandbox: choice(flags, "sandbox", ["auto", "require", "off"], "auto"),
    allowNetwork: flags.switch("allow-network"),
    passEnvironment: flags.list("pass-env"),
    timeoutMs: whole(flags, "timeout", 120, { min: 1 }) * 1000,
    backgroundTimeoutMs: whole(flags, "background-task-timeout", 0) * 1000,
    maxFileBytes: size(flags, "max-file-size") ?? 10 * 1024 * 1024,
    truncate: choice(flags, "truncate", ["head", "head-tail"], "head"),
    requireView: requireViewFrom(flags, anthropicCompat),
    limits: limitsFrom(flags),
    idleMs: whole(flags, "session-idle-timeout", 600, { min: 1 }) * 1000,
    approvalTimeoutMs: whole(flags, "approval-timeout", 300, { min: 1 }) * 1000,
    settingsFile: flags.text("config") === undefined ? undefined : path.resolve(cwd, flags.text("config") ?? ""),
    alias: "bosun",
    audit: choice(flags, "audit", ["on", "off"], "on") === "on",
    logLevel: choice(flags, "log-level", LOG_LEVELS, "info"),
    logFormat: choice(flags, "log-format", ["text", "json"], "text"),
  };
}

function authFrom(flags: FlagValues): Config["auth"] {
  const token = flags.text("token");
  const generate = flags.switch("generate-token");
  if (token !== undefined && generate) {
    throw new UsageError(
      `${flags.source("token")} and ${flags.source("generate-token")} exclude each other: choose one`,
    );
  }
  if (generate) return { kind: "generate" };
  return token === undefined ? { kind: "none" } : { kind: "token", token };
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

// Reference §5 item 6: the seed wants no guard; Claude models, which the compat mode is for, expect one.
function requireViewFrom(flags: FlagValues, anthropicCompat: boolean): boolean {
  const wanted = choice(flags, "require-view-before-edit", ["auto", "true", "false"], "auto");
  return wanted === "auto" ? anthropicCompat : wanted === "true";
}

function limitsFrom(flags: FlagValues): Config["limits"] {
  const memoryBytes = size(flags, "max-memory");
  const fileBytes = size(flags, "max-written-size");
  const processes =
    flags.text("max-processes") === undefined ? undefined : whole(flags, "max-processes", 0, { min: 1 });
  const cpuSeconds = flags.text("max-cpu") === undefined ? undefined : whole(flags, "max-cpu", 0, { min: 1 });
  return {
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(fileBytes === undefined ? {} : { fileBytes }),
    ...(processes === undefined ? {} : { processes }),
    ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
  };
}

function choice<const T extends string>(
  flags: FlagValues,
  name: string,
  values: readonly T[],
  fallback: NoInfer<T>,
): T {
  const text = flags.text(name);
  if (text === undefined) return fallback;
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(
    `${flags.source(name)}: ${JSON.stringify(text)} is not valid; valid values: ${values.join(", ")}`,
  );
}

// Seconds become milliseconds: beyond this a sum of them would no longer be exact.
const LARGEST_WHOLE = 1_000_000_000_000;

function whole(flags: FlagValues, name: string, fallback: number, bounds: { min?: number; max?: number } = {}): number {
  const { min = 0, max = LARGEST_WHOLE } = bounds;
  const text = flags.text(name);
  if (text === undefined) return fallback;
  const value = /^\s*\d+\s*$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(
    `${flags.source(name)}: ${JSON.stringify(text)} is not a whole number between ${min} and ${max}`,
  );
}

const UNITS: Readonly<Record<string, number>> = { "": 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `512 kb`, `1048576`; refuses what has no exact meaning (`10.5MB`, `-1`, `10MBx`, an overflow). */
function size(flags: FlagValues, name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const [, digits = "", unit = ""] = /^\s*(\d+)\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit.toUpperCase()] ?? Number.NaN);
  if (digits !== "" && Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw new UsageError(
    `${flags.source(name)}: ${JSON.stringify(text)} is not a size; write bytes or such as 512KB, 10MB, 1GB`,
  );
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
    throw new UsageError(`${source}: folder ${requested} does not exist`);
  }
  throw new UsageError(`${source}: ${requested} is not a folder`);
}

/** Clients start servers wherever they please: where nothing is allowed there, the first folder that is allowed it is. */
function startWithin(roots: readonly string[], start: string): string {
  const [first = start] = roots;
  return roots.some((root) => holds(root, start)) ? start : first;
}
