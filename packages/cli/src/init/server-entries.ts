// What `bosun init` changes in a client's list of servers: text → text, and what was left alone and why.
import { dropItems, prependItems, readEditable, removeMember, setMember } from "./json-edit.ts";
import type { Invocation } from "../own-invocation.ts";
import { memberOf, valueOf } from "@bosun/platform/json";

export type Change = {
  readonly text: string;
  readonly changed: readonly string[];
  /** name → why it stays as it is */
  readonly left: readonly (readonly [string, string])[];
};

export type ServerEntry = Readonly<Record<string, unknown>>;

export const OUR_NAME = "bosun";

export function addServe(text: string, key: string, name: string, entry: ServerEntry): Change {
  const current = serversOf(text, key)[name];
  if (current !== undefined && JSON.stringify(current) === JSON.stringify(entry)) {
    return { text, changed: [], left: [[name, "is there already, just like this"]] };
  }
  if (current !== undefined && !isOurs(current, "serve")) {
    return { text, changed: [], left: [[name, "is another server of that name: choose one with --name"]] };
  }
  return { text: setMember(text, [key, name], entry), changed: [name], left: [] };
}

export function removeServe(text: string, key: string, name: string): Change {
  const current = serversOf(text, key)[name];
  if (current === undefined) return { text, changed: [], left: [[name, "is not there"]] };
  if (!isOurs(current, "serve")) return { text, changed: [], left: [[name, "is not an entry of bosun serve"]] };
  return { text: removeMember(text, [key, name]), changed: [name], left: [] };
}

/** The proxy in front of every server, or of those named. */
export function putProxyInFront(text: string, key: string, only: readonly string[], own: Invocation): Change {
  return forEach(text, key, only, (text, name, entry) => {
    const reason = whyNotProxied(entry);
    if (reason !== undefined) return reason;
    const at = [key, name];
    const [program, ...words] = own;
    const url = entry["url"] ?? entry["serverUrl"];
    if (typeof url === "string") {
      let next = setMember(text, [...at, "command"], program);
      next = setMember(next, [...at, "args"], [...words, "proxy", "--url", url]);
      if (typeof entry["type"] === "string") next = setMember(next, [...at, "type"], "stdio");
      return { text: removeMember(next, [...at, entry["url"] === undefined ? "serverUrl" : "url"]) };
    }
    const front = [...words, "proxy", "--", String(entry["command"])];
    // Items go in front of those that are there, so that comments among them stay.
    const next = Array.isArray(entry["args"])
      ? prependItems(text, [...at, "args"], front)
      : setMember(text, [...at, "args"], front);
    return { text: setMember(next, [...at, "command"], program) };
  });
}

export function takeProxyAway(text: string, key: string, only: readonly string[]): Change {
  return forEach(text, key, only, (text, name, entry) => {
    if (!isOurs(entry, "proxy")) return "has no proxy of ours in front";
    const at = [key, name];
    const args = argumentsOf(entry);
    const dashes = args.indexOf("--", args.indexOf("proxy"));
    const url = args[args.indexOf("--url") + 1];
    if (dashes < 0 && args.includes("--url") && url !== undefined) {
      let next = setMember(text, [...at, "url"], url);
      if (typeof entry["type"] === "string") next = setMember(next, [...at, "type"], "http");
      return { text: removeMember(removeMember(next, [...at, "command"]), [...at, "args"]) };
    }
    const command = args[dashes + 1];
    if (dashes < 0 || command === undefined) return "names no single server to go back to";
    const next = setMember(text, [...at, "command"], command);
    return {
      text:
        args.length === dashes + 2 ? removeMember(next, [...at, "args"]) : dropItems(next, [...at, "args"], dashes + 2),
    };
  });
}

/** Does this entry start us, with this command? */
export function isOurs(entry: unknown, command: "serve" | "proxy"): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { command: program } = entry as ServerEntry;
  const args = argumentsOf(entry as ServerEntry);
  const at = args.indexOf(command);
  if (typeof program !== "string" || at < 0) return false;
  const words = [program, ...args.slice(0, at)];
  return words.some((word) =>
    /(^|[\\/])bosun(-[\w-]+)?(\.exe|\.mjs)?$|packages[\\/](?:cli|bosun)[\\/]src[\\/]main\.ts$|^@bosun\/cli(@.*)?$/.test(
      word,
    ),
  );
}

function forEach(
  text: string,
  key: string,
  only: readonly string[],
  edit: (text: string, name: string, entry: ServerEntry) => { text: string } | string,
): Change {
  const servers = serversOf(text, key);
  const left: [string, string][] = only
    .filter((name) => servers[name] === undefined)
    .map((name) => [name, "is not there"]);
  const changed: string[] = [];
  let current = text;
  for (const [name, entry] of Object.entries(servers)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const result = edit(current, name, entry);
    if (typeof result === "string") left.push([name, result]);
    else {
      current = result.text;
      changed.push(name);
    }
  }
  return { text: current, changed, left };
}

function whyNotProxied(entry: ServerEntry): string | undefined {
  if (isOurs(entry, "proxy")) return "has the proxy in front already";
  if (isOurs(entry, "serve")) return "is bosun serve: its results are short already";
  const url = entry["url"] ?? entry["serverUrl"];
  if (typeof url === "string") {
    if (entry["type"] === "sse") return "speaks the old event-stream transport, which the proxy does not";
    if (isFilled(entry["headers"]))
      return "sends headers, which would be lost: start it with bosun proxy --servers FILE";
    return undefined;
  }
  if (typeof entry["command"] !== "string") return "has neither a command nor a url";
  return undefined;
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function argumentsOf(entry: ServerEntry): string[] {
  const { args } = entry as { args?: unknown };
  return Array.isArray(args) ? args.map(String) : [];
}

/** What a file has, in a few words. */
export function summaryOf(text: string, key: string): string {
  const entries = Object.values(serversOf(text, key));
  const served = entries.filter((entry) => isOurs(entry, "serve")).length;
  const proxied = entries.filter((entry) => isOurs(entry, "proxy")).length;
  return [
    `${entries.length} ${entries.length === 1 ? "server" : "servers"}`,
    ...(served === 0 ? [] : ["bosun serve among them"]),
    ...(proxied === 0 ? [] : [`${proxied} behind the proxy`]),
  ].join(", ");
}

function serversOf(text: string, key: string): Record<string, ServerEntry> {
  const root = readEditable(text);
  if (root.kind !== "object") throw new Error("the file holds no object");
  const member = memberOf(root, key);
  if (member === undefined) return {};
  const value = valueOf(text, member.value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${key} is not an object`);
  return Object.fromEntries(
    Object.entries(value).filter(
      (pair): pair is [string, ServerEntry] => typeof pair[1] === "object" && pair[1] !== null,
    ),
  );
}
