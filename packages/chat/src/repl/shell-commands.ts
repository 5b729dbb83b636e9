// Lines that go to the shell: in a frame, on the terminal itself, or acting on aish so that they last.
import type { Program } from "../program.ts";
import type { Input } from "../screen/keyboard-input.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { TerminalView } from "../screen/terminal-view.ts";
import type { Terminal } from "../screen/terminal.ts";
import { statefulCommand } from "../shell/stateful-command.ts";
import type { CommandRun, InterruptHandle } from "../shell/command-runner.ts";
import { runInFrame } from "./command-frame.ts";
import { onTerminal } from "../shell/terminal-program.ts";

const GUESS_MS = 1000;
const CHANGE_MS = 10_000;

export type ShellParts = { program: Program; terminal: Terminal; input: Input; view: TerminalView };

export class ShellCommands {
  readonly #parts: ShellParts;
  readonly #folders: string[] = [];

  constructor(parts: ShellParts) {
    this.#parts = parts;
  }

  /** True when there is output that waits for the next question. */
  async run(command: string, remember: boolean): Promise<boolean> {
    const { program } = this.#parts;
    const [word = ""] = command.split(/\s+/);
    if (program.settings.shell.ttyPrograms.includes(word)) {
      await onTerminal(this.#parts, [program.runner.shell, "-c", command]);
      return false;
    }
    if (await this.#lasting(command)) return false;
    await this.framed(command, "user", remember);
    return remember;
  }

  /** A line that only looked like a command. Ctrl-C in the first second says that it was none: "wrong". */
  async guessed(command: string): Promise<"ran" | "wrong"> {
    const { terminal } = this.#parts;
    terminal.line(terminal.style.dim(`$ ${safeLine(command)}`));
    const startedAt = Date.now();
    let isWrong = false;
    const isMeant = (): boolean => !isWrong;
    await this.framed(command, "user", isMeant, () => {
      isWrong ||= Date.now() - startedAt < GUESS_MS;
      return isWrong ? "end" : "interrupt";
    });
    return isWrong ? "wrong" : "ran";
  }

  async framed(
    command: string,
    by: "user" | "model",
    remember: boolean | (() => boolean),
    onInterrupt: () => keyof InterruptHandle = () => "interrupt",
  ): Promise<CommandRun | undefined> {
    const { program, terminal, input } = this.#parts;
    // Ctrl-C counts from the moment the frame is there, not only once the process is.
    let handle: InterruptHandle | undefined;
    let early: keyof InterruptHandle | undefined;
    input.onInterrupt = () => {
      const wish = onInterrupt();
      if (handle === undefined) early = wish;
      else handle[wish]();
    };
    try {
      return await runInFrame(program, terminal, command, {
        by,
        remember: typeof remember === "boolean" ? () => remember : remember,
        onRunning: (given) => {
          handle = given;
          if (early !== undefined) given[early]();
        },
      });
    } finally {
      input.onInterrupt = undefined;
    }
  }

  /** `cd` and its like act on us. */
  async #lasting(command: string): Promise<boolean> {
    const lasting = statefulCommand(command);
    if (lasting === undefined) return false;
    const { program, view } = this.#parts;
    const { io, runner, env } = program;
    if (lasting.kind === "export") env[lasting.name] = lasting.value;
    else if (lasting.kind === "unset") for (const name of lasting.names) delete env[name];
    else if (lasting.kind === "pop") {
      const folder = this.#folders.pop();
      if (folder === undefined) view.problem("popd: there is no folder to go back to");
      else this.#changeFolder(folder);
    } else {
      const words = lasting.kind === "push" ? `cd ${lasting.folder ?? ""}` : lasting.command;
      const run = await runner.run(words, { cwd: io.cwd(), by: "user", timeoutMs: CHANGE_MS, onOutput: () => {} });
      if (run.exit !== 0 || run.cwdAfter === undefined) view.problem(run.output.trim() || `${command} failed`);
      else {
        if (lasting.kind === "push") this.#folders.push(io.cwd());
        this.#changeFolder(run.cwdAfter);
      }
    }
    return true;
  }

  #changeFolder(folder: string): void {
    const { program, view } = this.#parts;
    program.io.chdir(folder);
    view.status(`now in ${program.io.cwd()}`);
  }
}
