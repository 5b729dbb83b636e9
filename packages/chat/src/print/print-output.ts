// What a run without a person says: the answer on stdout in the format that was asked for, everything else on stderr.
import { createScreenSafeStream } from "@bosun/platform/safe-text";
import type { ScreenSafeStream } from "@bosun/platform/safe-text";
import type { ChatOptions } from "../config.ts";
import type { Outcome } from "../conversation/turn-types.ts";
import type { Program } from "../program.ts";
import type { Io } from "../screen/program-io.ts";
import { safeLine } from "../screen/terminal-view.ts";
import { NOBODY_THERE } from "../turn/approve-call.ts";
import type { TurnEnd } from "../turn/turn.ts";
import type { RunningCall, ShownCall, TurnView } from "../turn/turn-view.ts";

type CallRecord = { name: string; arguments: unknown; decision: string; outcome: string };

export class PrintOutput implements TurnView {
  readonly #io: Io;
  readonly #options: ChatOptions;
  readonly #calls: CallRecord[] = [];
  readonly #unapproved: { name: string; by: string }[] = [];
  /** Of each call, by the very object that is shown of it: several may have one name. */
  readonly #records = new Map<ShownCall, CallRecord>();
  readonly #safe: ScreenSafeStream | undefined;
  #command: ScreenSafeStream | undefined;
  #error: string | undefined;
  #stopped: string | undefined;

  constructor(io: Io, options: ChatOptions) {
    this.#io = io;
    this.#options = options;
    // Bytes for a program stay as they are; a terminal gets nothing that acts.
    this.#safe = io.stdout.isTerminal ? createScreenSafeStream({}) : undefined;
  }

  /** Something outside ended the run. */
  stopped(why: string): void {
    this.#stopped = why;
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
    const record = {
      name: call.name,
      arguments: args,
      decision,
      outcome: decision === "allow" ? "running" : "refused",
    };
    this.#calls.push(record);
    this.#records.set(call, record);
    if (decision === "refuse") this.#unapproved.push({ name: call.name, by });
    this.#event({ type: "tool_request", name: call.name, arguments: args, decision, by });
  }

  readBack(call: ShownCall, text: string): void {
    const record = { name: call.name, arguments: call.arguments ?? call.raw, decision: "allow", outcome: "ok" };
    this.#calls.push(record);
    this.#event({ type: "tool_request", name: record.name, arguments: record.arguments, decision: "allow" });
    this.#event({ type: "tool_result", name: record.name, outcome: "ok", text });
  }

  started(call: ShownCall): RunningCall {
    const record = this.#records.get(call);
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
    const record = this.#records.get(call);
    if (record === undefined) {
      this.#calls.push({ name: call.name, arguments: call.arguments ?? call.raw, decision: "none", outcome });
    } else record.outcome = outcome;
    this.#event({ type: "tool_result", name: call.name, outcome, text: words });
    if (!this.#options.quiet) this.#io.stderr.write(`[aish] ${safeLine(`${call.name}: ${words || outcome}`)}\n`);
  }

  /** What a command prints, as it comes. */
  commandOutput(text: string): void {
    if (this.#options.format !== "text") return;
    if (!this.#io.stderr.isTerminal) return this.#io.stderr.write(text);
    this.#command ??= createScreenSafeStream({});
    this.#io.stderr.write(this.#command.push(text));
  }

  commandEnded(): void {
    const rest = this.#command?.flush() ?? "";
    this.#command = undefined;
    if (rest !== "") this.#io.stderr.write(rest);
  }

  end(exit: number, end: TurnEnd | undefined, program: Program | undefined): number {
    const refusal = this.#refusal();
    if (refusal !== undefined) this.#io.stderr.write(`[aish] ${safeLine(refusal, 4000)}\n`);
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
      error: exit === 0 ? null : (this.#stopped ?? end?.error ?? this.#refusal() ?? this.#error ?? null),
    };
    if (format === "json") this.#io.stdout.write(`${JSON.stringify(summary)}\n`);
    else this.#event({ type: "end", ...summary });
    return exit;
  }

  #refusal(): string | undefined {
    if (this.#unapproved.length === 0) return undefined;
    const names = [...new Set(this.#unapproved.filter(({ by }) => by === NOBODY_THERE).map(({ name }) => name))];
    const flags = names.map((name) => `--allow '${name}'`).join(" ");
    const byFlag =
      names.length === 0 ? [] : [`refused because nobody could approve: ${names.join(", ")}; to allow: ${flags}`];
    const byRule = this.#unapproved
      .filter(({ by }) => by !== NOBODY_THERE)
      .map(({ name, by }) => `refused ${name}: ${by}`);
    return [...byFlag, ...new Set(byRule)].join("; ");
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
