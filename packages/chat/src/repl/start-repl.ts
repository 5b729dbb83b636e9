// The interactive program: terminal, keyboard, person and repl put together; signals; an end that leaves nothing behind.
import { readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { ElicitAnswer, JsonObject } from "@bosun/mcp";
import type { ChatOptions } from "../config.ts";
import { EXIT, isStartupError } from "../exit.ts";
import { Program } from "../program.ts";
import type { HostOptions, Ui } from "../program.ts";
import { Input } from "../screen/keyboard-input.ts";
import type { Io, Keyboard } from "../screen/program-io.ts";
import { TerminalPrompts } from "../screen/terminal-prompts.ts";
import { safeLine, TerminalView } from "../screen/terminal-view.ts";
import { Terminal } from "../screen/terminal.ts";
import { askForm } from "./elicitation-form.ts";
import { META } from "./meta-commands.ts";
import { ageOf } from "./meta-sessions.ts";
import { makeDemoFolder } from "../model/demo-model.ts";
import { NoModel } from "../model/model-list.ts";
import { sample } from "./server-questions.ts";
import { Repl } from "./repl.ts";
import { homeRelative } from "../screen/text-layout.ts";

/** Servers that do not end by themselves are asked to, and then made to: 2 s, 3 s. */
const CLOSE_MS = 6000;
const MAX_PREVIEWED_BYTES = 1024 * 1024;
/** After a signal the process ends, whatever an orderly end still waits for. */
const FORCED_END_MS = 8000;

export async function startRepl(
  io: Io,
  keyboard: Keyboard,
  options: ChatOptions,
  prompt: string,
  host: HostOptions,
): Promise<number> {
  const terminal = new Terminal(io, { color: !options.noColor });
  const input = new Input(terminal, keyboard);
  const view = new TerminalView(terminal, { styled: !options.plain });
  let repl: Repl | undefined;
  const prompts = new TerminalPrompts(terminal, input, {
    edit: async (text, extension) => repl?.edit(text, extension),
    readFile: (file) => readSmallFile(path.resolve(io.cwd(), file)),
    bell: false,
  });
  const ui: Ui = {
    status: (text) => view.status(text),
    problem: (text) => view.problem(text),
    confirm: async (lines, question) => {
      terminal.line(lines.map((line) => safeLine(line, 1000)).join("\n"));
      return prompts.confirm(question);
    },
    elicit: (alias: string, params: JsonObject, signal: AbortSignal): Promise<ElicitAnswer> =>
      askForm(terminal, prompts, alias, params, signal),
    sample: (chat, alias, params, signal) => sample({ terminal, prompts, chat }, alias, params, signal),
    canShareFolder: true,
    serverChanged: (server) => repl?.serverChanged(server),
  };
  input.open();
  let program: Program | undefined;
  let endedBy: number | undefined;
  const demo = options.demo ? enterDemoFolder(io) : undefined;
  const stopCatching = catchMistakes(view);
  const stop = onSignals(
    io,
    input,
    () => repl,
    (exit) => (endedBy ??= exit),
  );
  try {
    // What is said in the demo is nothing to come back to.
    const here =
      demo === undefined
        ? { options, host }
        : { options: { ...options, noHistory: true }, host: { ...host, hasDemoFolder: true } };
    program = await createProgram(io, here.options, ui, here.host);
    if (endedBy !== undefined) return endedBy;
    view.isStyled = !options.plain && program.settings.render === "styled";
    prompts.bell = program.settings.bell;
    const resumed = begin(program, view);
    if (resumed === "none") return EXIT.usage;
    if (program.settings.history.maxAgeDays > 0 && !options.noHistory)
      program.sessions.prune(program.settings.history.maxAgeDays);
    repl = new Repl({ program, terminal, input, view, prompts, meta: META });
    await repl.run(prompt, resumed);
    return endedBy ?? EXIT.answered;
  } catch (error) {
    if (!isStartupError(error)) throw error;
    view.problem(error instanceof Error ? error.message : String(error));
    return EXIT.usage;
  } finally {
    await endEach([
      stop,
      stopCatching,
      () => input.close(),
      () => Promise.race([program?.close(), Bun.sleep(CLOSE_MS)]),
      () => io.endChildren(),
      () => demo?.leave(),
    ]);
  }
}

/** Every step runs, whatever became of the one before: a terminal that is gone must not leave servers behind. */
async function endEach(steps: readonly (() => unknown)[]): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      console.error(error);
    }
  }
}

