// Server lists of other programs (`.mcp.json`, claude_desktop_config.json, VS Code's mcp.json) → servers as our own
// settings have them. Takes what they mean, never what they approve.
import { httpUrl } from "@bosun/platform/hosts";
import { SettingsError, type Member, type Node, type TableNode } from "./settings-document.ts";
import { readJson } from "./json-settings.ts";
import type { Environment } from "./locations.ts";
import { aliasProblem, server } from "./settings-fields.ts";
import type { ServerSettings } from "./settings-table.ts";

export type ServerList = {
  readonly servers: Readonly<Record<string, ServerSettings>>;
  /** What was ignored, renamed or left out, one sentence each, to be said once. */
  readonly notes: readonly string[];
};

const APPROVALS = ["autoApprove", "alwaysAllow", "trust"];
const MAX_SERVERS = 200;

/** `taken` are aliases in use already: a clash gets -2. Throws a SettingsError when the file is no server list. */
export function readServerList(
  file: string,
  text: string,
  env: Environment,
  taken: readonly string[] = [],
): ServerList {
  const document = readJson(file, text);
  const list = document.members.get("mcpServers") ?? document.members.get("servers");
  if (list?.value.kind !== "table") throw new SettingsError(file, document.at, 'there is no "mcpServers" object');
  const entries = [...list.value.members.values()];
  if (entries.length > MAX_SERVERS) throw new SettingsError(file, list.at, `more than ${MAX_SERVERS} servers`);
  const servers: Record<string, ServerSettings> = {};
  const notes: string[] = [];
  for (const entry of entries) {
    const alias = aliasFor(entry.key, [...taken, ...Object.keys(servers)]);
    if (alias === undefined) notes.push(`${entry.key}: no alias can be made of this name`);
    else {
      if (alias !== entry.key) notes.push(`${entry.key} is called ${alias} here`);
      const made = new EntryReader(file, entry, env, notes).read();
      if (made !== undefined) servers[alias] = made;
    }
  }
  return { servers, notes };
}

class EntryReader {
  readonly #file: string;
  readonly #entry: Member;
  readonly #env: Environment;
  readonly #notes: string[];

  constructor(file: string, entry: Member, env: Environment, notes: string[]) {
    this.#file = file;
    this.#entry = entry;
    this.#env = env;
    this.#notes = notes;
  }

  read(): ServerSettings | undefined {
    const { value } = this.#entry;
    if (value.kind !== "table") return this.#leave("is not an object");
    const ignored = APPROVALS.filter((key) => value.members.has(key));
    if (ignored.length > 0) this.#note(`${ignored.join(", ")} ignored: approvals are not imported`);
    try {
      return this.#address(value);
    } catch (error) {
      // One unusable entry of another program's list is left out and named; the others count.
      if (error instanceof SettingsError) throw error;
      return this.#leave(error instanceof Error ? error.message : "cannot be read");
    }
  }

  #address(table: TableNode): ServerSettings | undefined {
    const enabled = this.#flag(table, "disabled") !== true && this.#flag(table, "enabled") !== false;
    const url = this.#text(table, "url") ?? this.#text(table, "httpUrl") ?? this.#text(table, "serverUrl");
    const command = this.#command(table);
    if (url !== undefined && command !== undefined)
      return this.#leave("has a url and a command, and only one of them can be meant");
    if (url === undefined && command === undefined) return this.#leave("needs a url or a command");
    if (command !== undefined) {
      const env = this.#texts(table, "env") ?? this.#texts(table, "environment") ?? {};
      const cwd = this.#text(table, "cwd");
      return { ...server.fallback, command: command.program, args: command.args, env, cwd, enabled };
    }
    if (url === undefined || httpUrl(url) === undefined)
      return this.#leave("its url is not a plain http:// or https:// address");
    const transport = this.#text(table, "type") === "sse" ? "sse" : "auto";
    return { ...server.fallback, url, transport, headers: this.#headers(table), enabled };
  }

  #command(table: TableNode): { program: string; args: readonly string[] } | undefined {
    const command = table.members.get("command")?.value;
    if (command === undefined) return undefined;
    // opencode and mcphost write program and arguments as one list.
    const words =
      command.kind === "list"
        ? command.items.map((item) => this.#expand(item, "command"))
        : [this.#expand(command, "command")];
    const args = table.members.get("args")?.value;
    if (args !== undefined && args.kind !== "list") throw new Error("its args are not a list");
    const [program = "", ...rest] = words;
    if (program === "") throw new Error("its command is empty");
    return { program, args: [...rest, ...(args?.items ?? []).map((item) => this.#expand(item, "args"))] };
  }

  // An object, or a list of "Name: value".
  #headers(table: TableNode): Readonly<Record<string, string>> {
    const found = table.members.get("headers")?.value;
    if (found?.kind !== "list") return this.#texts(table, "headers") ?? {};
    return Object.fromEntries(
      found.items.map((item) => {
        const line = this.#expand(item, "headers");
        const colon = line.indexOf(":");
        if (colon < 1) throw new Error('its headers are not of the form "Name: value"');
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
    );
  }

  #texts(table: TableNode, key: string): Readonly<Record<string, string>> | undefined {
    const found = table.members.get(key)?.value;
    if (found === undefined) return undefined;
    if (found.kind !== "table") throw new Error(`its ${key} is not an object`);
    return Object.fromEntries(
      [...found.members.values()].map((member) => [member.key, this.#expand(member.value, key)]),
    );
  }

  #text(table: TableNode, key: string): string | undefined {
    const found = table.members.get(key)?.value;
    return found === undefined ? undefined : this.#expand(found, key);
  }

  #flag(table: TableNode, key: string): boolean | undefined {
    const found = table.members.get(key)?.value;
    return found?.kind === "boolean" ? found.value : undefined;
  }

  // ${VAR} and ${VAR:-default}; the value is used as it is, never read again.
  #expand(node: Node, key: string): string {
    if (node.kind === "integer" || node.kind === "float" || node.kind === "boolean") return String(node.value);
    if (node.kind !== "string") throw new SettingsError(this.#file, node.at, `${this.#entry.key}.${key} must be text`);
    return node.value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
      const value = this.#env[name] ?? fallback;
      if (value === undefined) throw new Error(`the variable ${name} is not set`);
      return value;
    });
  }

  #leave(why: string): undefined {
    this.#note(`left out: ${why}`);
  }

  #note(text: string): void {
    this.#notes.push(`${this.#entry.key}: ${text}`);
  }
}

function aliasFor(name: string, taken: readonly string[]): string | undefined {
  const base = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .replace(/^[^a-z]+/, "")
    .replace(/-+$/, "")
    .slice(0, 20);
  for (let number = 1; number < 1000; number += 1) {
    const alias = number === 1 ? base : `${base}-${number}`;
    if (aliasProblem(alias) === undefined && !taken.includes(alias)) return alias;
    if (base === "") return undefined;
  }
  return undefined;
}
