// The person at the terminal: questions about calls and commands, and what their answers mean. Only an explicit yes
// allows; Enter, Ctrl-D, a closed terminal and anything not understood are a no.
import { makeScreenSafe } from "@bosun/platform/safe-text";
import { mixesScripts } from "@bosun/policy";
import type { Answer } from "@bosun/policy";
import type { JsonObject } from "@bosun/mcp";
import { hasSmartQuotes } from "../conversation/cmd-lines.ts";
import { parseObject } from "../model/argument-json.ts";
import { placeOf } from "../servers/server-config.ts";
import { displayName } from "../tools/tool-names.ts";
import type { CallAnswer, CallQuestion, LimitAnswer, Approver } from "../turn/turn-view.ts";
import { argumentLines } from "./argument-lines.ts";
import { editPreview } from "./edit-preview.ts";
import type { ReadFile } from "./edit-preview.ts";
import type { Input } from "./keyboard-input.ts";
import { framedText } from "./untrusted-text.ts";
import { withoutTabs, wrap } from "./text-layout.ts";
import type { Terminal } from "./terminal.ts";
import { safeLine } from "./terminal-view.ts";

export type EditText = (text: string, extension: string) => Promise<string | undefined>;

export type CommandAnswer = { kind: "run"; command: string } | { kind: "no" } | { kind: "stop" };

/** More of a change is shown on request, and before it can be allowed. */
const SHOWN_CHANGES = 40;

const HELP = [
  "y  once",
  "n  no",
  "r  no, with a reason for the model",
  "a  always…",
  "e  edit the arguments",
  "v  view everything",
  "q  stop this turn",
  "Enter  no",
];

export class TerminalPrompts implements Approver {
  readonly #terminal: Terminal;
  readonly #input: Input;
  readonly #edit: EditText;
  readonly #readFile: ReadFile;
  /** Set once the settings are known. */
  bell: boolean;

  constructor(terminal: Terminal, input: Input, options: { edit: EditText; readFile: ReadFile; bell: boolean }) {
    this.#terminal = terminal;
    this.#input = input;
    this.#edit = options.edit;
    this.#readFile = options.readFile;
    this.bell = options.bell;
  }

  readonly approve = async (question: CallQuestion): Promise<CallAnswer> => {
    if (this.bell) this.#terminal.raw("\u0007");
    let whole = false;
    let isCut = this.#showCall(question, whole);
    for (;;) {
      const said = await this.#ask(
        `${this.#terminal.frames.bottom}call it?  [y]es  [N]o  [r]eason  [a]lways  [?] `,
        "ynravqe?",
      );
      if (said === undefined) return { kind: "stop" };
      switch (said) {
        case "y":
          if (!isCut) return { kind: "yes" };
          isCut = this.#showRest(question, whole);
          whole = true;
          continue;
        case "v":
          whole = true;
          isCut = this.#showCall(question, whole);
          continue;
        case "a": {
          if (isCut) {
            isCut = this.#showRest(question, whole);
            whole = true;
            continue;
          }
          const answer = await this.#always(question);
          if (answer === "stop") return { kind: "stop" };
          if (answer !== undefined) return { kind: "remember", answer };
          continue;
        }
        case "e": {
          const edited = await this.#edited(question.arguments);
          if (edited !== undefined) return { kind: "edit", arguments: edited };
          continue;
        }
        case "q":
          return { kind: "stop" };
        case "?":
          for (const line of HELP) this.#note(line);
          continue;
        case "r": {
          const reason = (await this.#line("  reason: "))?.trim();
          if (reason === undefined) return { kind: "stop" };
          return reason === "" ? { kind: "no" } : { kind: "no", reason };
        }
        default:
          return { kind: "no" };
      }
    }
  };

  readonly limit = async (_said: string, more: string): Promise<LimitAnswer> => {
    const said = await this.#ask(`  [c]${more.replace(/^c/, "")}  [w]rap up without tools  [S]top   `, "cws");
    if (said === "c") return "continue";
    return said === "w" ? "wrap-up" : "stop";
  };

