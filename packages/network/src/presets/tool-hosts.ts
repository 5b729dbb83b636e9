// The hosts that package tools are configured for, asked of the tools themselves: people behind a mirror get their mirror.
// One that names no host has none: its first contact asks.
import { readFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "@bosun/platform/json";
import { runTool } from "./run-tool.ts";
import { hostOfUrl } from "./url-host.ts";
import type { HostAndPort, Tool } from "./preset-names.ts";
import type { Person } from "./run-tool.ts";

// go: no checksum server; Maven: its own settings send plain HTTP nowhere.
const NO_HOSTS = new Set(["off", "0.0.0.0"]);
const MAX_FILE_BYTES = 256 * 1024;

const ASK: Readonly<Record<Tool, (person: Person) => Promise<readonly string[]>>> = {
  npm: async (person) => {
    const settings = objectOf(JSON.parse, await runTool(["npm", "config", "list", "--json"], person));
    const registries = Object.entries(settings).filter(([name]) => /(?:^|:)registry$/.test(name));
    return registries.flatMap(([, value]) => (typeof value === "string" ? [value] : []));
  },
  pip: async (person) => {
    const [help, help3, list, list3] = await Promise.all([
      runTool(["pip", "install", "--help"], person),
      runTool(["pip3", "install", "--help"], person),
      runTool(["pip", "config", "list"], person),
      runTool(["pip3", "config", "list"], person),
    ]);
    // Of one it shows what holds, configuration included; of the others only that they exist.
    const [, index = ""] = /--index-url <url>[^(]*\(default\s+(\S+?)\)/.exec(help || help3) ?? [];
    const more = [...(list || list3).matchAll(/^global\.(?:extra-)?index-url='(.*)'$/gm)];
    return [index, ...more.flatMap(([, value = ""]) => value.split(/\\n|\s+/))];
  },
  cargo: async ({ home }) => {
    if (home === undefined) return [];
    const files = ["config.toml", "config"].map((name) => path.join(home, ".cargo", name));
    return files.flatMap((file) => registriesOf(textOfFile(file)));
  },
  go: async (person) => {
    const [proxies = "", sums = ""] = (await runTool(["go", "env", "GOPROXY", "GOSUMDB"], person)).split("\n");
    // A name with its key, and the address where it is not that name.
    const [name = "", address] = sums.split(" ");
    return [...proxies.split(/[,|]/), address ?? `https://${name.replace(/\+.*$/, "")}`];
  },
  maven: async ({ home }) => {
    const files = ["/etc/maven/settings.xml", ...(home === undefined ? [] : [path.join(home, ".m2/settings.xml")])];
    const texts = files.map((file) => textOfFile(file).replaceAll(/<!--[^]*?-->/g, ""));
    return texts.flatMap((text) => [...text.matchAll(/<url>\s*([^<\s]+)\s*<\/url>/g)].map(([, url = ""]) => url));
  },
  apt: async (person) => (await runTool(["apt-get", "indextargets", "--format", "$(SITE)"], person)).split("\n"),
};

export async function hostsOfTool(tool: Tool, person: Person): Promise<readonly HostAndPort[]> {
  const addresses = await ASK[tool](person);
  const found = addresses.flatMap((address) => hostOfUrl(address) ?? []).filter(({ host }) => !NO_HOSTS.has(host));
  return [...new Map(found.map((each) => [`${each.host}:${each.port}`, each])).values()];
}

function registriesOf(text: string): string[] {
  const settings = objectOf(Bun.TOML.parse, text);
  return [
    ["source", "registry"],
    ["registries", "index"],
  ].flatMap(([table = "", key = ""]) => {
    const entries = settings[table];
    if (!isObject(entries)) return [];
    return Object.values(entries).flatMap((entry) => {
      const value = isObject(entry) ? entry[key] : undefined;
      return typeof value === "string" ? [value] : [];
    });
  });
}

function objectOf(parse: (text: string) => unknown, text: string): { readonly [name: string]: unknown } {
  try {
    const value = parse(text);
    return isObject(value) ? value : {};
  } catch {
    // No answer, or a file that the tool itself will complain about.
    return {};
  }
}

function textOfFile(file: string): string {
  try {
    return readFileSync(file, "utf8").slice(0, MAX_FILE_BYTES);
  } catch {
    // Not there: it names nothing.
    return "";
  }
}
