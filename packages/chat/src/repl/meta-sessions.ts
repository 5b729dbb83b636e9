// `:new`, `:sessions`, `:resume`, `:export`: this conversation and the others.
import path from "node:path";
import { exportConversation } from "../history/export-conversation.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { Repl } from "./repl.ts";
import { homeRelative } from "../screen/text-layout.ts";

export function newSession(repl: Repl): void {
  repl.program.session.begin();
  repl.view.status(`new session ${repl.program.chat.session}`);
}

export function sessions(repl: Repl, text: string): void {
  const { program } = repl;
  const lines = program.sessions
    .search(text)
    .slice(0, 20)
    .map(
      (one) =>
        `${one.id}  ${ageOf(one.changedAt).padEnd(9)} ${one.turns < 0 ? "many" : String(one.turns).padStart(4)} turns  ${safeLine(one.firstQuestion, 60)}  ${safeLine(homeRelative(one.cwd, program.io.home), 40)}`,
    );
  repl.terminal.line(
    lines.length === 0
      ? text === ""
        ? "(no sessions)"
        : `no session says ${JSON.stringify(safeLine(text))}`
      : lines.join("\n"),
  );
}

export function resume(repl: Repl, id: string): void {
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

export function exportTo(repl: Repl, file: string): void {
  if (file === "") return repl.view.problem("give a file: :export talk.md");
  const target = path.resolve(repl.program.io.cwd(), file);
  exportConversation(target, repl.program.chat.conversation.turns);
  repl.view.status(`written to ${target}`);
}

export function ageOf(date: Date): string {
  const minutes = Math.max(0, Math.round((Date.now() - date.getTime()) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1440)} days`;
}