  /** A `CMD:` line. What runs is exactly what is shown. */
  async command(command: string, place: { cwd: string; shell: string }): Promise<CommandAnswer> {
    if (this.bell) this.#terminal.raw("\u0007");
    let text = command;
    for (;;) {
      const needsWord = this.#showCommand(text, place);
      const how = needsWord ? "type yes to run it  [N]o  [e]dit  [?] " : "[y]es  [N]o  [e]dit  [?] ";
      const prompt = `${this.#terminal.frames.bottom}${how}`;
      const said = needsWord ? await this.#line(prompt) : await this.#ask(prompt, "ynqe?");
      if (said === undefined) return { kind: "stop" };
      const word = said.trim().toLowerCase();
      if (word === "yes" || (word === "y" && !needsWord)) return { kind: "run", command: text };
      if (word === "q") return { kind: "stop" };
      if (word === "?") {
        for (const line of ["y  run it", "n  do not", "e  change it first", "q  stop", "Enter  no"]) this.#note(line);
        continue;
      }
      if (word !== "e") return { kind: "no" };
      const edited = await this.#input.question("  $ ", text);
      if (edited.kind !== "line") return { kind: "stop" };
      if (edited.text.trim() === "") return { kind: "no" };
      text = edited.text;
    }
  }

  /** A plain question; true only for an explicit yes. */
  async confirm(question: string): Promise<boolean> {
    return (await this.#ask(`${question} [y/N] `, "yYnN"))?.toLowerCase() === "y";
  }

  /** One line of text; undefined when the person gave up. */
  async text(prompt: string): Promise<string | undefined> {
    return this.#line(prompt);
  }

  /** The same without showing what is typed. */
  async secret(prompt: string): Promise<string | undefined> {
    const end = await this.#input.secret(prompt);
    return end.kind === "line" ? end.text : undefined;
  }

  /** The question that is open now has become pointless: it ends as if nobody had answered. */
  withdraw(): void {
    this.#input.abandonQuestion();
  }

  /** Nobody approves what was not on the screen. */
  #showRest(question: CallQuestion, wasWhole: boolean): boolean {
    if (wasWhole) {
      this.#note("there is more than can be shown, so it cannot be allowed as it is: e edits it, n refuses it");
      return true;
    }
    this.#note("not everything was shown; here it is:");
    return this.#showCall(question, true);
  }

