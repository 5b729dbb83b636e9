// Without a person: one question, the answer on stdout, an exit code that says what happened. What would be asked is
// refused; nothing waits for a key.
import type { ChatOptions } from "../config.ts";
import { EXIT, isStartupError } from "../exit.ts";
import { Program } from "../program.ts";
import type { HostOptions, Ui } from "../program.ts";
import { NoModel } from "../model/model-list.ts";
import type { Io } from "../screen/program-io.ts";
import { withAttachments } from "../repl/attachments.ts";
import { runTurn } from "../turn/turn.ts";
import type { TurnEnd } from "../turn/turn.ts";
import { runCommands } from "./run-allowed-commands.ts";
import { PrintOutput } from "./print-output.ts";

/** Servers that do not end by themselves are asked to, and then made to: 2 s, 3 s. */
const CLOSE_MS = 6000;

export async function runPrint(io: Io, options: ChatOptions, prompt: string, host: HostOptions): Promise<number> {
  const report = new PrintOutput(io, options);
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
    program = await Program.create(io, options, ui, host);
  } catch (error) {
    if (!isStartupError(error)) throw error;
    report.problem(error instanceof Error ? error.message : String(error));
    if (error instanceof NoModel) for (const line of error.advice) report.status(line);
    return report.end(EXIT.usage, undefined, undefined);
  }
  const stop = new StopConditions(io, options.timeoutS);
  try {
    return await answer(program, report, { question, typed: prompt }, stop);
  } finally {
    stop.over();
    await Promise.race([program.close(), Bun.sleep(CLOSE_MS)]);
    io.endChildren();
  }
}

/** The whole question, and the part of it that stood on the command line. */
type Asked = { question: string; typed: string };

async function answer(
  program: Program,
  report: PrintOutput,
  { question, typed }: Asked,
  stop: StopConditions,
): Promise<number> {
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
  const attached = await withAttachments(question, chat, {
    cwd: program.io.cwd(),
    home: program.io.home,
    typed, // and nothing that was piped in
  });
  for (const note of attached.notes) report.status(note);
  chat.conversation.ask(attached.text, attached.images);
  const end = await runTurn(chat, report, {}, stop.signal);
  await runCommands(program, report, end.commands, stop.signal);
  return ended(report, stop, end, program);
}

function begin(program: Program, report: PrintOutput): boolean {
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

function ended(report: PrintOutput, stop: StopConditions, end: TurnEnd | undefined, program: Program): number {
  const { reason } = stop;
  if (reason !== undefined) report.stopped(reason === "time" ? "the time limit was reached" : `ended by ${reason}`);
  return report.end(exitFor(end, reason), end, program);
}

function exitFor(end: TurnEnd | undefined, reason: StopConditions["reason"]): number {
  if (reason !== undefined) return exitOf(reason);
  if (end !== undefined && end.unapproved.length > 0) return EXIT.unapproved;
  if (end?.kind === "limit") return EXIT.limit;
  return end?.kind === "answered" ? EXIT.answered : EXIT.model;
}

function exitOf(reason: NonNullable<StopConditions["reason"]>): number {
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

export type StopReason = "time" | "pipe" | "SIGINT" | "SIGTERM" | "SIGHUP";

export class StopConditions {
  /** The first reason; later ones change nothing. */
  reason: StopReason | undefined;
  readonly #controller = new AbortController();
  readonly #timer: Timer | undefined;
  readonly #forget: () => void;

  constructor(io: Io, timeoutS: number | undefined) {
    this.#timer = timeoutS === undefined ? undefined : setTimeout(() => this.#stop("time"), timeoutS * 1000);
    this.#forget = io.onSignal((signal) => {
      if (signal === "SIGINT" || signal === "SIGTERM" || signal === "SIGHUP") this.#stop(signal);
    });
    io.onClosedPipe(() => this.#stop("pipe"));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get whenStopped(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve();
      this.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }

  #stop(reason: StopReason): void {
    this.reason ??= reason;
    this.#controller.abort();
  }
}
