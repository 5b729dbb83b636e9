// The `CMD:` lines of an answer, one after the other: judged by the rules, asked about, run, remembered.
import { MAX_COMMANDS } from "../conversation/cmd-lines.ts";
import type { Program } from "../program.ts";
import type { TerminalPrompts } from "../screen/terminal-prompts.ts";
import type { TerminalView } from "../screen/terminal-view.ts";
import type { CommandRun } from "../shell/command-runner.ts";
import { homeRelative } from "../screen/text-layout.ts";

export type CommandContext = {
  program: Program;
  view: TerminalView;
  prompts: TerminalPrompts;
  run: (command: string) => Promise<CommandRun | undefined>;
};

/** Whether any of them ran. A refusal or a failure stops the rest, unless the person says go on. */
export async function runProposed(
  all: readonly string[],
  { program, view, prompts, run }: CommandContext,
): Promise<boolean> {
  const { settings, io, runner, chat } = program;
  const commands = all.slice(0, MAX_COMMANDS);
  const left = all.length - commands.length;
  if (left > 0) view.status(`${left} more commands in this answer are not asked about`);
  const refuse = (command: string): void =>
    chat.conversation.remember({ by: "model", command, cwd: io.cwd(), output: "" });
  let hasRun = false;
  for (const [place, command] of commands.entries()) {
    const isLast = place === commands.length - 1;
    const judged = await chat.approvalPolicy.judgeCommand(command, io.cwd());
    if (judged.verdict === "deny") {
      view.problem(`not run: ${judged.reason} (${judged.rule.name})`);
      refuse(command);
      continue;
    }
    const mustAsk = settings.shell.confirmCmd || (judged.verdict === "ask" && chat.approvalPolicy.rules.judgesCommands);
    const answer = mustAsk
      ? await prompts.command(command, { cwd: homeRelative(io.cwd(), io.home), shell: runner.shell })
      : ({ kind: "run", command } as const);
    if (answer.kind === "stop") return hasRun;
    if (answer.kind === "no") {
      refuse(command);
      view.status("not run");
      if (!isLast && !(await prompts.confirm("  go on with the others?"))) return hasRun;
      continue;
    }
    const ran = await run(answer.command);
    hasRun = true;
    if (ran?.exit !== 0 && !isLast && !(await prompts.confirm("  it failed; go on with the others?"))) return hasRun;
  }
  return hasRun;
}