  #showCall(question: CallQuestion, whole: boolean): boolean {
    const { tool, server, isDestructive, ask } = question;
    const { frames, style, columns } = this.#terminal;
    const name = displayName(tool);
    const facts = [
      `server: ${server.alias} (${placeOf(server.config.reach)})`,
      ...(tool.title === undefined ? [] : [`"${tool.title}"`]),
      ...(tool.annotations.readOnly === true ? ["read-only (server says)"] : []),
      ...(isDestructive ? ["destructive"] : []),
      ...(mixesScripts(name) ? ["(mixed scripts)"] : []),
      ...(ask.decision.grantable ? [] : [ask.decision.reason]),
    ];
    const side = style.dim(frames.side);
    const lines = [
      `${style.yellow(`${frames.top}${safeLine(name)}`)}  ${style.dim(safeLine(facts.join(" · "), 1000))}`,
    ];
    if (ask.changedSince !== undefined) {
      lines.push(`${side}${style.red(`definition changed since you allowed it on ${ask.changedSince.slice(0, 10)}`)}`);
    }
    if (whole && question.definitionDiff !== undefined) {
      lines.push(...framedText(this.#terminal, question.definitionDiff));
    }
    // Whole, however long: what is cut off is what a person would have to see.
    for (const { requested, path } of question.leads) {
      lines.push(`${side}path: ${safeLine(requested, 10_000)} ${style.yellow("→")} ${safeLine(path, 10_000)}`);
    }
    // Of a server elsewhere the same name may be another file.
    const isHere = server.config.reach.kind === "builtin";
    const preview = editPreview(question.arguments, isHere ? this.#readFile : () => undefined);
    const shown = argumentLines(
      preview === undefined || whole ? question.arguments : preview.rest,
      columns - 3,
      whole,
      style.mark,
    );
    for (const line of shown.lines) lines.push(`${side}${line}`);
    const changes = preview?.lines ?? [];
    const shownChanges = whole ? changes : changes.slice(0, SHOWN_CHANGES);
    lines.push(...shownChanges.flatMap((line) => this.#changedLine(line)));
    const left = changes.length - shownChanges.length;
    if (left > 0) lines.push(`${side}… ${left.toLocaleString("en-US")} more lines`);
    this.#terminal.line(lines.join("\n"));
    return shown.isCut || left > 0;
  }

  /** `+` green, `-` red, what stands around it dim; whole, however wide. */
  #changedLine(line: string): string[] {
    const { style } = this.#terminal;
    const paint = line.startsWith("+") ? style.green : line.startsWith("-") ? style.red : style.dim;
    const side = style.dim(this.#terminal.frames.side);
    const { text } = makeScreenSafe(line, style.mark === undefined ? {} : { mark: style.mark });
    const rows = wrap(withoutTabs(text), this.#terminal.columns - 5);
    return rows.map((row, at) => side + paint(at === 0 ? row : `  ${row}`));
  }

  /** True when sanitising changed what is shown: then a single key is not enough. */
  #showCommand(command: string, { cwd, shell }: { cwd: string; shell: string }): boolean {
    const { frames, style, columns } = this.#terminal;
    const safe = makeScreenSafe(command, style.mark === undefined ? {} : { mark: style.mark });
    const side = style.dim(frames.side);
    const rows = safe.text.split("\n").flatMap((line) => wrap(line, columns - 4));
    const lines = [
      style.yellow(`${frames.top}run this command here?  (cwd ${safeLine(cwd)}, shell ${safeLine(shell)})`),
      ...rows.map((row) => side + row),
    ];
    if (safe.escaped > 0)
      lines.push(`${side}${style.red("it holds characters that cannot be seen; they are shown escaped")}`);
    if (hasSmartQuotes(command)) lines.push(`${side}${style.yellow("it holds typographic quotes or dashes")}`);
    this.#terminal.line(lines.join("\n"));
    return safe.escaped > 0;
  }

  async #always(question: CallQuestion): Promise<Answer | "stop" | undefined> {
    const name = displayName(question.tool);
    const { offers } = question.ask;
    const has = (kind: string, scope?: string): boolean =>
      offers.some(
        ({ answer }) => answer.kind === kind && (scope === undefined || ("scope" in answer && answer.scope === scope)),
      );
    const choices = [
      ...(has("session", "tool") ? ["[s]this session"] : []),
      ...(has("always") ? ["[f]from now on"] : []),
      ...(has("session", "server") ? [`[A]all of "${question.server.alias}" this session`] : []),
      "[c]ancel",
    ];
    if (choices.length === 1) {
      this.#note(`this cannot be remembered: ${question.ask.decision.reason}`);
      return undefined;
    }
    this.#terminal.line(`  always allow ${safeLine(name)}:  ${choices.join("  ")}`);
    const word = await this.#ask("  ", "sfAc");
    if (word === undefined) return "stop";
    if (word === "s" && has("session", "tool")) return { kind: "session", scope: "tool" };
    if (word === "f" && has("always")) return { kind: "always" };
    if (word === "A" && has("session", "server")) return { kind: "session", scope: "server" };
    return undefined;
  }

  async #edited(args: JsonObject): Promise<JsonObject | undefined> {
    const text = await this.#edit(`${JSON.stringify(args, undefined, 2)}\n`, "json");
    if (text === undefined) return undefined;
    const read = parseObject(text);
    if (read.kind === "object") return read.value;
    this.#note(`that is not a JSON object (line ${read.line}, column ${read.column})`);
    return undefined;
  }

  /** One key of these; "" for Enter, undefined when the person gave up. */
  async #ask(prompt: string, keys: string): Promise<string | undefined> {
    const end = await this.#input.key(this.#lastRow(prompt), keys);
    if (end.kind === "interrupt") return undefined;
    return end.kind === "line" ? end.text : "";
  }

  async #line(prompt: string): Promise<string | undefined> {
    const end = await this.#input.question(this.#lastRow(prompt));
    if (end.kind === "interrupt") return undefined;
    return end.kind === "line" ? end.text : "";
  }

  /** What stands in the row where the answer is typed; rows before it are printed. */
  #lastRow(prompt: string): string {
    // The line that is edited must fit into one row with room to type; what is above it is simply printed.
    const rows = prompt.split("\n").flatMap((line) => wrap(line, this.#terminal.columns - 12));
    const last = rows.pop() ?? "";
    if (rows.length > 0) this.#terminal.line(rows.join("\n"));
    return last;
  }

  #note(text: string): void {
    this.#terminal.line(`  ${text}`);
  }
}
