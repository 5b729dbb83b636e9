// `:mcp …`: servers while the conversation goes on, and tools called by hand through the same approval.
import { httpUrl } from "@bosun/platform/hosts";
import { parseObject } from "../model/argument-json.ts";
import { aliasOfUrl } from "../servers/configured-servers.ts";
import { framedText } from "../screen/untrusted-text.ts";
import { safeLine } from "../screen/terminal-view.ts";
import { plainFetch } from "../servers/open-client.ts";
import { placeOf, plainConfig } from "../servers/server-config.ts";
import { displayName, isAlias, nearest } from "../tools/tool-names.ts";
import { offeredTools } from "../turn/model-request.ts";
import { runCalls } from "../turn/run-calls.ts";
import { commandWords } from "./command-words.ts";
import { serverTable, toolCard, toolCount, toolTable } from "./text-tables.ts";
import type { Repl } from "./repl.ts";
import { saveServer } from "../settings/edit-settings-file.ts";
import { prepareSignIn } from "../servers/sign-in.ts";

/** A person reads, types a password, perhaps looks for a telephone. */
const SIGN_IN_MS = 300_000;

export async function mcpCommand(repl: Repl, rest: string): Promise<void> {
  const [verb = "list", ...words] = rest.split(/\s+/).filter((word) => word !== "");
  const tail = rest.slice(rest.indexOf(verb) + verb.length).trim();
  const { chat } = repl.program;
  switch (verb) {
    case "list":
      return repl.terminal.line(serverTable(chat.servers.list()).join("\n"));
    case "tools":
      return repl.terminal.line(toolTable(chat, tail).join("\n"));
    case "tool":
      return showTool(repl, words[0] ?? "");
    case "call":
      return callByHand(repl, tail);
    case "connect":
      return connect(repl, words, tail);
    case "disconnect":
      return disconnect(repl, words[0] ?? "");
    case "reconnect":
      return reconnect(repl, words[0] ?? "");
    case "log":
      return showLog(repl, words[0] ?? "");
    case "share":
      return share(repl, words[0] ?? "");
    case "save":
      return save(repl, words[0] ?? "");
    case "login":
      return login(repl, words);
    case "logout":
      return logout(repl, words[0] ?? "");
    default:
      repl.view.problem(
        `:mcp ${verb}? There are list, tools, tool, call, connect, disconnect, reconnect, log, share, save, login, logout`,
      );
  }
}

