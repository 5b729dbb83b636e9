// The interactive program: terminal, keyboard, person and repl put together; signals; an end that leaves nothing behind.
import type { ElicitAnswer, JsonObject } from "@bosun/mcp";
import type { ChatOptions } from "../config.ts";
import { EXIT, isStartupError, StartupError } from "../exit.ts";
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
import { Repl } from "./repl.ts";
import { homeRelative } from "../screen/text-layout.ts";

/** Servers that do not end by themselves are asked to, and then made to: 2 s, 3 s. */
const CLOSE_MS = 6000;

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
    serverChanged: (server) => repl?.serverChanged(server),
  };
  input.open();
  let program: Program | undefined;
  let code: number = EXIT.answered;
  const stopCatching = catchMistakes(view);
  const stop = onSignals(
    io,
    input,
    () => repl,
    (exit) => (code = exit),
  );
  try {
    program = await createProgram(io, options, ui, host);
    view.isStyled = !options.plain && program.settings.render === "styled";
    prompts.bell = program.settings.bell;
    const resumed = begin(program, view);
    if (resumed === "none") return EXIT.usage;
    if (program.settings.history.maxAgeDays > 0 && !options.noHistory)
      program.sessions.prune(program.settings.history.maxAgeDays);
    repl = new Repl({ program, terminal, input, view, prompts, meta: META });
    await repl.run(prompt, resumed);
    return code;
  } catch (error) {
    if (!isStartupError(error)) throw error;
    view.problem(error instanceof Error ? error.message : String(error));
    return EXIT.usage;
  } finally {
    stop();
    stopCatching();
    await input.close();
    await Promise.race([program?.close(), Bun.sleep(CLOSE_MS)]);
    io.endChildren();
  }
}

// Without any model there is still the demo, and tools can be called by hand: better than a closed door.
async function createProgram(io: Io, options: ChatOptions, ui: Ui, host: HostOptions): Promise<Program> {
  try {
    return await Program.create(io, options, ui, host);
  } catch (error) {
    if (
      !(error instanceof StartupError) ||
      options.demo ||
      options.model !== undefined ||
      !/no model is configured/.test(error.message)
    )
      throw error;
    ui.problem(error.message);
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

function onSignals(io: Io, input: Input, repl: () => Repl | undefined, setCode: (code: number) => void): () => void {
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
    else {
      setCode(signal === "SIGTERM" ? EXIT.terminated : EXIT.hangup);
      repl()?.leave();
      input.onInterrupt?.();
      input.abandon();
    }
  });
}
