// Every server this run knows of: built in, from the settings, from other programs' lists, from the project (once a
// person has agreed to it), from flags.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { digestOf, httpUrl, openProjectTrust } from "@bosun/guard";
import type { Settings } from "@bosun/guard";
import { importServers } from "../settings/import-servers.ts";
import { aliasFrom } from "../tools/names.ts";
import { Unusable } from "../unusable.ts";
import { configFromSettings, plainConfig } from "./server-config.ts";
import type { OpenBuiltIn } from "./server-config.ts";
import type { Servers } from "./servers.ts";

export type BuiltInServer = { alias: string; label: string; open: OpenBuiltIn };

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
  for (const { alias, label, open } of sources.builtIns) {
    servers.add(plainConfig(alias, { kind: "builtin", label, open }, "built in", settings.mcp));
  }
  for (const [alias, one] of Object.entries(settings.mcp.servers)) {
    servers.add(configFromSettings(alias, one, settings.mcp, sources.settingsFile));
  }
  for (const list of sources.lists) {
    const file = path.resolve(cwd, list);
    if (!existsSync(file)) throw new Unusable(`${file} does not exist`);
    importList(servers, sources, file, readFileSync(file, "utf8"));
  }
  const desktop = claudeDesktopFile(sources);
  if (settings.mcp.import.includes("claude-desktop") && existsSync(desktop)) {
    importList(servers, sources, desktop, readFileSync(desktop, "utf8"));
  }
  await importProject(servers, sources);
  return sources.urls.map((url) => {
    if (httpUrl(url) === undefined) throw new Unusable(`--mcp ${url}: not an http address we can trust`);
    const alias = servers.freeAlias(aliasOfUrl(url));
    servers.add(plainConfig(alias, { kind: "http", url, headers: {} }, "--mcp", settings.mcp));
    return alias;
  });
}

/** First label of the host; loopback and other addresses by their numbers. */
export function aliasOfUrl(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const shownPort = port || (protocol === "https:" ? "443" : "80");
  if (/^(?:localhost|127\.|\[::1\])/.test(hostname)) return `local-${shownPort}`;
  const last = /^\d+\.\d+\.\d+\.(\d+)$/.exec(hostname)?.[1];
  if (last !== undefined) return `ip-${last}-${shownPort}`;
  return hostname.split(".")[0] ?? hostname;
}

function importList(
  servers: Servers,
  { env, settings, say }: ServerSources,
  file: string,
  text: string,
  isTaken: (alias: string) => boolean = () => false,
): void {
  const free = (name: string): string => aliasFrom(name, (alias) => servers.has(alias) || isTaken(alias));
  try {
    const { servers: found, notes } = importServers(text, env, free);
    for (const { alias, reach, enabled, problem } of found) {
      const config = plainConfig(free(alias), reach, file, settings.mcp);
      // One with a problem is tried, so that its state says why it cannot be used.
      servers.add({
        ...config,
        enabled: enabled || problem !== undefined,
        ...(problem === undefined ? {} : { problem }),
      });
    }
    for (const note of notes) say(`${path.basename(file)}: ${note}`);
  } catch (error) {
    throw new Unusable(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

// Comes with a cloned folder: shown and agreed to once, by its content.
async function importProject(servers: Servers, sources: ServerSources): Promise<void> {
  const file = path.join(sources.cwd, ".mcp.json");
  if (!existsSync(file)) return;
  const text = readFileSync(file, "utf8");
  const trust = openProjectTrust(sources.stateFolder);
  const hash = digestOf(text);
  if (trust.isTrusted(file, hash) !== "yes") {
    const agreed = (await sources.confirm?.(whatItWouldDo(file, text, sources), "use this list of servers?")) ?? false;
    if (!agreed) return sources.say(`${file} is not used: it was not agreed to`);
    trust.trust(file, hash, new Date());
  }
  // A name that the person's rules allow something for is not for a project to take.
  const allowed = aliasesWithAllowRules(sources.settings);
  importList(servers, sources, file, text, (alias) => allowed.has(alias));
}

function aliasesWithAllowRules({ mcp, rules }: Settings): Set<string> {
  const patterns = [
    ...mcp.autoApprove.filter(({ verdict }) => verdict === "allow").map(({ pattern }) => pattern.text),
    ...rules.filter(({ decide }) => decide === "allow").flatMap(({ tools }) => tools),
  ];
  return new Set(patterns.map((pattern) => pattern.slice(0, pattern.indexOf("."))));
}

function whatItWouldDo(file: string, text: string, { env }: ServerSources): string[] {
  try {
    const { servers } = importServers(text, env, (name) => name);
    const lines = servers.map(({ alias, reach }) => {
      if (reach.kind === "http")
        return `  contact ${URL.canParse(reach.url) ? new URL(reach.url).host : reach.url} as ${alias}`;
      return reach.kind === "stdio" ? `  start ${[reach.command, ...reach.args].join(" ")} as ${alias}` : `  ${alias}`;
    });
    return [`${file} comes with this folder. It would:`, ...lines];
  } catch (error) {
    return [`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function claudeDesktopFile({ home, env }: ServerSources): string {
  const file = "claude_desktop_config.json";
  if (process.platform === "darwin") return path.join(home, "Library/Application Support/Claude", file);
  if (process.platform === "win32") return path.join(env["APPDATA"] ?? home, "Claude", file);
  return path.join(home, ".config/Claude", file);
}