/** `alias.tool {json}`: looked at and asked about like a call of the model's, and the model is not told. */
export async function callByHand(repl: Repl, rest: string): Promise<void> {
  const [, name = "", json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(rest) ?? [];
  const found = repl.findTool(name);
  if (found === undefined) return noTool(repl, name);
  const args = parseObject(json.trim() === "" ? "{}" : json);
  if (args.kind === "broken") {
    return repl.view.problem(`that is not a JSON object (line ${args.line}, column ${args.column})`);
  }
  const { chat } = repl.program;
  const names = offeredTools(chat);
  const wire = names.wireOf(found.tool);
  if (wire === undefined) return repl.view.problem(`${name} is not allowed by your policy`);
  const call = { id: "by-hand", name, wire, arguments: JSON.stringify(args.value) };
  await repl.interruptible((signal) =>
    runCalls([call], { chat, view: repl.view, approver: repl.prompts, names, signal, callsLeft: 1 }),
  );
}

function showTool(repl: Repl, name: string): void {
  const found = repl.findTool(name);
  if (found === undefined) return noTool(repl, name);
  repl.terminal.line(toolCard(repl.program.chat, found.tool, (text) => framedText(repl.terminal, text)).join("\n"));
}

async function connect(repl: Repl, typed: readonly string[], tail: string): Promise<void> {
  const { chat, settings } = repl.program;
  if (typed[0] === "--") return connectCommand(repl, tail.replace(/^--\s*/, ""));
  const { words, wanted } = tokenOption(typed);
  const [target = "", alias] = words;
  if (target === "") return repl.view.problem("give an address: :mcp connect http://127.0.0.1:9000/mcp [alias]");
  const known = chat.servers.get(target);
  if (known !== undefined) {
    const token = await tokenFor(repl, wanted);
    if (token === "none") return;
    const { reach } = known.config;
    if (reach.kind === "http" && token !== undefined) known.useReach({ ...reach, ...token });
    return reconnect(repl, known.alias);
  }
  if (httpUrl(target) === undefined) {
    const [meant] = nearest(
      target,
      chat.servers.list().map((server) => server.alias),
      1,
    );
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    return repl.view.problem(`"${safeLine(target)}" is neither a known server nor an http address${hint}`);
  }
  if (alias !== undefined && !isAlias(alias))
    return repl.view.problem(`"${safeLine(alias)}" cannot be an alias: a-z, 0-9, - and _, at most 24 characters`);
  const same = chat.servers.byUrl(target);
  if (same !== undefined) {
    if (alias === undefined || alias === same.alias) return reconnect(repl, same.alias);
    if (chat.servers.has(alias)) return repl.view.problem(`there is a server called ${alias} already`);
    const before = same.alias;
    chat.servers.rename(same, alias);
    return repl.view.status(
      `mcp: ${before} is now called ${alias} (${toolCount(same.tools.length)}) · not saved; :mcp save ${alias} keeps it`,
    );
  }
  if (alias !== undefined && chat.servers.has(alias))
    return repl.view.problem(`there is a server called ${alias} already`);
  const token = await tokenFor(repl, wanted);
  if (token === "none") return;
  const name = alias ?? chat.servers.freeAlias(aliasOfUrl(target));
  const reach = { kind: "http", url: target, headers: {}, ...token } as const;
  const server = chat.servers.add(plainConfig(name, reach, "this session", settings.mcp));
  await waitFor(repl, () => server.connect());
  if (server.state === "ready" && alias === undefined)
    repl.view.status(`to choose the name: :mcp connect <url> <alias> · :mcp save ${name} keeps it`);
}

/** `--token`: asked for, and never shown; `--token-env NAME`: read from a variable. */
function tokenOption(typed: readonly string[]): { words: string[]; wanted: "ask" | { env: string } | undefined } {
  const at = typed.findIndex((word) => word === "--token" || word === "--token-env");
  if (at < 0) return { words: [...typed], wanted: undefined };
  const takes = typed[at] === "--token" ? 1 : 2;
  const words = [...typed.slice(0, at), ...typed.slice(at + takes)];
  return { words, wanted: takes === 1 ? "ask" : { env: typed[at + 1] ?? "" } };
}

async function tokenFor(
  repl: Repl,
  wanted: "ask" | { env: string } | undefined,
): Promise<{ authToken: string } | { authEnv: string } | undefined | "none"> {
  if (wanted === undefined) return undefined;
  if (wanted !== "ask") return { authEnv: wanted.env };
  const said = (await repl.prompts.secret("  token (not shown): "))?.trim() ?? "";
  if (said !== "") return { authToken: said };
  repl.view.problem("no token was given");
  return "none";
}

async function connectCommand(repl: Repl, text: string): Promise<void> {
  const { chat, settings } = repl.program;
  const words = commandWords(text);
  if (words === undefined) return repl.view.problem("a quote in this command is not closed");
  const [command = "", ...args] = words;
  if (command === "") return repl.view.problem("give a command: :mcp connect -- git-mcp --repo .");
  const shown = words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
  repl.terminal.line(`  this starts a program: ${safeLine(shown, 2000)}`);
  if (!(await repl.prompts.confirm("  start it?"))) return;
  const name = chat.servers.freeAlias(command.split("/").at(-1) ?? command);
  const server = chat.servers.add(
    plainConfig(name, { kind: "stdio", command, args, env: {}, envPass: [] }, "this session", settings.mcp),
  );
  await waitFor(repl, () => server.connect());
}

async function disconnect(repl: Repl, alias: string): Promise<void> {
  const { servers } = repl.program.chat;
  const many = servers.get(alias)?.tools.length ?? 0;
  const server = await servers.remove(alias);
  if (server === undefined) return noServer(repl, alias);
  repl.view.status(`mcp: ${alias} disconnected; ${toolCount(many)} gone`);
}

async function reconnect(repl: Repl, alias: string): Promise<void> {
  const server = repl.program.chat.servers.get(alias);
  if (server === undefined) return noServer(repl, alias);
  await waitFor(repl, () => server.reconnect());
}

/** Ctrl-C stops waiting, not the attempt. */
async function waitFor(repl: Repl, work: () => Promise<void>): Promise<void> {
  await repl.interruptible(async (signal) => {
    const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([work(), stopped]);
  });
}

function showLog(repl: Repl, alias: string): void {
  const server = repl.program.chat.servers.get(alias);
  if (server === undefined) return noServer(repl, alias);
  const { lines } = server.log;
  repl.terminal.line(lines.length === 0 ? "(nothing)" : framedText(repl.terminal, lines.join("\n")).join("\n"));
}

async function share(repl: Repl, alias: string): Promise<void> {
  const server = repl.program.chat.servers.get(alias);
  if (server === undefined) return noServer(repl, alias);
  await server.shareFolder();
  repl.view.status(`mcp: ${alias} may know that this is ${repl.program.io.cwd()}`);
}

function save(repl: Repl, alias: string): void {
  const { program } = repl;
  const server = program.chat.servers.get(alias);
  if (server === undefined) return noServer(repl, alias);
  if (server.config.reach.kind === "builtin") return repl.view.problem(`${alias} is built in`);
  if (Object.hasOwn(program.settings.mcp.servers, alias))
    return repl.view.status(`${alias} is in the settings already`);
  const file = program.loaded.file ?? `${program.loaded.folders.config}/config.toml`;
  saveServer(file, server.config);
  const { reach } = server.config;
  const token =
    reach.kind === "http" && reach.authToken !== undefined
      ? "; its token is not: put it into a variable and add auth_env"
      : "";
  repl.view.status(`${alias} (${placeOf(reach)}) is now in ${file}${token}`);
}

/** With `--keep` what is signed in is written down, and the next start needs no page. */
async function login(repl: Repl, words: readonly string[]): Promise<void> {
  const alias = words.find((word) => !word.startsWith("-")) ?? "";
  const server = repl.program.chat.servers.get(alias);
  if (server === undefined) return noServer(repl, alias);
  const { reach } = server.config;
  if (reach.kind !== "http") return repl.view.problem(`${alias} is not reached over http`);
  const { signIns } = repl.program;
  if (words.includes("--keep")) signIns.keep(reach.url);
  await repl.interruptible(async (signal) => {
    const show = (url: string): void =>
      repl.terminal.unfolded(`  open this address to sign in:\n  ${safeLine(url, 4000)}`);
    const how = { serverUrl: reach.url, fetch: plainFetch(reach), store: signIns.store, show };
    const signIn = await prepareSignIn(how, signal);
    server.authorizedFetch = signIn.fetch;
    const { connectMs } = server.config;
    server.config = { ...server.config, connectMs: Math.max(connectMs, SIGN_IN_MS) };
    try {
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      await Promise.race([server.reconnect(), stopped]);
    } finally {
      signIn.close();
      server.config = { ...server.config, connectMs };
    }
  });
}

async function logout(repl: Repl, alias: string): Promise<void> {
  const server = repl.program.chat.servers.get(alias);
  if (server === undefined) return noServer(repl, alias);
  const { reach } = server.config;
  if (reach.kind !== "http" || server.authorizedFetch === undefined)
    return repl.view.problem(`nobody is signed in at ${alias}`);
  const wasKept = await repl.program.signIns.forget(reach.url);
  server.authorizedFetch = undefined;
  await server.close();
  repl.view.status(`mcp: signed out of ${alias}${wasKept ? "; what was kept is deleted" : ""}`);
}

function noServer(repl: Repl, alias: string): void {
  const known = repl.program.chat.servers.list().map((server) => server.alias);
  repl.view.problem(`mcp: no server called "${safeLine(alias)}" (connected: ${known.join(", ") || "none"})`);
}

function noTool(repl: Repl, name: string): void {
  const near = nearest(name, repl.program.chat.servers.tools().map(displayName), 3);
  repl.view.problem(`there is no tool "${safeLine(name)}"${near.length === 0 ? "" : `; near: ${near.join(", ")}`}`);
}
