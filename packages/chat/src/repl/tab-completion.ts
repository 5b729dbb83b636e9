// What Tab can make of the beginning of a line: commands of ours, names of tools, servers, models and prompts after them, and
// files.
import { readdirSync } from "node:fs";
import path from "node:path";
import type { Servers } from "../servers/servers.ts";
import { displayName } from "../tools/tool-names.ts";

const MCP_VERBS = "list tools tool call connect disconnect reconnect log share save login logout".split(" ");
const TAKES_TOOL = /^([:/](?:call|allow|ask|deny|mcp (?:tool|call)))\s+\S*$/;
const TAKES_SERVER = /^([:/]mcp (?:connect|disconnect|reconnect|log|share|save|login|logout))\s+\S*$/;
const TAKES_MODEL = /^([:/]model)\s+\S*$/;
const TAKES_FILE = /^(?:!|[:/](?:cd|export|tty)\s)/;
const MOST_FILES = 500;

export type Completable = {
  /** Commands that begin with a colon. */
  commands: Iterable<string>;
  prompts: Iterable<string>;
  models: Iterable<string>;
  servers: Servers;
  cwd: string;
  home: string;
};

/** Whole lines that begin with this text. */
export function completions(text: string, known: Completable): string[] {
  const { servers } = known;
  const after = (lead: string | undefined, names: Iterable<string>): string[] =>
    [...names].map((name) => `${lead ?? ""} ${name}`).filter((line) => line.startsWith(text));
  const [, mention] = /(?:^|\s)@(\S*)$/.exec(text) ?? [];
  if (mention !== undefined) return [...resourcesFor(text, mention, servers), ...filesFor(text, mention, known)];
  const forTool = TAKES_TOOL.exec(text);
  if (forTool !== null) return after(forTool[1], servers.tools().map(displayName));
  const forServer = TAKES_SERVER.exec(text);
  if (forServer !== null)
    return after(
      forServer[1],
      servers.list().map(({ alias }) => alias),
    );
  const forModel = TAKES_MODEL.exec(text);
  if (forModel !== null) return after(forModel[1], known.models);
  if (TAKES_FILE.test(text)) return filesFor(text, /\S*$/.exec(text)?.[0].replace(/^!+/, "") ?? "", known);
  if (/^[:/]mcp /.test(text)) return after(text.slice(0, 4), MCP_VERBS);
  const names = text.startsWith("/")
    ? [...known.commands, ...known.prompts]
    : text.startsWith(":")
      ? known.commands
      : [];
  return [...names].map((name) => `${text.charAt(0)}${name}`).filter((line) => line.startsWith(text));
}

function resourcesFor(text: string, begun: string, servers: Servers): string[] {
  const lead = text.slice(0, text.length - begun.length);
  const names = servers.list().flatMap(({ alias, resources }) => resources.map(({ uri }) => `${alias}:${uri}`));
  return names
    .filter((name) => name.startsWith(begun) && !/\s/.test(name))
    .slice(0, MOST_FILES)
    .map((name) => lead + name);
}

/** The text with its last part made into the path of something that is there; folders end with a slash. */
function filesFor(text: string, begun: string, { cwd, home }: Completable): string[] {
  const slash = begun.lastIndexOf("/") + 1;
  const lead = begun.slice(0, slash);
  const start = begun.slice(slash);
  const folder = path.resolve(cwd, lead.startsWith("~/") ? path.join(home, lead.slice(2)) : lead);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name.startsWith(start) && !/\s/.test(name) && (start !== "" || !name.startsWith(".")))
      .slice(0, MOST_FILES)
      .map((entry) => text.slice(0, text.length - start.length) + entry.name + (entry.isDirectory() ? "/" : ""))
      .sort();
  } catch {
    return []; // there is no such folder
  }
}
