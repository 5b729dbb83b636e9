// The conversation at a terminal: one line in, where it goes, what comes of it, until the person leaves.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { MAX_COMMANDS } from "../conversation/cmd-lines.ts";
import type { Program } from "../program.ts";
import { VERSION } from "../program.ts";
import type { Input } from "../screen/input.ts";
import type { TerminalPerson } from "../screen/terminal-person.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { TerminalView } from "../screen/terminal-view.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { Server } from "../servers/server.ts";
import { InputHistory } from "../settings/state.ts";
import { lastingCommand } from "../shell/lasting-command.ts";
import { runOnTerminal } from "../shell/terminal-child.ts";
import { displayName, nearest } from "../tools/names.ts";
import { MANY_TOOLS } from "../turn/request.ts";
import { runTurn } from "../turn/turn.ts";
import { runInFrame } from "./command-frame.ts";
import { toolCount } from "./listings.ts";
import { isWholeInput, joinedInput, route } from "./route.ts";
import { shortFolder } from "./short-folder.ts";

const LEAVE_MS = 2000;
const SETTLE_MS = 120;
const GUESS_MS = 1000;

export type MetaCommand = { run: (repl: Repl, rest: string) => Promise<void> | void };

export class Repl {
  readonly program: Program;
  readonly terminal: Terminal;
  readonly input: Input;
  readonly view: TerminalView;
  readonly person: TerminalPerson;
  readonly history: InputHistory;
  /** What begins with a colon, by name. */
  readonly meta: ReadonlyMap<string, MetaCommand>;
  #isLeaving = false;
  #lastInterrupt = 0;
  #hasSaidServers = false;
  #hasCommandJustRun = false;
  #folders: string[] = [];
  #nextLine = "";
  readonly #reported = new Set<string>();

  constructor(parts: Pick<Repl, "program" | "terminal" | "input" | "view" | "person" | "meta">) {
    this.program = parts.program;
    this.terminal = parts.terminal;
    this.input = parts.input;
    this.view = parts.view;
    this.person = parts.person;
    this.meta = parts.meta;
    const { settings, options, loaded } = parts.program;
    const isKept = settings.history.enabled && !options.noHistory;
    this.history = new InputHistory(isKept ? loaded.folders.state : undefined);
  }

  /** `resumed`: what to say of a session that goes on. */
  async run(firstQuestion: string, resumed?: readonly string[]): Promise<number> {
    this.#banner();
    for (const line of resumed ?? []) this.view.status(line);
    if (resumed !== undefined) this.showLastExchange();
    const settled = this.program.chat.servers.connectAll();
    void settled.then(() => this.#reportRules());
    if (this.program.chat.servers.list().length > 0) {
      // Fast servers are in the first line; nobody waits for the others.
      await Promise.race([settled, Bun.sleep(SETTLE_MS)]);
      this.#sayServers();
    }
    this.#hasSaidServers = true;
    if (firstQuestion !== "") await this.ask(firstQuestion);
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
        complete: (text) => this.#complete(text),
      });
      if (end.kind === "end-of-input") break;
      if (end.kind === "interrupt") this.#interruptedAtPrompt();
      else await this.#line(end.text, end.isPaste);
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

  async ask(text: string): Promise<void> {
    const { chat } = this.program;
    this.#hasCommandJustRun = false;
    chat.conversation.ask(text);
    await this.#turn();
  }

