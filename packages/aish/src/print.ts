// Without a person: one question, the answer on stdout, an exit code that says what happened. What would be asked is
// refused; nothing waits for a key.
import type { Outcome } from "./conversation/turns.ts";
import { createScreenSafeStream } from "@bosun/guard";
import { Program } from "./program.ts";
import type { Seams, Ui } from "./program.ts";
import type { ChatOptions } from "./config.ts";
import type { Io } from "./screen/io.ts";
import { safeLine } from "./screen/terminal-view.ts";
import { Unusable } from "./unusable.ts";
import { runTurn } from "./turn/turn.ts";
import type { TurnEnd } from "./turn/turn.ts";
import type { RunningCall, ShownCall, View } from "./turn/view.ts";

export const EXIT = {
  answered: 0,
  model: 1,
  usage: 2,
  unapproved: 3,
  limit: 4,
  server: 5,
  time: 6,
  interrupted: 130,
  terminated: 143,
} as const;

const CLOSE_MS = 5000;

type CallRecord = { name: string; arguments: unknown; decision: string; outcome: string };

export async function runPrint(io: Io, options: ChatOptions, prompt: string, seams: Seams): Promise<number> {
  const report = new Report(io, options);
  const ui: Ui = { status: (text) => report.status(text), problem: (text) => report.problem(text) };
  const question = await questionOf(io, prompt);
  if (question === "") {
    report.problem("there is no question: give one as an argument or on standard input");
    return EXIT.usage;
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
  for (const server of chat.servers.list()) {
    if (server.state === "failed") report.status(`mcp: ${server.alias} failed: ${server.reason}`);
  }
  const missing = options.require.filter((alias) => chat.servers.get(alias)?.state !== "ready");
  if (missing.length > 0) {
    for (const alias of missing) report.problem(`${alias}: ${chat.servers.get(alias)?.reason ?? "not configured"}`);
    return report.end(EXIT.server, undefined, program);
  }
  if (!begin(program, report)) return EXIT.usage;
  report.start(program);
  chat.conversation.ask(question);
  const end = await runTurn(chat, report, {}, stop.signal);
  const isGone = stop.reason === "pipe";
  if (!isGone) await runCommands(program, report, end);
  return report.end(exitFor(end, stop), end, program);
}

function begin(program: Program, report: Report): boolean {
  const { resume, fork } = program.options;
  if (resume === undefined) {
    program.begin();
    return true;
  }
  const session = program.sessions.find(resume.id, program.io.cwd());
  if (session === undefined) {
    report.problem(resume.id === undefined ? "there is no session of this folder" : `there is no session ${resume.id}`);
    return false;
  }
  for (const said of program.resume(session, fork)) report.status(said);
  return true;
}

async function runCommands(program: Program, report: Report, end: TurnEnd): Promise<void> {
  for (const command of end.commands) {
    if (!program.options.allowCmd) {
      report.status(`not run (give --allow-cmd): ${command}`);
      continue;
    }
    const judged = await program.chat.gate.judgeCommand(command, program.io.cwd());
    if (judged.verdict === "deny" || (judged.verdict === "ask" && program.chat.gate.policy.judgesCommands)) {
      report.status(`not run: ${judged.reason} (${judged.rule.name}): ${command}`);
      continue;
    }
    const run = await program.runner.run(command, {
      cwd: program.io.cwd(),
      by: "model",
      timeoutMs: program.settings.shell.timeoutS * 1000,
      onOutput: (text) => report.commandOutput(text),
    });
    program.chat.conversation.remember({
      by: "model",
      command,
      cwd: program.io.cwd(),
      exit: run.exit,
      output: run.output.slice(0, program.settings.shell.maxOutputChars),
    });
    report.status(`exit ${run.exit}: ${command}`);
    if (run.exit !== 0) break;
  }
}

function exitFor(end: TurnEnd, stop: Stop): number {
  if (stop.reason === "pipe") return EXIT.answered;
  if (stop.reason === "time") return EXIT.time;
  if (stop.reason === "SIGINT") return EXIT.interrupted;
  if (stop.reason === "SIGTERM" || stop.reason === "SIGHUP") return EXIT.terminated;
  if (end.unapproved.length > 0) return EXIT.unapproved;
  if (end.kind === "limit") return EXIT.limit;
  return end.kind === "answered" ? EXIT.answered : EXIT.model;
}

/** Settings, trust and usage: exit 2, with the words of whoever found it. */
export function isSettingsProblem(error: unknown): boolean {
  if (error instanceof Unusable) return true;
  return error instanceof Error && ["SettingsError", "GuardError"].includes(error.name);
}

// Standard input first, fenced as data, then the words of the command line.
async function questionOf(io: Io, prompt: string): Promise<string> {
  const piped = (await io.stdinText?.()) ?? "";
  if (piped.trim() === "") return prompt.trim();
  if (prompt.trim() === "") return piped.trim();
  const fence = "`".repeat(Math.max(3, ...[...piped.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${piped.replace(/\n$/, "")}\n${fence}\n\n${prompt.trim()}`;
}

/** Everything that can end a run from outside. */
class Stop {
  reason: "time" | "pipe" | "SIGINT" | "SIGTERM" | "SIGHUP" | undefined;
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

  #stop(reason: NonNullable<Stop["reason"]>): void {
    this.reason ??= reason;
    this.#controller.abort();
  }
}

/** Writes what happens in the format that was asked for. */
class Report implements View {
  readonly #io: Io;
  readonly #options: ChatOptions;
  readonly #calls: CallRecord[] = [];
  readonly #unapproved: string[] = [];
  readonly #safe: ReturnType<typeof createScreenSafeStream> | undefined;
  #error: string | undefined;

  constructor(io: Io, options: ChatOptions) {
    this.#io = io;
    this.#options = options;
    // Bytes for a program stay as they are; a terminal gets nothing that acts.
    this.#safe = io.stdout.isTerminal ? createScreenSafeStream({}) : undefined;
  }

  start(program: Program): void {
    this.#event({ type: "start", session: program.chat.session, model: program.chat.model.name });
  }

  sending(): void {}

  waiting(why: string): void {
    this.status(why);
  }

  text(piece: string): void {
    this.#event({ type: "text", text: piece });
    if (this.#options.format === "text" && this.#options.all) this.#words(piece);
  }

  reasoning(): void {}

  answerEnded(): void {
    if (this.#options.format === "text" && this.#options.all) this.#words("\n");
  }

  status(text: string): void {
    this.#event({ type: "status", text });
    if (!this.#options.quiet) this.#io.stderr.write(`[aish] ${safeLine(text, 600)}\n`);
  }

  problem(text: string): void {
    this.#error ??= text;
    this.#event({ type: "status", text, level: "error" });
    this.#io.stderr.write(`[aish] ${safeLine(text, 1000)}\n`);
  }

  callList(): void {}

  decided(call: ShownCall, decision: "allow" | "deny" | "refuse", by: string): void {
    const args = call.arguments ?? call.raw;
    this.#calls.push({
      name: call.name,
      arguments: args,
      decision,
      outcome: decision === "allow" ? "running" : "refused",
    });
    if (decision === "refuse") this.#unapproved.push(call.name);
    this.#event({ type: "tool_request", name: call.name, arguments: args, decision, by });
  }

  started(call: ShownCall): RunningCall {
    const record = this.#calls.findLast((one) => one.name === call.name && one.outcome === "running");
    const ended = (outcome: Outcome, facts: Record<string, unknown>): void => {
      if (record !== undefined) record.outcome = outcome;
      this.#event({ type: "tool_result", name: call.name, outcome, ...facts });
    };
    return {
      progress: () => {},
      result: (text, { outcome, ms, bytes }) => {
        ended(outcome, { ms, bytes, text: text.slice(0, 100_000) });
        if (!this.#options.quiet)
          this.#io.stderr.write(`[aish] ${safeLine(call.name)} ${outcome} · ${bytes} bytes · ${ms} ms\n`);
      },
      failed: (words, outcome) => {
        ended(outcome, { text: words });
        this.#io.stderr.write(`[aish] mcp: ${safeLine(`${call.name}: ${words}`)}\n`);
      },
    };
  }

  notRun(call: ShownCall, words: string, outcome: Outcome): void {
    const record = this.#calls.findLast((one) => one.name === call.name);
    if (record === undefined || record.outcome !== "refused") {
      this.#calls.push({ name: call.name, arguments: call.arguments ?? call.raw, decision: "none", outcome });
    } else record.outcome = outcome;
    this.#event({ type: "tool_result", name: call.name, outcome, text: words });
    if (!this.#options.quiet) this.#io.stderr.write(`[aish] ${safeLine(`${call.name}: ${words || outcome}`)}\n`);
  }

  commandOutput(text: string): void {
    if (this.#options.format === "text")
      this.#io.stderr.write(this.#io.stderr.isTerminal ? safeLine(text, 10_000) : text);
  }

  end(exit: number, end: TurnEnd | undefined, program: Program | undefined): number {
    if (this.#unapproved.length > 0) {
      const names = [...new Set(this.#unapproved)];
      const flags = names.map((name) => `--allow '${name}'`).join(" ");
      this.#io.stderr.write(
        `[aish] refused because nobody could approve: ${safeLine(names.join(", "))}; to allow: ${safeLine(flags, 2000)}\n`,
      );
    }
    const { format, all } = this.#options;
    if (format === "text") {
      if (!all && end !== undefined && end.text !== "")
        this.#words(end.text.endsWith("\n") ? end.text : `${end.text}\n`);
      return exit;
    }
    const cost = program?.chat.cost;
    const summary = {
      text: end?.text ?? "",
      tool_calls: this.#calls,
      usage: { in: cost?.in ?? 0, out: cost?.out ?? 0 },
      model: program?.chat.model.name ?? null,
      session: program?.chat.session || null,
      exit,
      error: exit === 0 ? null : (end?.error ?? this.#error ?? null),
    };
    if (format === "json") this.#io.stdout.write(`${JSON.stringify(summary)}\n`);
    else this.#event({ type: "end", ...summary });
    return exit;
  }

  #words(text: string): void {
    this.#io.stdout.write(
      this.#safe === undefined ? text : this.#safe.push(text) + (text.endsWith("\n") ? this.#safe.flush() : ""),
    );
  }

  #event(event: Record<string, unknown>): void {
    if (this.#options.format === "jsonl") this.#io.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
