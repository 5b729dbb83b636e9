// bosun init: puts Bosun into a client's configuration, or takes it out; shows the change before it makes it.
import path from "node:path";
import { isatty } from "node:tty";
import { JsonError } from "@bosun/platform/json";
import { diffOf, screenSafe } from "@bosun/platform/safe-text";
import { redact } from "@bosun/platform/secrets";
import { homeOf } from "@bosun/settings";
import { CLIENTS } from "./init/client-files.ts";
import type { Client, Place, Where } from "./init/client-files.ts";
import { ConfigFileError, readConfigFile, replaceConfigFile } from "./init/config-file.ts";
import { addServe, OUR_NAME, putProxyInFront, removeServe, summaryOf, takeProxyAway } from "./init/server-entries.ts";
import type { Change, ServerEntry } from "./init/server-entries.ts";
import { UsageError, columns, suggestion } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";
import { ownInvocation } from "./own-invocation.ts";
import type { Invocation } from "./own-invocation.ts";

export const PROGRAM: Program = {
  name: "bosun init",
  once: true,
  summary: "put Bosun into a client's configuration; shows the change first",
  usage: ["bosun init [CLIENT] [--serve|--proxy] [--remove] [options]"],
  words: Object.fromEntries(Object.entries(CLIENTS).map(([name, { title }]) => [name, title])),
  flags: [
    { name: "serve", help: "file, shell and search tools for the client (this is the default)" },
    { name: "proxy", help: "put the proxy in front of the servers that are already there" },
    { name: "remove", help: "take it out again: the entry, or with --proxy the proxy" },
    { name: "server", value: "NAME", help: "with --proxy: only this server; repeatable", repeatable: true },
    { name: "name", value: "NAME", help: `with --serve: what the entry is called (${OUR_NAME})` },
    { name: "workdir", value: "FOLDER", help: "with --serve: the folder the tools work in" },
    { name: "user", help: "the file of the user, for every project" },
    { name: "project", help: "the file of this project" },
    { name: "file", value: "FILE", help: "another file in the same format" },
    { name: "command", value: "PROGRAM", help: "how the client starts Bosun (this very executable)" },
    { name: "yes", short: "y", help: "make the change without asking" },
    { name: "dry-run", help: "only show it" },
  ],
  examples: [
    ["bosun init", "which clients are here, and what they have"],
    ["bosun init claude-code", "hands for Claude Code in every project"],
    ["bosun init vscode --workdir .", "for this project in VS Code, in this folder"],
    ["bosun init cursor --proxy", "the servers Cursor has, in fewer tokens"],
    ["bosun init cursor --proxy --remove", "and back"],
  ],
  notes: `Everything else in the file stays as it is, comments included; a dated backup is put beside it.
Exit: 0 done, or nothing to do · 1 not written · 2 wrong usage`,
};

export const runInit = command(PROGRAM, async (flags) => {
  const where: Where = {
    cwd: process.cwd(),
    home: homeOf(process.env),
    env: process.env,
    platform: process.platform,
  };
  const [name, ...surplus] = flags.operands;
  if (surplus.length > 0) throw new UsageError(`one client at a time: unexpected ${JSON.stringify(surplus[0])}`);
  refuseContradictions(flags);
  if (name === undefined) return list(where);
  const client = Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
  if (client === undefined) {
    const known = Object.keys(CLIENTS);
    throw new UsageError(
      `unknown client ${JSON.stringify(name)}; ${suggestion(name, known, `there are: ${known.join(", ")}`)}`,
    );
  }
  try {
    return change(client, where, flags);
  } catch (error) {
    // About a file of the person: its words are enough.
    if (!(error instanceof ConfigFileError)) throw error;
    console.error(`bosun init: ${screenSafe(error.message)}`);
    return 1;
  }
});

function change(client: Client, where: Where, flags: FlagValues): number {
  const place = placeOf(client, flags);
  const given = flags.text("file");
  const file = given === undefined ? client.files[place]?.(where) : path.resolve(where.cwd, given);
  if (file === undefined) throw new UsageError(`${client.title} has no configuration of the ${place}`);
  const before = readConfigFile(file, given === undefined && place === "project" ? where.cwd : undefined);
  const planned = plan(before.text, before.real, client, place, where, flags);
  for (const [name, why] of planned.left) console.log(screenSafe(`${name} ${why}.`, { oneLine: true }));
  if (planned.changed.length === 0) {
    console.log(
      planned.left.length === 0
        ? `There are no servers in ${screenSafe(before.real, { oneLine: true })}.`
        : "Nothing to change.",
    );
    return 0;
  }
  // Keys of other servers stand in such files: the change is shown, they are not.
  console.log(screenSafe(`--- ${before.text === undefined ? "(no file)" : before.real}\n+++ ${before.real}`));
  console.log(screenSafe(redact(diffOf(before.text ?? "", planned.text))));
  if (flags.has("dry-run")) return 0;
  if (!flags.has("yes") && !agreed()) {
    console.error("Nothing was written.");
    return 1;
  }
  const backup = replaceConfigFile(before, planned.text, new Date());
  console.log(screenSafe(`Written: ${before.real}${backup === undefined ? "" : `\nBackup:  ${backup}`}`));
  console.log(`Restart ${client.title} to make it count.`);
  return 0;
}

