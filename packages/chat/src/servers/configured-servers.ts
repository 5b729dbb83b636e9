// Every server this run knows of: built in, from the settings, from other programs' lists, from the project (once a
// person has agreed to it), from flags.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { httpUrl, isLoopback } from "@bosun/platform/hosts";
import { digestOf } from "@bosun/platform/json";
import { openProjectTrust, readServerList } from "@bosun/settings";
import type { ServerList, Settings } from "@bosun/settings";
import { StartupError } from "../exit.ts";
import { configFromSettings, plainConfig } from "./server-config.ts";
import type { OpenBuiltIn, ResolvePaths } from "./server-config.ts";
import type { Servers } from "./servers.ts";

export type BuiltInServer = { alias: string; label: string; open: OpenBuiltIn; resolvePaths?: ResolvePaths };

export type ServerSources = {
  settings: Settings;
  settingsFile: string;
  stateFolder: string;
  builtIns: readonly BuiltInServer[];
  /** `--mcp-config` */
  lists: readonly string[];
  /** `--mcp` */
  urls: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  cwd: string;
  say: (text: string) => void;
  /** Undefined: nobody is there to agree. */
  confirm: ((lines: readonly string[], question: string) => Promise<boolean>) | undefined;
};

/** Adds them all; gives the aliases that must connect. */
export async function addConfiguredServers(servers: Servers, sources: ServerSources): Promise<string[]> {
  const { settings, cwd } = sources;
  for (const { alias, ...builtIn } of sources.builtIns) {
    servers.add(plainConfig(alias, { kind: "builtin", ...builtIn }, "built in", settings.mcp));
  }
  for (const [alias, one] of Object.entries(settings.mcp.servers)) {
    const builtIn = one.url === undefined && one.command === undefined ? servers.get(alias) : undefined;
    if (builtIn !== undefined) builtIn.config = { ...builtIn.config, enabled: one.enabled };
    else servers.add(configFromSettings(alias, one, settings.mcp, sources.settingsFile));
  }
  for (const list of sources.lists) {
    const file = path.resolve(cwd, list);
    if (!existsSync(file)) throw new StartupError(`${file} does not exist`);
    importList(servers, sources, file, readFileSync(file, "utf8"));
  }
  if (settings.mcp.import.includes("claude-desktop")) importDesktop(servers, sources);
  await importProject(servers, sources);
  return sources.urls.map((url) => {
    if (httpUrl(url) === undefined) throw new StartupError(`--mcp ${url}: not an http address we can trust`);
    const alias = servers.freeAlias(aliasOfUrl(url));
    servers.add(plainConfig(alias, { kind: "http", url, headers: {} }, "--mcp", settings.mcp));
    return alias;
  });
}

/** First label of the host; loopback and other addresses by their numbers. */
export function aliasOfUrl(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const shownPort = port || (protocol === "https:" ? "443" : "80");
  if (isLoopback(hostname)) return `local-${shownPort}`;
  const last = /^\d+\.\d+\.\d+\.(\d+)$/.exec(hostname)?.[1];
  if (last !== undefined) return `ip-${last}-${shownPort}`;
  return hostname.split(".")[0] ?? hostname;
}

function importList(servers: Servers, sources: ServerSources, file: string, text: string, taken: string[] = []): void {
  const { settings, say } = sources;
  const list = readList(servers, sources, file, text, taken);
  for (const [alias, one] of Object.entries(list.servers)) {
    servers.add(configFromSettings(alias, one, settings.mcp, file));
  }
  for (const note of list.notes) say(`${path.basename(file)}: ${note}`);
}

function readList(servers: Servers, { env }: ServerSources, file: string, text: string, taken: string[]): ServerList {
  return readServerList(file, text, env, [...servers.list().map(({ alias }) => alias), ...taken]);
}

function importDesktop(servers: Servers, sources: ServerSources): void {
  const file = claudeDesktopFile(sources);
  if (existsSync(file)) importList(servers, sources, file, readFileSync(file, "utf8"));
  else sources.say(`there is no ${file} to import servers from`);
}

// Comes with a cloned folder: shown and agreed to once, by its content.
async function importProject(servers: Servers, sources: ServerSources): Promise<void> {
  const file = projectList(sources.cwd);
  if (file === undefined) return;
  const text = readFileSync(file, "utf8");
  // A name that the person's rules allow something for is not for a project to take.
  const taken = aliasesWithAllowRules(sources.settings);
  const trust = openProjectTrust(sources.stateFolder);
  const hash = digestOf(text);
  if (trust.isTrusted(file, hash) !== "yes") {
    const lines = whatItWouldDo(file, readList(servers, sources, file, text, taken));
    const agreed = (await sources.confirm?.(lines, "use this list of servers?")) ?? false;
    if (!agreed) return sources.say(`${file} is not used: it was not agreed to`);
    trust.trust(file, hash, new Date());
  }
  importList(servers, sources, file, text, taken);
}

/** Here, or in a folder above up to the root of the repository. */
function projectList(cwd: string): string | undefined {
  const above: string[] = [];
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    above.push(folder);
    if (existsSync(path.join(folder, ".git"))) break;
    if (folder === path.dirname(folder)) {
      above.length = 1; // no repository: only this folder is the project
      break;
    }
  }
  return above.map((folder) => path.join(folder, ".mcp.json")).find((file) => existsSync(file));
}

function aliasesWithAllowRules({ mcp, rules }: Settings): string[] {
  const patterns = [
    ...mcp.autoApprove.filter(({ verdict }) => verdict === "allow").map(({ pattern }) => pattern.text),
    ...rules.filter(({ decide }) => decide === "allow").flatMap(({ tools }) => tools),
  ];
  return [...new Set(patterns.map((pattern) => pattern.slice(0, pattern.indexOf("."))))];
}

function whatItWouldDo(file: string, { servers, notes }: ServerList): string[] {
  const lines = Object.entries(servers).map(([alias, { url, command, args }]) =>
    url === undefined
      ? `  start ${[command, ...args].join(" ")} as ${alias}`
      : `  contact ${URL.canParse(url) ? new URL(url).host : url} as ${alias}`,
  );
  return [`${file} comes with this folder. It would:`, ...lines, ...notes.map((note) => `  (${note})`)];
}

function claudeDesktopFile({ home, env }: ServerSources): string {
  const file = "claude_desktop_config.json";
  if (process.platform === "darwin") return path.join(home, "Library/Application Support/Claude", file);
  if (process.platform === "win32") return path.join(env["APPDATA"] ?? home, "Claude", file);
  return path.join(home, ".config/Claude", file);
}
