// The conversation at a terminal: one line in, where it goes, what comes of it, until the person leaves.
import { MODES } from "../approval/modes.ts";
import type { Program } from "../program.ts";
import type { Input } from "../screen/keyboard-input.ts";
import type { TerminalPrompts } from "../screen/terminal-prompts.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { TerminalView } from "../screen/terminal-view.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { Server } from "../servers/mcp-server.ts";
import { InputHistory } from "../settings/input-history.ts";
import { displayName, nearest } from "../tools/tool-names.ts";
import { runTurn } from "../turn/turn.ts";
import { FIRST_QUESTION } from "../model/demo-model.ts";
import { withAttachments } from "./attachments.ts";
import { askPrompt, promptsByName } from "./server-prompts.ts";
import { completions } from "./tab-completion.ts";
import { editText, onTerminal } from "../shell/terminal-program.ts";
import { runProposed } from "./confirm-commands.ts";
import { banner, lastExchange, settledReport, stateOf } from "./startup-messages.ts";
import { isWholeInput, joinedInput, route } from "./route-input.ts";
import { ShellCommands } from "./shell-commands.ts";
import { homeRelative } from "../screen/text-layout.ts";

const LEAVE_MS = 2000;
const SETTLE_MS = 60;
/** A question on the command line wants its tools: so long it waits for servers that are still connecting. */
const FIRST_QUESTION_MS = 5000;

export type MetaCommand = { run: (repl: Repl, rest: string) => Promise<void> | void };

export class Repl {
  readonly program: Program;
  readonly terminal: Terminal;
  readonly input: Input;
  readonly view: TerminalView;
  readonly prompts: TerminalPrompts;
  readonly history: InputHistory;
  /** What begins with a colon, by name. */
  readonly meta: ReadonlyMap<string, MetaCommand>;
  #isLeaving = false;
  #lastInterrupt = 0;
  #hasSaidServers = false;
  #hasCommandJustRun = false;
  readonly #shell: ShellCommands;
  #nextLine = "";

  constructor(parts: Pick<Repl, "program" | "terminal" | "input" | "view" | "prompts" | "meta">) {
    this.program = parts.program;
    this.terminal = parts.terminal;
    this.input = parts.input;
    this.view = parts.view;
    this.prompts = parts.prompts;
    this.meta = parts.meta;
    this.#shell = new ShellCommands(parts);
    const { settings, options, loaded } = parts.program;
    const isKept = settings.history.enabled && !options.noHistory;
    this.history = new InputHistory(isKept ? loaded.folders.state : undefined);
  }

  /** `resumed`: what to say of a session that goes on. */
  async run(firstQuestion: string, resumed?: readonly string[]): Promise<number> {
    this.#begin();
    for (const line of resumed ?? []) this.view.status(line);
    if (resumed !== undefined) this.showLastExchange();
    if (firstQuestion === "")
      setTimeout(() => void this.#connect(SETTLE_MS), 0); // the prompt first: starting servers takes time
    else {
      await this.#connect(FIRST_QUESTION_MS);
      await this.#askWithFiles(firstQuestion, false);
    }
    while (!this.#isLeaving) {
      this.input.onInterrupt = undefined;
      const initial = this.#nextLine;
      this.#nextLine = "";
      const end = await this.input.line({
        prompt: "aish> ",
        initial,
        history: this.history.lines,
        clearsOnInterrupt: true,
        isWhole: isWholeInput,
        complete: (text) => this.#completions(text),
      });
      if (end.kind === "end-of-input") break;
      if (end.kind === "interrupt") this.#interruptedAtPrompt();
      else await this.#line(end.text, end);
    }
    return 0;
  }

  leave(): void {
    this.#isLeaving = true;
  }

  /** A server settled or changed after the first line was printed. */
  serverChanged(server: Server): void {
    if (!this.#hasSaidServers) return;
    this.view.status(`mcp: ${stateOf(server)}`);
  }

  async ask(text: string, images: readonly string[] = []): Promise<void> {
    const { chat } = this.program;
    this.#hasCommandJustRun = false;
    chat.conversation.ask(text, images);
    await this.#turn();
  }

  async #askWithFiles(text: string, hasPaste: boolean): Promise<void> {
    const { chat, io } = this.program;
    const attached = await withAttachments(text, chat, { cwd: io.cwd(), home: io.home, hasPaste });
    for (const note of attached.notes) this.view.status(note);
    await this.ask(attached.text, attached.images);
  }

  #completions(text: string): string[] {
    const { chat, models, io } = this.program;
    return completions(text, {
      commands: this.meta.keys(),
      prompts: promptsByName(chat.servers).keys(),
      models: Object.keys(models.all()),
      servers: chat.servers,
      cwd: io.cwd(),
      home: io.home,
    });
  }