function plan(
  current: string | undefined,
  file: string,
  client: Client,
  place: Place,
  where: Where,
  flags: FlagValues,
): Change {
  const text = current === undefined || current.trim() === "" ? "{}\n" : current;
  const { key } = client;
  const only = flags.list("server");
  try {
    if (flags.has("proxy"))
      return flags.has("remove")
        ? takeProxyAway(text, key, only)
        : putProxyInFront(text, key, only, invocationFor(place, flags));
    const name = flags.text("name") ?? OUR_NAME;
    return flags.has("remove")
      ? removeServe(text, key, name)
      : addServe(text, key, name, serveEntry(client, place, where, flags));
  } catch (error) {
    // A file we cannot read as a whole is not ours to write.
    if (error instanceof JsonError) throw new ConfigFileError(`${file}:${error.message}`);
    if (error instanceof Error && /is not an? (object|list)$|holds no object$/.test(error.message))
      throw new ConfigFileError(`${file}: ${error.message}`);
    throw error;
  }
}

function serveEntry(client: Client, place: Place, { cwd }: Where, flags: FlagValues): ServerEntry {
  const [program, ...first] = invocationFor(place, flags);
  const given = flags.text("workdir");
  const folder =
    given === undefined
      ? (client.folderVariable[place] ?? (client.startsInFolder ? undefined : cwd))
      : path.resolve(cwd, given);
  const args = [...first, "serve", "--transport", "stdio", ...(folder === undefined ? [] : ["--workdir", folder])];
  return { ...(client.typed ? { type: "stdio" } : {}), command: program, args };
}

/** A project's file goes to other people's machines too: there the name on PATH serves better than our own place. */
function invocationFor(place: Place, flags: FlagValues): Invocation {
  const named = flags.text("command");
  if (named !== undefined) return [named];
  return place === "project" && isOnPath("bosun") ? ["bosun"] : ownInvocation();
}

/** Not where npx looks only: the client will not. */
function isOnPath(name: string): boolean {
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => !/node_modules[\\/]\.bin/.test(folder));
  return Bun.which(name, { PATH: folders.join(path.delimiter) }) !== null;
}

function placeOf(client: Client, flags: FlagValues): Place {
  return flags.has("user") ? "user" : flags.has("project") ? "project" : client.usual;
}

function refuseContradictions(flags: FlagValues): void {
  for (const [one, other] of [
    ["serve", "proxy"],
    ["user", "project"],
    ["yes", "dry-run"],
  ] as const) {
    if (flags.has(one) && flags.has(other)) throw new UsageError(`--${one} and --${other} exclude each other`);
  }
  const stray = flags.has("proxy")
    ? ["name", "workdir"].find((name) => flags.has(name))
    : flags.has("server")
      ? "server"
      : undefined;
  if (stray !== undefined)
    throw new UsageError(`--${stray} has no meaning ${flags.has("proxy") ? "with" : "without"} --proxy`);
}

function list(where: Where): number {
  const rows = Object.entries(CLIENTS).flatMap(([name, client]) =>
    Object.entries(client.files).map(([place, fileOf]) => {
      const shown = `${name}${place === client.usual ? "" : ` --${place}`}`;
      return [shown, screenSafe(`${fileOf(where)}  (${stateOf(fileOf(where), client)})`, { oneLine: true })] as const;
    }),
  );
  console.log(`Clients and their files:\n${columns(rows)}\n\nTry: bosun init claude-code --dry-run`);
  return 0;
}

function stateOf(file: string, { key }: Client): string {
  try {
    const { text } = readConfigFile(file, undefined);
    return text === undefined ? "absent" : text.trim() === "" ? "empty" : summaryOf(text, key);
  } catch (error) {
    // One unreadable file is a line of the list.
    return error instanceof Error ? error.message : String(error);
  }
}

function agreed(): boolean {
  if (isatty(0)) return confirm("Make this change?");
  console.error("Nobody to ask: --yes makes the change without asking.");
  return false;
}
