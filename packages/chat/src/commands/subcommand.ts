// `aish mcp …`, `aish sessions`, `aish doctor`: the same program without a conversation.
import path from "node:path";
import type { ChatOptions, Config } from "../config.ts";
import { EXIT, isStartupError } from "../exit.ts";
import { Program } from "../program.ts";
import type { HostOptions } from "../program.ts";
import { parseObject } from "../model/argument-json.ts";
import type { Model } from "../model/model.ts";
import { serverTable, table, toolTable } from "../repl/text-tables.ts";
import { ageOf } from "../repl/meta-sessions.ts";
import { removeServer, saveServer } from "../settings/edit-settings-file.ts";
import type { Io } from "../screen/program-io.ts";
import { safeLine } from "../screen/terminal-view.ts";
import { plainConfig } from "../servers/server-config.ts";
import { outcomeOf, wordsForPerson } from "../servers/call-end.ts";
import { textOfResult } from "../servers/result-text.ts";
import { displayName, isAlias } from "../tools/tool-names.ts";

/** What was looked at, whether it is well, and what was found. */
type Finding = [what: string, isGood: boolean, said: string];
type Subcommand = Extract<Config, { kind: "mcp" | "sessions" | "doctor" }>;

export async function runSubcommand(io: Io, config: Subcommand, host: HostOptions): Promise<number> {
  const say = (text: string): void => io.stderr.write(`[aish] ${safeLine(text, 600)}\n`);
  let program: Program;
  try {
    program = await create(io, config, say, host);
  } catch (error) {
    if (!isStartupError(error)) throw error;
    say(error instanceof Error ? error.message : String(error));
    return EXIT.usage;
  }
  try {
    if (config.kind === "sessions") return listSessions(program, config.words.join(" "));
    if (config.kind === "doctor") return await doctor(program, config.options);
    return await mcp(program, config.words, { say, name: host.name ?? "aish" });
  } finally {
    await program.close();
  }
}

// Only the doctor cares for the model, and looks for it by itself; the others work without one.
function create(io: Io, config: Subcommand, say: (text: string) => void, host: HostOptions): Promise<Program> {
  const options: ChatOptions = { ...config.options, demo: true };
  return Program.create(io, options, { status: say, problem: say }, host);
}

/** Where words go, and what the person typed to start us. */
type Voice = { say: (text: string) => void; name: string };

async function mcp(program: Program, words: readonly string[], voice: Voice): Promise<number> {
  const { say, name } = voice;
  const [verb = "list", ...rest] = words;
  const { io, chat } = program;
  const print = (lines: readonly string[]): void => io.stdout.write(`${lines.join("\n")}\n`);
  switch (verb) {
    case "list":
      await chat.servers.connectAll();
      print(serverTable(chat.servers.list()));
      return chat.servers.list().some((server) => server.state === "failed") ? EXIT.server : 0;
    case "tools":
      await chat.servers.connectAll();
      print(toolTable(chat, rest.join(" ")));
      return 0;
    case "call":
      return call(program, rest[0] ?? "", rest.slice(1).join(" "), say);
    case "add":
      return add(program, rest, voice);
    case "remove": {
      const file = settingsFile(program);
      if (removeServer(file, rest[0] ?? "")) {
        say(`${rest[0] ?? ""} is no longer in ${file}`);
        return 0;
      }
      say(`there is no [mcp.servers.${rest[0] ?? ""}] in ${file}`);
      return EXIT.usage;
    }
    default:
      say(`${name} mcp ${JSON.stringify(verb)}? There are list, tools, call, add, remove`);
      return EXIT.usage;
  }
}

