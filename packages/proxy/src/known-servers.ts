// What the proxy remembers of servers beside their pins: what they are called, what they were last seen to offer, and
// the change that waits for a person. `bosun proxy pins` shows and accepts exactly this, not what a server says later.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { isObject } from "@bosun/mcp/server";
import type { ToolDefinition } from "@bosun/shrink";
import type { ServerSpec } from "./downstream.ts";
import { changeJson, readJson } from "./state-file.ts";

export type KnownServer = {
  name: string;
  /** Where it is, without secrets. */
  label: string;
  seen: string;
  tools: string[];
  /** The list that is held back, without the tools that cannot be offered at all, and why those cannot. */
  pending?: { since: string; tools: ToolDefinition[]; unusable?: { [name: string]: string } };
  /** Hash of the list that a person was shown last: no other one can be accepted. */
  shown?: string;
  /** Names that look like another server's. */
  resemblances?: string[];
};

const FILE = "proxy-servers.json";
const MAX_SERVERS = 200;
const MAX_PENDING_CHARS = 4 * 1024 * 1024;

export function readKnownServers(folder: string): Map<string, KnownServer> {
  return parsed(readJson(path.join(folder, FILE)));
}

export async function noteServer(
  folder: string,
  identity: string,
  change: (known: KnownServer | undefined) => KnownServer,
): Promise<void> {
  await changeJson(path.join(folder, FILE), (value) => {
    const servers = parsed(value);
    const noted = change(servers.get(identity));
    if (JSON.stringify(noted.pending ?? "").length > MAX_PENDING_CHARS) delete noted.pending;
    servers.set(identity, noted);
    const newest = [...servers].toSorted(([, a], [, b]) => (a.seen < b.seen ? 1 : -1));
    return Object.fromEntries(newest.slice(0, MAX_SERVERS));
  });
}

export async function forgetServer(folder: string, identity: string): Promise<void> {
  await changeJson(path.join(folder, FILE), (value) => {
    const servers = parsed(value);
    servers.delete(identity);
    return Object.fromEntries(servers);
  });
}

/** As the guard names servers. A script named relative to this folder is another one in another folder. */
export function addressOf(spec: ServerSpec): { url: string } | { command: string; args: string[] } {
  if (spec.kind === "url") return { url: spec.url.href };
  const folder = spec.cwd ?? process.cwd();
  const placed = (word: string): string => {
    const file = path.resolve(folder, word);
    const isScript = !path.isAbsolute(word) && existsSync(file) && statSync(file).isFile();
    return isScript ? file : word;
  };
  return { command: placed(spec.command), args: spec.args.map(placed) };
}

function parsed(value: unknown): Map<string, KnownServer> {
  const servers = new Map<string, KnownServer>();
  for (const [identity, known] of Object.entries(isObject(value) ? value : {})) {
    if (!isObject(known)) continue;
    const { name, label, seen, tools, pending, shown, resemblances } = known;
    if (typeof name !== "string" || typeof label !== "string" || typeof seen !== "string") continue;
    servers.set(identity, {
      name,
      label,
      seen,
      tools: texts(tools),
      ...pendingOf(pending),
      ...(typeof shown === "string" ? { shown } : {}),
      resemblances: texts(resemblances),
    });
  }
  return servers;
}

function pendingOf(pending: unknown): { pending?: NonNullable<KnownServer["pending"]> } {
  if (!isObject(pending) || !Array.isArray(pending["tools"])) return {};
  const tools = pending["tools"].filter(
    (tool): tool is ToolDefinition & { [member: string]: never } => isObject(tool) && typeof tool["name"] === "string",
  );
  const unusable = Object.entries(isObject(pending["unusable"]) ? pending["unusable"] : {});
  const reasons = Object.fromEntries(unusable.map(([name, why]) => [name, String(why)]));
  return { pending: { since: String(pending["since"]), tools, unusable: reasons } };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