  /** The last question again. */
  async retry(): Promise<void> {
    const question = this.program.chat.conversation.undo();
    if (question === undefined) return this.view.status("there is nothing to ask again");
    if (question.exec) this.program.chat.conversation.pending.unshift(...question.exec);
    await this.ask(question.content);
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
    const { program } = this;
    const [word = ""] = command.split(/\s+/);
    if (program.settings.shell.ttyPrograms.includes(word))
      return void (await this.onTerminal([program.runner.shell, "-c", command]));
    if (await this.#lasting(command)) return;
    await this.#framed(command, "user", remember);
    this.#hasCommandJustRun = remember;
  }

  /** Another program gets the terminal; we wait. */
  async onTerminal(argv: readonly string[]): Promise<number | undefined> {
    await this.input.close();
    try {
      return await runOnTerminal({ argv, cwd: this.program.io.cwd(), env: this.program.runner.environment("user") });
    } catch (error) {
      this.view.problem(error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      this.input.open();
    }
  }

  /** A text in the person's editor; undefined when it was not changed into anything. */
  readonly edit = async (text: string, extension: string): Promise<string | undefined> => {
    const editor = this.program.env["VISUAL"] || this.program.env["EDITOR"] || "vi";
    const folder = mkdtempSync(path.join(tmpdir(), "aish-"));
    const file = path.join(folder, `edit.${extension}`);
    try {
      writeFileSync(file, text, { mode: 0o600 });
      const quoted = `'${file.replaceAll("'", `'\\''`)}'`;
      const code = await this.onTerminal(["/bin/sh", "-c", `${editor} ${quoted}`]);
      return code === 0 ? readFileSync(file, "utf8") : undefined;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  /** Puts a text on the next input line, to be seen before anything happens. */
  prefill(text: string): void {
    this.#nextLine = text;
  }

  changeFolder(folder: string): void {
    this.program.io.chdir(folder);
    this.view.status(`now in ${this.program.io.cwd()}`);
  }

  async #line(line: string, isPaste: boolean): Promise<void> {
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
      if (!(await this.person.confirm(`  ${safeLine(joined, 200)}\n  run it?`))) return;
    }
    const isBlock = line.startsWith('"""');
    const to = isBlock
      ? ({ kind: "ask", text: joined.trim(), guessed: false } as const)
      : route(joined, {
          route: settings.shell.route,
          isMeta: (name) => this.meta.has(name),
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
      case "subshell":
        return void (await this.onTerminal([this.program.runner.shell]));
      case "shell":
        if (to.guessed) return this.#guessed(to.command);
        return this.shell(to.command, to.remember);
      case "ask":
        if (to.guessed) this.terminal.line(this.terminal.style.dim(`? ${safeLine(to.text)}`));
        return this.ask(to.text);
      default:
        to satisfies never;
    }
  }

  async #meta(name: string, rest: string): Promise<void> {
    try {
      await this.meta.get(name)?.run(this, rest.trim());
    } catch (error) {
      this.view.problem(error instanceof Error ? error.message : String(error));
    }
  }

  // A wrong guess is undone with one key: Ctrl-C in the first second sends the line to the model instead.
  async #guessed(command: string): Promise<void> {
    this.terminal.line(this.terminal.style.dim(`$ ${safeLine(command)}`));
    const startedAt = Date.now();
    let isWrong = false;
    await this.#framed(command, "user", true, () => {
      if (Date.now() - startedAt < GUESS_MS) isWrong = true;
    });
    if (isWrong) await this.ask(command);
    else this.#hasCommandJustRun = true;
  }

  async #framed(command: string, by: "user" | "model", remember: boolean, onInterrupt?: () => void) {
    try {
      return await runInFrame(this.program, this.terminal, command, {
        by,
        remember,
        onRunning: (interrupt) => {
          this.input.onInterrupt = () => {
            onInterrupt?.();
            interrupt();
          };
        },
      });
    } finally {
      this.input.onInterrupt = undefined;
    }
  }

  /** `cd` and its like act on us, so that they last. */
  async #lasting(command: string): Promise<boolean> {
    const lasting = lastingCommand(command);
    if (lasting === undefined) return false;
    const { io, runner, env } = this.program;
    if (lasting.kind === "export") env[lasting.name] = lasting.value;
    else if (lasting.kind === "unset") for (const name of lasting.names) delete env[name];
    else if (lasting.kind === "pop") {
      const folder = this.#folders.pop();
      if (folder === undefined) this.view.problem("popd: there is no folder to go back to");
      else this.changeFolder(folder);
    } else {
      const words = lasting.kind === "push" ? `cd ${lasting.folder ?? ""}` : lasting.command;
      const run = await runner.run(words, { cwd: io.cwd(), by: "user", timeoutMs: 10_000, onOutput: () => {} });
      if (run.exit !== 0 || run.cwdAfter === undefined) this.view.problem(run.output.trim() || `${command} failed`);
      else {
        if (lasting.kind === "push") this.#folders.push(io.cwd());
        this.changeFolder(run.cwdAfter);
      }
    }
    return true;
  }

  async #turn(): Promise<void> {
    const { chat } = this.program;
    const end = await this.interruptible(
      (signal) => runTurn(chat, this.view, this.person, signal),
      () => this.view.interrupted(),
    );
    if (end.kind === "stopped") {
      this.view.status(end.text === "" ? "stopped" : "stopped; what was said is kept (:undo drops it)");
      return;
    }
    if (end.commands.length > 0) await this.#commands(end.commands);
  }

  async #commands(all: readonly string[]): Promise<void> {
    const { settings, io, runner, chat } = this.program;
    const commands = all.slice(0, MAX_COMMANDS);
    if (all.length > commands.length)
      this.view.status(`${all.length - commands.length} more commands in this answer are not asked about`);
    for (const [place, command] of commands.entries()) {
      const isLast = place === commands.length - 1;
      const judged = await chat.gate.judgeCommand(command, io.cwd());
      if (judged.verdict === "deny") {
        this.view.problem(`not run: ${judged.reason} (${judged.rule.name})`);
        chat.conversation.remember({ by: "model", command, cwd: io.cwd(), output: "" });
        continue;
      }
      const mustAsk = settings.shell.confirmCmd || (judged.verdict === "ask" && chat.gate.policy.judgesCommands);
      const answer = mustAsk
        ? await this.person.command(command, { cwd: shortFolder(io.cwd(), io.home), shell: runner.shell })
        : ({ kind: "run", command } as const);
      if (answer.kind === "stop") return;
      if (answer.kind === "no") {
        chat.conversation.remember({ by: "model", command, cwd: io.cwd(), output: "" });
        this.view.status("not run");
        if (!isLast && !(await this.person.confirm("  go on with the others?"))) return;
        continue;
      }
      const run = await this.#framed(answer.command, "model", true);
      this.#hasCommandJustRun = true;
      if (run?.exit !== 0 && !isLast && !(await this.person.confirm("  it failed; go on with the others?"))) return;
    }
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

  #complete(text: string): string[] {
    if (text.startsWith(":mcp ")) {
      const verbs = ["list", "tools", "tool", "call", "connect", "disconnect", "reconnect", "log", "save", "login"];
      return verbs.map((verb) => `:mcp ${verb}`).filter((one) => one.startsWith(text));
    }
    if (/^:(?:call|allow|ask|deny)\s/.test(text)) {
      const [command = ""] = text.split(/\s/);
      return this.program.chat.servers
        .tools()
        .map((tool) => `${command} ${displayName(tool)}`)
        .filter((one) => one.startsWith(text));
    }
    return text.startsWith(":")
      ? [...this.meta.keys()].map((name) => `:${name}`).filter((one) => one.startsWith(text))
      : [];
  }

  #banner(): void {
    const { chat, settings, io } = this.program;
    const { model } = chat;
    const window = model.window >= 1000 ? `${Math.round(model.window / 1024)}k` : String(model.window);
    const where = model.name === "demo" ? "built-in demo, no model" : `${model.wire} at ${model.host}`;
    this.terminal.line(
      `aish ${VERSION} · model ${safeLine(model.name)} (${safeLine(where)}) · ctx ${window} · session ${chat.session}`,
    );
    if (!settings.shell.confirmCmd) this.view.problem("CMD: lines run without asking (shell.confirm_cmd = false)");
    if (settings.shell.route !== "ai") this.view.status(`lines go to: ${settings.shell.route}`);
    if (chat.servers.list().length === 0) this.view.status(`in ${shortFolder(io.cwd(), io.home)} · :help for commands`);
  }

  #sayServers(): void {
    this.#hasSaidServers = true;
    const servers = this.program.chat.servers.list();
    const good = servers.filter(({ state }) => state === "ready" || state === "connecting");
    const parts = good.map(stateOf);
    this.view.status(`${parts.length === 0 ? "" : `mcp: ${parts.join(" · ")} · `}:help for commands`);
    for (const server of servers) if (server.state === "failed") this.view.problem(`mcp: ${stateOf(server)}`);
  }

  /** A rule that matches nothing is a slip of the pen. Said once each, and only for servers that are not just down. */
  #reportRules(): void {
    const { chat, usedTools } = this.program;
    const aliases = chat.servers.list().map(({ alias }) => alias);
    const ready = new Set(
      chat.servers
        .list()
        .filter(({ state }) => state === "ready")
        .map(({ alias }) => alias),
    );
    for (const rule of chat.gate.unmatched(chat.servers.tools())) {
      const pattern = /"([^"]+)"$/.exec(rule)?.[1] ?? rule;
      const alias = pattern.slice(0, pattern.indexOf("."));
      if (this.#reported.has(rule) || (aliases.includes(alias) && !ready.has(alias))) continue;
      this.#reported.add(rule);
      const [meant] = nearest(alias, aliases, 1);
      const hint = meant === undefined || meant === alias ? "" : ` (did you mean "${meant}"?)`;
      const what = aliases.includes(alias) ? "tool of that server" : "configured server";
      this.view.status(`mcp: auto_approve entry "${pattern}" matches no ${what}${hint}`);
    }
    this.#reportSize();
    const known = new Set(chat.servers.tools().map(displayName));
    for (const name of usedTools) {
      const alias = name.slice(0, name.indexOf("."));
      if (!known.has(name) && ready.has(alias))
        this.view.status(
          `mcp: ${alias} no longer offers ${name.slice(alias.length + 1)} (it was used earlier in this session)`,
        );
    }
  }

  #reportSize(): void {
    const { chat } = this.program;
    const tools = chat.servers.tools();
    const size = (server: Server): number => JSON.stringify(server.tools.map(({ raw }) => raw)).length;
    const servers = [...chat.servers.list()].sort((left, right) => size(right) - size(left));
    const tokens = chat.budget.estimate(servers.reduce((sum, server) => sum + size(server), 0));
    const [largest] = servers;
    if (largest === undefined || (tools.length <= MANY_TOOLS && tokens <= chat.model.window / 4)) return;
    this.view.status(
      `${tools.length} tools take about ${tokens} tokens of each request; ${largest.alias} is the largest (tools.allow chooses)`,
    );
  }

  /** The last question and answer, after a resume. */
  showLastExchange(): void {
    const { turns } = this.program.chat.conversation;
    const from = turns.findLastIndex((turn) => turn.role === "user");
    const question = turns[from];
    if (question?.role !== "user") return;
    const answer = turns.slice(from).findLast((turn) => turn.role === "assistant" && turn.content !== "");
    const lines = [
      "  … last exchange:",
      ...question.content
        .split("\n")
        .slice(-3)
        .map((line) => `  > ${safeLine(line)}`),
    ];
    for (const line of (answer?.content ?? "").split("\n").slice(0, 6)) lines.push(`  ${safeLine(line)}`);
    this.terminal.line(lines.join("\n"));
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

export function stateOf(server: Server): string {
  if (server.state === "ready")
    return `${server.alias} ready (${toolCount(server.tools.length)}, ${server.lastMs ?? 0} ms)`;
  if (server.state === "connecting") return `${server.alias} connecting…`;
  if (server.state === "failed")
    return `${server.alias} failed: ${server.reason} · :mcp connect ${server.alias} to retry`;
  return `${server.alias} disconnected`;
}