  /** The last question again. */
  async retry(): Promise<void> {
    const question = this.program.chat.conversation.undo();
    if (question === undefined) return this.view.status("there is nothing to ask again");
    if (question.exec) this.program.chat.conversation.pending.unshift(...question.exec);
    await this.ask(question.content, question.images);
  }

  /** Runs something that Ctrl-C can stop. */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>, onInterrupt?: () => void): Promise<T> {
    const controller = new AbortController();
    this.input.onInterrupt = () => {
      onInterrupt?.();
      controller.abort();
    };
    try {
      return await work(controller.signal);
    } finally {
      this.input.onInterrupt = undefined;
    }
  }

  async shell(command: string, remember: boolean): Promise<void> {
    this.#hasCommandJustRun = await this.#shell.run(command, remember);
  }

  /** Another program gets the terminal; we wait. */
  onTerminal(argv: readonly string[]): Promise<number | undefined> {
    return onTerminal(this, argv);
  }

  /** A text in the person's editor; undefined when it was not changed into anything. */
  edit(text: string, extension: string): Promise<string | undefined> {
    return editText(this, text, extension);
  }

  /** Puts a text on the next input line, to be seen before anything happens. */
  prefill(text: string): void {
    this.#nextLine = text;
  }

  async #line(line: string, { isPaste, hasPaste = false }: { isPaste: boolean; hasPaste?: boolean }): Promise<void> {
    const { settings, io, env } = this.program;
    const hadCommand = this.#hasCommandJustRun;
    this.#hasCommandJustRun = false;
    this.history.add(line);
    const joined = joinedInput(line);
    if (joined.trim() === "") {
      if (hadCommand) await this.ask("(continue)");
      return;
    }
    if (isPaste && /^\s*[!:]/.test(joined)) {
      this.view.status("this was pasted and begins like a command:");
      if (!(await this.prompts.confirm(`  ${safeLine(joined, 200)}\n  run it?`))) return;
    }
    const isBlock = line.startsWith('"""');
    // A prompt that is typed right after its server is ready may still be on its way.
    if (joined.startsWith("/"))
      await Promise.all(this.program.chat.servers.list().map(({ promptsListed }) => promptsListed));
    const to = isBlock
      ? ({ kind: "ask", text: joined.trim(), guessed: false } as const)
      : route(joined, {
          route: settings.shell.route,
          isMeta: (name) => this.meta.has(name),
          isPrompt: (name) => promptsByName(this.program.chat.servers).has(name),
          cwd: io.cwd(),
          home: io.home,
          env,
        });
    switch (to.kind) {
      case "nothing":
        return;
      case "unknown-meta": {
        const [meant] = nearest(to.name, [...this.meta.keys()], 1);
        return this.view.problem(
          `there is no command :${to.name}${meant === undefined ? " (:help lists them)" : `; did you mean :${meant}?`}`,
        );
      }
      case "meta":
        return this.#meta(to.name, to.rest);
      case "prompt":
        return this.#guarded(() => askPrompt(this, to.name, to.rest));
      case "subshell":
        return void (await this.onTerminal([this.program.runner.shell]));
      case "shell":
        if (to.guessed) return this.#guessed(to.command);
        return this.shell(to.command, to.remember);
      case "ask":
        if (to.guessed) this.terminal.line(this.terminal.style.dim(`? ${safeLine(to.text)}`));
        return this.#askWithFiles(to.text, hasPaste);
      default:
        to satisfies never;
    }
  }

  async #meta(name: string, rest: string): Promise<void> {
    await this.#guarded(async () => this.meta.get(name)?.run(this, rest.trim()));
  }

  /** What fails in a command is said, and the conversation goes on. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.view.problem(error instanceof Error ? error.message : String(error));
    }
  }

  // A wrong guess is undone with one key: the line goes to the model instead.
  async #guessed(command: string): Promise<void> {
    if ((await this.#shell.guessed(command)) === "wrong") await this.ask(command);
    else this.#hasCommandJustRun = true;
  }

  /** Starts every server; those that are ready within this time are in the first line. Ctrl-C ends the waiting. */
  async #connect(waitMs: number): Promise<void> {
    if (this.#isLeaving) return;
    const { servers } = this.program.chat;
    const settled = servers.connectAll();
    void settled.then(() => {
      for (const line of settledReport(this.program)) this.view.status(line);
    });
    if (servers.list().length > 0) {
      await this.interruptible(async (signal) => {
        const late = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
        const waited = new Promise<void>((resolve) => late.addEventListener("abort", () => resolve(), { once: true }));
        await Promise.race([settled, waited]);
      });
      this.#sayServers();
    }
    this.#hasSaidServers = true;
  }

  async #turn(): Promise<void> {
    const { chat } = this.program;
    const end = await this.interruptible(
      (signal) => runTurn(chat, this.view, this.prompts, signal),
      () => this.view.interrupted(),
    );
    if (end.kind === "stopped") {
      this.view.status(end.text === "" ? "stopped" : "stopped; what was said is kept (:undo drops it)");
      return;
    }
    if (end.commands.length === 0) return;
    this.#hasCommandJustRun = await runProposed(end.commands, {
      program: this.program,
      view: this.view,
      prompts: this.prompts,
      run: (command) => this.#shell.framed(command, "model", true),
    });
  }

  #begin(): void {
    const { chat, settings, io } = this.program;
    this.terminal.line(banner(this.program));
    if (!settings.shell.confirmCmd) this.view.problem("CMD: lines run without asking (shell.confirm_cmd = false)");
    if (this.program.isDemo)
      this.view.status(`everything here is real, in a folder of its own · ask: ${FIRST_QUESTION}`);
    const { mode } = chat.approvalPolicy;
    if (mode !== "ask") this.view.status(`mode ${mode}: ${MODES[mode]} (:mode changes it)`);
    if (settings.shell.route !== "ai") this.view.status(`lines go to: ${settings.shell.route}`);
    if (chat.servers.list().length === 0)
      this.view.status(`in ${homeRelative(io.cwd(), io.home)} · :help for commands`);
  }

  #sayServers(): void {
    const servers = this.program.chat.servers.list();
    const good = servers.filter(({ state }) => state === "ready" || state === "connecting").map(stateOf);
    this.view.status(`${good.length === 0 ? "" : `mcp: ${good.join(" · ")} · `}:help for commands`);
    for (const server of servers) if (server.state === "failed") this.view.problem(`mcp: ${stateOf(server)}`);
  }

  /** The last question and answer, after a resume. */
  showLastExchange(): void {
    const lines = lastExchange(this.program.chat.conversation.turns);
    if (lines.length > 0) this.terminal.line(lines.join("\n"));
  }

  #interruptedAtPrompt(): void {
    const { connecting } = this.program.chat.servers;
    if (connecting.length > 0) {
      for (const server of connecting) server.skip();
      return;
    }
    const now = Date.now();
    if (now - this.#lastInterrupt < LEAVE_MS) return this.leave();
    this.#lastInterrupt = now;
    this.terminal.line("(Ctrl-D or :quit leaves)");
  }

  /** A tool by hand, through the same approval. */
  findTool(
    name: string,
  ): { tool: ReturnType<Program["chat"]["servers"]["tools"]>[number]; server: Server } | undefined {
    const { servers } = this.program.chat;
    const tool = servers.tools().find((one) => displayName(one) === name);
    const server = tool === undefined ? undefined : servers.get(tool.alias);
    return tool === undefined || server === undefined ? undefined : { tool, server };
  }
}
