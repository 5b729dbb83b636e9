// The commands that begin with a colon. Each does its work on the repl it is given; `:help` is made from the same place.
import path from "node:path";
import { lastRecords, readAuditFolder } from "@bosun/guard";
import { exportConversation } from "../history/export.ts";
import { framedText } from "../screen/foreign-text.ts";
import { safeLine, count } from "../screen/terminal-view.ts";
import { makeRoom, messagesFor, offeredTools, toolsFor } from "../turn/request.ts";
import { callByHand, mcpCommand } from "./meta-mcp.ts";
import { policyCommand, setPolicy } from "./meta-policy.ts";
import type { MetaCommand, Repl } from "./repl.ts";
import { shortFolder } from "./short-folder.ts";

export const HELP_TEXT = ` text            ask the model                 !cmd     run a shell command, remember its output
 !!cmd           run it, do not remember       :cmd     a command of aish

 :model [name]   show or switch the model      :models           list them and check that they answer
 :mcp list       servers and their state       :mcp tools [text] tools of all servers
 :mcp tool N     one tool's schema             :mcp call N {…}   call a tool yourself (also :call)
 :mcp connect URL [alias]                      :mcp disconnect ALIAS
 :mcp reconnect ALIAS                          :mcp log ALIAS    stderr and recent traffic
 :mcp save ALIAS keep it in the settings       :mcp login ALIAS [--keep]   :mcp logout ALIAS
 :policy         what runs without asking      :allow N  :ask N  :deny N   change it
 :last [n]       full output of a tool call    :think            last reasoning
 :context        what fills the window         :compact          summarise older turns
 :cost           tokens per server and tool    :audit [n]        decisions and outcomes
 :undo           drop the last exchange        :retry            ask the last question again
 :go             go on (with command output)   :forget           drop command output that waits
 :new  :sessions :resume [id]                  :export FILE      as Markdown or JSON
 :cd DIR  :tty CMD  :edit  :config             :help [topic]     :quit  (or Ctrl-D)
 keys: Ctrl-C stop · Ctrl-D leave · Up/Down history · Ctrl-R search · end a line with \\ to go on · """ starts a block`;

const TOPICS: Readonly<Record<string, string>> = {
  models: `A model is a table in ~/.config/bosun/config.toml:

  [models.local]
  base_url = "http://127.0.0.1:8080/v1"
  model    = "qwen2.5-coder"
  key_env  = "MY_KEY"        # when the server wants a key

llama.cpp, Ollama, LM Studio and vLLM on their usual ports are found without one.`,
  tools: `Servers are tables, too:

  [mcp.servers.files]
  command = "npx"
  args    = ["@modelcontextprotocol/server-filesystem", "."]

  [mcp.servers.lab]
  url      = "https://lab.example/mcp"
  auth_env = "LAB_TOKEN"

  [mcp.auto_approve]
  "files.read_*" = true       # runs unasked
  "lab.drop"     = "deny"     # never`,
  approval: `Before a call you see the server, the tool and every argument.
  y  once      n [reason]  no      a  always…      e  edit      v  view everything      q  stop the turn
Enter is no. What you typed before the question appeared does not answer it.`,
};

export const META: ReadonlyMap<string, MetaCommand> = new Map<string, MetaCommand>([
  ["help", { run: help }],
  ["model", { run: model }],
  ["models", { run: models }],
  ["mcp", { run: mcpCommand }],
  ["call", { run: callByHand }],
  ["policy", { run: policyCommand }],
  ["allow", { run: (repl, rest) => setPolicy(repl, "allow", rest) }],
  ["ask", { run: (repl, rest) => setPolicy(repl, "ask", rest) }],
  ["deny", { run: (repl, rest) => setPolicy(repl, "deny", rest) }],
  ["last", { run: last }],
  ["think", { run: think }],
  ["context", { run: context }],
  ["compact", { run: compactNow }],
  ["cost", { run: (repl) => repl.terminal.line(repl.program.chat.cost.lines().join("\n")) }],
  ["audit", { run: audit }],
  ["undo", { run: undo }],
  ["retry", { run: (repl) => repl.retry() }],
  ["go", { run: (repl) => repl.ask("(continue)") }],
  ["forget", { run: forget }],
  ["new", { run: newSession }],
  ["sessions", { run: sessions }],
  ["resume", { run: resume }],
  ["export", { run: exportTo }],
  ["cd", { run: (repl, rest) => repl.shell(rest === "" ? "cd" : `cd ${rest}`, false) }],
  ["tty", { run: tty }],
  ["edit", { run: edit }],
  ["config", { run: config }],
  ["quit", { run: (repl) => repl.leave() }],
  ["exit", { run: (repl) => repl.leave() }],
]);

