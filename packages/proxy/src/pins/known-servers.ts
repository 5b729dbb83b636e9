// What the proxy remembers of servers beside their pins: what they are called, what they were last seen to offer, and
// the change that waits for a person. `bosun proxy pins` shows and accepts exactly this, not what a server says later.
import path from "node:path";
import { isObject } from "@bosun/mcp/server";
import type { ToolDefinition } from "@bosun/shrink";
import { changeJson, readJson } from "../locked-json-file.ts";

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
const SHORT_ID = 8;
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

/** The start of an id: enough to name a server by. */
export function shortId(identity: string): string {
  return identity.slice(0, SHORT_ID);
}

/** What leads to this server and no other: its alias where only one server has it, otherwise the start of its id. */
export function referenceTo(identity: string, name: string, known: ReadonlyMap<string, KnownServer>): string {
  const isShared = [...known].some(([other, server]) => other !== identity && server.name === name);
  return isShared ? shortId(identity) : name;
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