async function call(program: Program, name: string, json: string, say: (text: string) => void): Promise<number> {
  const { chat, io } = program;
  const alias = name.slice(0, Math.max(0, name.indexOf(".")));
  const server = chat.servers.get(alias);
  if (server === undefined) {
    say(`there is no server called "${alias}"`);
    return EXIT.usage;
  }
  const args = parseObject(json.trim() === "" ? "{}" : json);
  if (args.kind === "broken") {
    say(`the arguments are not a JSON object (line ${args.line}, column ${args.column})`);
    return EXIT.usage;
  }
  await server.connect();
  const tool = server.tools.find((one) => displayName(one) === name);
  if (server.state !== "ready" || tool === undefined) {
    say(server.state === "ready" ? `${alias} has no such tool` : `${alias}: ${server.reason}`);
    return EXIT.server;
  }
  // Typed by the person, word for word: that is the approval. A rule that denies still denies.
  if (chat.approvalPolicy.decide(tool, server, args.value).kind === "deny") {
    say(`${name} is not allowed by your policy`);
    return EXIT.unapproved;
  }
  const end = await server.call(tool, args.value, { near: [] });
  if (end.kind !== "result") {
    say(`${name}: ${wordsForPerson(end)}`);
    return EXIT.model;
  }
  const { forPerson } = textOfResult(end.result, () => undefined);
  const shown = io.stdout.isTerminal
    ? forPerson
        .split("\n")
        .map((line) => safeLine(line, 100_000))
        .join("\n")
    : forPerson;
  io.stdout.write(`${shown}\n`);
  return outcomeOf(end) === "ok" ? 0 : EXIT.model;
}

function add(program: Program, words: readonly string[], { say, name }: Voice): number {
  const [alias = "", target = "", ...args] = words;
  const isUrl = /^https?:\/\//.test(target);
  if (!isAlias(alias) || target === "") {
    say(`${name} mcp add ALIAS URL, or ${name} mcp add ALIAS -- COMMAND ARGS…`);
    return EXIT.usage;
  }
  if (program.chat.servers.has(alias)) {
    say(`there is a server called ${alias} already`);
    return EXIT.usage;
  }
  const reach = isUrl
    ? ({ kind: "http", url: target, headers: {} } as const)
    : ({ kind: "stdio", command: target, args, env: {}, envPass: [] } as const);
  const file = settingsFile(program);
  saveServer(file, plainConfig(alias, reach, file, program.settings.mcp));
  say(`${alias} is now in ${file}`);
  return 0;
}

function listSessions(program: Program, text: string): number {
  const rows = program.sessions
    .search(text)
    .map((one) => [
      one.id,
      ageOf(one.changedAt),
      one.turns < 0 ? "many" : String(one.turns),
      safeLine(one.firstQuestion, 60),
      safeLine(one.cwd, 60),
    ]);
  program.io.stdout.write(
    `${rows.length === 0 ? "no sessions" : table([["id", "age", "turns", "first question", "folder"], ...rows]).join("\n")}\n`,
  );
  return 0;
}

async function doctor(program: Program, wished: ChatOptions): Promise<number> {
  const { io, chat, loaded } = program;
  const rows: Finding[] = [
    ["settings", true, loaded.file ?? "none, all defaults"],
    ...(await modelFindings(program, wished)),
  ];
  await chat.servers.connectAll();
  for (const server of chat.servers.list()) {
    const isGood = server.state === "ready" || !server.config.enabled;
    const said =
      server.state === "ready"
        ? `${server.tools.length} tools, ${server.revision ?? ""}, ${server.lastMs ?? 0} ms`
        : server.config.enabled
          ? server.reason
          : "disabled";
    rows.push([`mcp ${server.alias}`, isGood, safeLine(said)]);
  }
  for (const rule of chat.approvalPolicy.unmatched(chat.servers.tools()))
    rows.push(["rules", false, `${safeLine(rule)} matches no tool`]);
  rows.push(["state", true, loaded.folders.state]);
  const lines = table(rows.map(([what, isGood, said]) => [isGood ? "ok  " : "FAIL", what, said]));
  io.stdout.write(`${lines.join("\n")}\n`);
  return rows.every(([, isGood]) => isGood) ? 0 : 1;
}

async function modelFindings({ chat, models }: Program, wished: ChatOptions): Promise<Finding[]> {
  let model: Model;
  try {
    model = wished.demo ? chat.model : await models.choose(wished.model);
  } catch (error) {
    return [["model", false, safeLine(messageOf(error), 600)]];
  }
  const who = `${model.name} (${model.wire} at ${model.host})`;
  const offered = await model.offered(chat.fetch).catch(messageOf);
  if (!Array.isArray(offered)) return [["model", false, `${who}: ${safeLine(offered)}`]];
  if (offered.length === 0 || offered.includes(model.wire)) return [["model", true, `${who}: answers`]];
  const others = offered.slice(0, 8).join(", ");
  return [["model", false, safeLine(`${who}: the server does not list it; it has ${others}`, 600)]];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function settingsFile(program: Program): string {
  return program.loaded.file ?? path.join(program.loaded.folders.config, "config.toml");
}