function help(repl: Repl, topic: string): void {
  const text = topic === "" ? HELP_TEXT : TOPICS[topic];
  repl.terminal.line(text ?? `there is help on: ${Object.keys(TOPICS).join(", ")}`);
}

function model(repl: Repl, name: string): void {
  const { program, view } = repl;
  if (name === "") {
    const { model: now } = program.chat;
    return view.status(
      `${now.name}: ${now.wire} at ${now.host} · ctx ${count(now.window)} · others: ${
        Object.keys(program.models.all())
          .filter((one) => one !== now.name)
          .join(", ") || "none"
      }`,
    );
  }
  const chosen = program.models.get(name);
  if (chosen !== undefined) program.chat.model = chosen;
  if (chosen === undefined)
    return view.problem(`there is no model "${name}" (there are: ${Object.keys(program.models.all()).join(", ")})`);
  view.status(`now talking to ${chosen.name} (${chosen.wire} at ${chosen.host})`);
}

async function models(repl: Repl, rest: string): Promise<void> {
  const { program } = repl;
  if (rest === "check") {
    const keeps = await program.models.checkTemplate(program.chat.model);
    const said =
      keeps === undefined
        ? "the server cannot say"
        : keeps
          ? "tool results reach the model"
          : "tool results go as text";
    return repl.view.status(`${program.chat.model.name}: ${said}`);
  }
  const names = Object.keys(program.models.all());
  await repl.interruptible(async (signal) => {
    const checked = names.map(async (name) => {
      const before = program.chat.model;
      const one = name === before.name ? before : program.models.get(name);
      const offered = await one
        ?.offered(program.chat.fetch, AbortSignal.any([signal, AbortSignal.timeout(3000)]))
        .catch((error: unknown) => String(error instanceof Error ? error.message : error));
      const state = Array.isArray(offered)
        ? `answers (${offered.length} models)`
        : `does not answer: ${safeLine(String(offered), 100)}`;
      return `${name === before.name ? "*" : " "} ${name}  ${one?.wire ?? ""} at ${one?.host ?? ""}  ${state}`;
    });
    repl.terminal.line((await Promise.all(checked)).join("\n"));
  });
}

function last(repl: Repl, which: string): void {
  const { lastResults, lastError } = repl.program.chat;
  if (which === "error")
    return repl.terminal.line(lastError === "" ? "(no error)" : framedText(repl.terminal, lastError).join("\n"));
  const place = which === "" ? 1 : Number(which);
  const found = lastResults.at(-place);
  if (found === undefined) return repl.view.status("there is no such result");
  const { frames, style } = repl.terminal;
  repl.terminal.line(
    [
      style.dim(`${frames.top}${safeLine(found.name)}`),
      ...framedText(repl.terminal, found.text),
      style.dim(frames.bottom),
    ].join("\n"),
  );
}

function think(repl: Repl): void {
  const { lastReasoning } = repl.program.chat;
  repl.terminal.line(lastReasoning === "" ? "(no reasoning yet)" : framedText(repl.terminal, lastReasoning).join("\n"));
}

function context(repl: Repl): void {
  const { chat } = repl.program;
  const { compat } = chat.model.endpoint;
  const names = offeredTools(chat);
  const tokens = (value: unknown): number => chat.budget.estimate(JSON.stringify(value ?? "").length);
  const view = chat.conversation.view();
  const results = view.filter((turn) => turn.role === "tool");
  const rows: [string, number][] = [["system prompt", tokens(chat.system())]];
  for (const server of chat.servers.list()) {
    if (server.state === "ready") rows.push([`tools of ${server.alias}`, tokens(server.tools.map(({ raw }) => raw))]);
  }
  if (chat.conversation.summary !== undefined) rows.push(["summary", tokens(chat.conversation.summary)]);
  rows.push(["turns", tokens(messagesFor(chat, compat)) - tokens(results) - tokens(chat.system())]);
  rows.push(["tool results", tokens(results)]);
  rows.push(["command output that waits", tokens(chat.conversation.pending)]);
  const used =
    tokens(messagesFor(chat, compat)) + tokens(toolsFor(chat, names, compat)) + tokens(chat.conversation.pending);
  const { window } = chat.model;
  const lines = rows.map(
    ([name, many]) =>
      `${name.padEnd(28)} ${count(Math.max(0, many)).padStart(9)}  ${String(Math.round((many / window) * 100)).padStart(3)}%`,
  );
  lines.push(`${"room left".padEnd(28)} ${count(Math.max(0, window - used)).padStart(9)}  of ${count(window)}`);
  for (const { command, exit } of chat.conversation.pending)
    lines.push(`  waits: $ ${safeLine(command, 100)} (${exit ?? "not run"})`);
  const many = names.entries().length;
  const largest = [...chat.servers.list()].sort((left, right) => right.tools.length - left.tools.length)[0];
  if (many > 40 && largest !== undefined)
    lines.push(`${many} tools are a lot: ${largest.alias} has ${largest.tools.length}; tools.allow chooses`);
  repl.terminal.line(lines.join("\n"));
}

