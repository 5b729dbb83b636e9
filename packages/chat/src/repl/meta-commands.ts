// The commands that begin with a colon. Each does its work on the repl it is given; `:help` is made from the same place.
import path from "node:path";
import { lastRecords, readAuditFolder } from "@bosun/policy";
import { framedText } from "../screen/untrusted-text.ts";
import { safeLine, count } from "../screen/terminal-view.ts";
import { makeRoom, messagesFor, offeredTools, toolsFor } from "../turn/model-request.ts";
import { help } from "./help-text.ts";
import { callByHand, mcpCommand } from "./meta-mcp.ts";
import { model, models } from "./meta-models.ts";
import { modeCommand, policyCommand, setPolicy } from "./meta-policy.ts";
import { exportTo, newSession, resume, sessions } from "./meta-sessions.ts";
import type { MetaCommand, Repl } from "./repl.ts";

export const META: ReadonlyMap<string, MetaCommand> = new Map<string, MetaCommand>([
  ["help", { run: help }],
  ["model", { run: model }],
  ["models", { run: models }],
  ["mcp", { run: mcpCommand }],
  ["call", { run: callByHand }],
  ["policy", { run: policyCommand }],
  ["mode", { run: modeCommand }],
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
  const tokens = (value: unknown): number => chat.tokens.estimate(JSON.stringify(value ?? "").length);
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
