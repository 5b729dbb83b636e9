// The `CMD:` lines of an answer when nobody is there: named, and run only when --allow-cmd and the rules let them.
import { headAndTail } from "../conversation/truncate-result.ts";
import { MAX_COMMANDS } from "../conversation/cmd-lines.ts";
import type { Program } from "../program.ts";
import { record } from "../turn/chat-state.ts";
import type { PrintOutput } from "./print-output.ts";

export async function runCommands(
  program: Program,
  report: PrintOutput,
  all: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const commands = all.slice(0, MAX_COMMANDS);
  if (all.length > commands.length) report.status(`${all.length - commands.length} more commands are left out`);
  for (const command of commands) {
    if (signal.aborted) return;
    if (!program.options.allowCmd) {
      report.status(`not run (give --allow-cmd): ${command}`);
      continue;
    }
    if (!(await run(program, report, command, signal))) return;
  }
}

/** False: the rest is not run either. */
async function run(program: Program, report: PrintOutput, command: string, signal: AbortSignal): Promise<boolean> {
  const { chat, io, settings } = program;
  const cwd = io.cwd();
  const judged = await chat.approvalPolicy.judgeCommand(command, cwd);
  const isDenied = judged.verdict === "deny" || (judged.verdict === "ask" && chat.approvalPolicy.rules.judgesCommands);
  const decision = { kind: "decision", command, cwd, verdict: isDenied ? "deny" : "allow" } as const;
  const failure = record(chat, { ...decision, rule: isDenied ? judged.rule.name : "--allow-cmd" });
  if (isDenied) {
    report.status(`not run: ${judged.reason} (${judged.rule.name}): ${command}`);
    return true;
  }
  if (failure !== undefined) {
    report.problem(failure); // what cannot be written down does not run
    return false;
  }
  const ran = await program.runner.run(command, {
    cwd,
    by: "model",
    timeoutMs: settings.shell.timeoutS * 1000,
    signal,
    onOutput: (text) => report.commandOutput(text),
  });
  report.commandEnded();
  record(chat, {
    kind: "outcome",
    command,
    outcome: ran.timedOut ? "timeout" : ran.exit === 0 ? "ok" : "error",
    durationMs: ran.ms,
    bytesOut: ran.totalChars,
    exit: typeof ran.exit === "number" ? ran.exit : null,
  });
  const { maxOutputChars } = settings.shell;
  const isLong = ran.output.length > maxOutputChars;
  const output = isLong ? headAndTail(ran.output, maxOutputChars, chat.results.keepText(ran.output)) : ran.output;
  chat.conversation.remember({ by: "model", command, cwd, exit: ran.exit, output });
  report.status(`exit ${ran.exit}: ${command}`);
  return ran.exit === 0;
}