/** Whatever the demo does, it does in a folder that is gone afterwards. */
function enterDemoFolder(io: Io): { leave: () => void } {
  const before = io.cwd();
  const folder = makeDemoFolder();
  io.chdir(folder);
  return {
    leave() {
      io.chdir(before);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// For a look at what an edit changes. A file that is large or not a plain one is not looked at.
function readSmallFile(file: string): string | undefined {
  try {
    const facts = statSync(file);
    return facts.isFile() && facts.size <= MAX_PREVIEWED_BYTES ? readFileSync(file, "utf8") : undefined;
  } catch {
    return undefined; // a new file
  }
}

// Without any model there is still the demo, and tools can be called by hand: better than a closed door.
async function createProgram(io: Io, options: ChatOptions, ui: Ui, host: HostOptions): Promise<Program> {
  try {
    return await Program.create(io, options, ui, host);
  } catch (error) {
    if (!(error instanceof NoModel) || options.demo) throw error;
    for (const line of [error.message, ...error.advice]) ui.status(line);
    return Program.create(io, { ...options, demo: true }, ui, host);
  }
}

/** What to say of a session that goes on; nothing for a new one. */
function begin(program: Program, view: TerminalView): string[] | undefined | "none" {
  const { resume, fork } = program.options;
  if (resume === undefined) {
    program.session.begin();
    return undefined;
  }
  const session = program.sessions.find(resume.id, program.io.cwd());
  if (typeof session === "string") {
    view.problem(session);
    return "none";
  }
  const said = program.session.resume(session, fork);
  const many = program.chat.conversation.turns.length;
  const folder = homeRelative(session.cwd, program.io.home);
  const elsewhere = session.cwd === program.io.cwd() ? [] : [`it was in ${session.cwd}; :cd goes there`];
  const first = `resuming ${session.id} · ${many} turns · last used ${ageOf(session.changedAt)} ago · cwd ${folder}`;
  return [first, ...said, ...elsewhere];
}

// A mistake of ours must not take the terminal with it: said, and the conversation goes on.
function catchMistakes(view: TerminalView): () => void {
  const say = (error: unknown): void =>
    view.problem(`a mistake in aish: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.on("unhandledRejection", say);
  process.on("uncaughtException", say);
  return () => {
    process.off("unhandledRejection", say);
    process.off("uncaughtException", say);
  };
}

function onSignals(io: Io, input: Input, repl: () => Repl | undefined, endedBy: (code: number) => void): () => void {
  const end = (code: number): void => {
    endedBy(code);
    setTimeout(() => {
      io.endChildren();
      io.exit(code);
    }, FORCED_END_MS).unref();
    repl()?.leave();
    input.onInterrupt?.();
    input.abandon();
  };
  input.onGone = () => end(EXIT.hangup);
  input.onSuspend = () => {
    void input.close().then(() => {
      process.kill(process.pid, "SIGTSTP");
      // Where nobody could wake us the system does not stop us: then we just go on. Otherwise this runs on waking.
      setTimeout(() => {
        input.open();
        input.redraw();
      }, 50);
    });
  };
  return io.onSignal((signal) => {
    if (signal === "SIGCONT") {
      input.open();
      input.redraw();
    } else if (signal === "SIGWINCH") input.redraw();
    else if (signal === "SIGINT") input.onInterrupt?.();
    else end(signal === "SIGTERM" ? EXIT.terminated : EXIT.hangup);
  });
}
