// Without a person: one question, the answer on stdout, an exit code that says what happened. What would be asked is
// refused; nothing waits for a key.
import type { ChatOptions } from "../config.ts";
import { EXIT } from "../exit-codes.ts";
import { Program } from "../program.ts";
import type { Seams, Ui } from "../program.ts";
import type { Io } from "../screen/program-io.ts";
import { runTurn } from "../turn/turn.ts";
import type { TurnEnd } from "../turn/turn.ts";
import { isSettingsProblem } from "../startup-error.ts";
import { runCommands } from "./run-allowed-commands.ts";
import { Report } from "./print-output.ts";
import { Stop } from "./stop-conditions.ts";

/** Servers that do not end by themselves are asked to, and then made to: 2 s, 3 s. */
const CLOSE_MS = 6000;

export async function runPrint(io: Io, options: ChatOptions, prompt: string, seams: Seams): Promise<number> {
  const report = new Report(io, options);
  const ui: Ui = { status: (text) => report.status(text), problem: (text) => report.problem(text) };
  let question: string;
  try {
    question = await questionOf(io, prompt);
  } catch (error) {
    report.problem(error instanceof Error ? error.message : String(error));
    return report.end(EXIT.usage, undefined, undefined);
  }
  if (question === "") {
    report.problem("there is no question: give one as an argument or on standard input");
    return report.end(EXIT.usage, undefined, undefined);
  }
  let program: Program;
  try {
    program = await Program.create(io, options, ui, seams);
  } catch (error) {
    if (!isSettingsProblem(error)) throw error;
    report.problem(error instanceof Error ? error.message : String(error));
    return report.end(EXIT.usage, undefined, undefined);
  }
  const stop = new Stop(io, options.timeoutS);
  try {
    return await answer(program, report, question, stop);
  } finally {
    stop.over();
    await Promise.race([program.close(), Bun.sleep(CLOSE_MS)]);
    io.endChildren();
  }
}

async function answer(program: Program, report: Report, question: string, stop: Stop): Promise<number> {
  const { chat, options } = program;
  await Promise.race([chat.servers.connectAll(), stop.whenStopped]);
  if (stop.reason !== undefined) return ended(report, stop, undefined, program);
  for (const server of chat.servers.list()) {
    if (server.state === "failed") report.status(`mcp: ${server.alias} failed: ${server.reason}`);
  }
  const missing = options.require.filter((alias) => chat.servers.get(alias)?.state !== "ready");
  if (missing.length > 0) {
    for (const alias of missing) report.problem(`${alias}: ${chat.servers.get(alias)?.reason ?? "not configured"}`);
    return report.end(EXIT.server, undefined, program);
  }
  if (!begin(program, report)) return report.end(EXIT.usage, undefined, program);
  report.start(program);
  chat.conversation.ask(question);
  const end = await runTurn(chat, report, {}, stop.signal);
  await runCommands(program, report, end.commands, stop.signal);
  return ended(report, stop, end, program);
}

function begin(program: Program, report: Report): boolean {
  const { resume, fork } = program.options;
  if (resume === undefined) {
    program.session.begin();
    return true;
  }
  const session = program.sessions.find(resume.id, program.io.cwd());
  if (typeof session === "string") {
    report.problem(session);
    return false;
  }
  for (const said of program.session.resume(session, fork)) report.status(said);
  return true;
}

function ended(report: Report, stop: Stop, end: TurnEnd | undefined, program: Program): number {
  const { reason } = stop;
  if (reason !== undefined) report.stopped(reason === "time" ? "the time limit was reached" : `ended by ${reason}`);
  return report.end(exitFor(end, reason), end, program);
}

function exitFor(end: TurnEnd | undefined, reason: Stop["reason"]): number {
  if (reason !== undefined) return exitOf(reason);
  if (end !== undefined && end.unapproved.length > 0) return EXIT.unapproved;
  if (end?.kind === "limit") return EXIT.limit;
  return end?.kind === "answered" ? EXIT.answered : EXIT.model;
}

function exitOf(reason: NonNullable<Stop["reason"]>): number {
  const codes = {
    pipe: EXIT.answered, // the reader had enough
    time: EXIT.time,
    SIGINT: EXIT.interrupted,
    SIGTERM: EXIT.terminated,
    SIGHUP: EXIT.hangup,
  };
  return codes[reason];
}

// Standard input first, fenced as data, then the words of the command line.
async function questionOf(io: Io, prompt: string): Promise<string> {
  const piped = (await io.stdinText?.()) ?? "";
  if (piped.trim() === "") return prompt.trim();
  if (prompt.trim() === "") return piped.trim();
  const fence = "`".repeat(Math.max(3, ...[...piped.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${piped.replace(/\n$/, "")}\n${fence}\n\n${prompt.trim()}`;
}