async function compactNow(repl: Repl): Promise<void> {
  const { chat } = repl.program;
  const did = await repl.interruptible((signal) => makeRoom(chat, repl.view, offeredTools(chat), signal, true));
  if (!did) repl.view.status("there is nothing to compact");
}

function audit(repl: Repl, many: string): void {
  const { settings, loaded } = repl.program;
  const folder = settings.audit.folder ?? path.join(loaded.folders.state, "audit");
  const records = lastRecords(readAuditFolder(folder), Math.min(200, Number(many) || 10));
  const lines = records.map((record) => {
    const what = record["tool"] ?? record["command"] ?? record.kind;
    const end = record["outcome"] ?? `${String(record["verdict"] ?? "")} (${String(record["rule"] ?? "")})`;
    return safeLine(`${record.t.slice(0, 19)} ${record.kind.padEnd(8)} ${String(what)} ${String(end)}`, 300);
  });
  repl.terminal.line(lines.length === 0 ? "(nothing yet)" : lines.join("\n"));
}

function undo(repl: Repl): void {
  const question = repl.program.chat.conversation.undo();
  repl.view.status(question === undefined ? "there is nothing to undo" : `dropped: ${safeLine(question.content, 80)}`);
}

function forget(repl: Repl): void {
  const many = repl.program.chat.conversation.pending.length;
  repl.program.chat.conversation.forget();
  repl.view.status(`${many} outputs dropped`);
}

function newSession(repl: Repl): void {
  repl.program.session.begin();
  repl.view.status(`new session ${repl.program.chat.session}`);
}

function sessions(repl: Repl): void {
  const { program } = repl;
  const lines = program.sessions
    .list()
    .slice(0, 20)
    .map(
      (one) =>
        `${one.id}  ${ageOf(one.changedAt).padEnd(9)} ${one.turns < 0 ? "many" : String(one.turns).padStart(4)} turns  ${safeLine(one.firstQuestion, 60)}  ${safeLine(shortFolder(one.cwd, program.io.home), 40)}`,
    );
  repl.terminal.line(lines.length === 0 ? "(no sessions)" : lines.join("\n"));
}

function resume(repl: Repl, id: string): void {
  const { program } = repl;
  const { chat, io, sessions: folder } = program;
  const others = folder.list().filter((one) => one.id !== chat.session);
  const found =
    id === ""
      ? (others.find((one) => one.cwd === io.cwd()) ?? "there is no other session of this folder")
      : folder.find(id, io.cwd());
  if (typeof found === "string") return repl.view.problem(found);
  for (const said of program.session.resume(found, false)) repl.view.status(said);
  repl.view.status(`resumed ${found.id}`);
  repl.showLastExchange();
}

function exportTo(repl: Repl, file: string): void {
  if (file === "") return repl.view.problem("give a file: :export talk.md");
  const target = path.resolve(repl.program.io.cwd(), file);
  exportConversation(target, repl.program.chat.conversation.turns);
  repl.view.status(`written to ${target}`);
}

async function tty(repl: Repl, command: string): Promise<void> {
  const { shell } = repl.program.runner;
  await repl.onTerminal(command === "" ? [shell] : [shell, "-c", command]);
}

async function edit(repl: Repl, text: string): Promise<void> {
  const written = await repl.edit(text, "md");
  if (written !== undefined && written.trim() !== "") repl.prefill(written.trimEnd());
}

function config(repl: Repl): void {
  const { loaded, settings, chat } = repl.program;
  const { compat } = chat.model.endpoint;
  const learnt = Object.entries(compat).map(([key, value]) => `${key}=${value}`);
  repl.terminal.line(
    [
      `settings: ${loaded.file ?? "none (all defaults)"}`,
      `state:    ${loaded.folders.state}`,
      `sessions: ${repl.program.sessions.folder}`,
      `models:   ${Object.keys(repl.program.models.all()).join(", ") || "none"}`,
      `servers:  ${
        chat.servers
          .list()
          .map(({ alias }) => alias)
          .join(", ") || "none"
      }`,
      `limits:   ${chat.maxDepth} rounds, ${settings.mcp.maxToolCalls} calls per question`,
      `switches: ${learnt.join(" ")}`,
    ].join("\n"),
  );
}

export function ageOf(date: Date): string {
  const minutes = Math.max(0, Math.round((Date.now() - date.getTime()) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1440)} days`;
}
