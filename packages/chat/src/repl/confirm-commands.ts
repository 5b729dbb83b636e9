// The `CMD:` lines of an answer, one after the other: judged by the rules, asked about, run, remembered.
import { MAX_COMMANDS } from "../conversation/cmd-lines.ts";
import type { Program } from "../program.ts";
import type { TerminalPerson } from "../screen/terminal-prompts.ts";
import type { TerminalView } from "../screen/terminal-view.ts";
import type { CommandRun } from "../shell/command-runner.ts";
import { shortFolder } from "./short-folder.ts";

export type CommandHands = {
  program: Program;
  view: TerminalView;
  person: TerminalPerson;
  run: (command: string) => Promise<CommandRun | undefined>;
};

/** Whether any of them ran. A refusal or a failure stops the rest, unless the person says go on. */
export async function runProposed(
  all: readonly string[],
  { program, view, person, run }: CommandHands,
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
    const judged = await chat.gate.judgeCommand(command, io.cwd());
    if (judged.verdict === "deny") {
      view.problem(`not run: ${judged.reason} (${judged.rule.name})`);
      refuse(command);
      continue;
    }
    const mustAsk = settings.shell.confirmCmd || (judged.verdict === "ask" && chat.gate.policy.judgesCommands);
    const answer = mustAsk
      ? await person.command(command, { cwd: shortFolder(io.cwd(), io.home), shell: runner.shell })
      : ({ kind: "run", command } as const);
    if (answer.kind === "stop") return hasRun;
    if (answer.kind === "no") {
      refuse(command);
      view.status("not run");
      if (!isLast && !(await person.confirm("  go on with the others?"))) return hasRun;
      continue;
    }
    const ran = await run(answer.command);
    hasRun = true;
    if (ran?.exit !== 0 && !isLast && !(await person.confirm("  it failed; go on with the others?"))) return hasRun;
  }
  return hasRun;
}
