// A shell command on the screen: a frame with its output as it comes, how it ended, and what is remembered for the model.
import { createScreenSafeStream } from "@bosun/platform/safe-text";
import type { Program } from "../program.ts";
import { withoutTabs } from "../screen/text-layout.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { Terminal } from "../screen/terminal.ts";
import type { CommandRun, InterruptHandle } from "../shell/command-runner.ts";
import { headAndTail } from "../conversation/truncate-result.ts";
import { record } from "../turn/chat-state.ts";

export async function runInFrame(
  program: Program,
  terminal: Terminal,
  command: string,
  options: { by: "user" | "model"; remember: () => boolean; onRunning: (handle: InterruptHandle) => void },
): Promise<CommandRun | undefined> {
  const { frames, style } = terminal;
  const { settings, chat, io } = program;
  const side = style.dim(frames.side);
  terminal.line(style.dim(`${frames.top}$ ${safeLine(command, 2000)}`));
  const safe = createScreenSafeStream({ colors: options.by === "user" && settings.shell.colors && style.hasColor });
  let held = "";
  const show = (text: string, isEnd: boolean): void => {
    const lines = (held + text).split("\n");
    held = lines.pop() ?? "";
    if (isEnd && held !== "") lines.push(held);
    if (lines.length > 0) terminal.line(lines.map((line) => side + withoutTabs(line)).join("\n"));
  };
  const failure = record(chat, {
    kind: "decision",
    command,
    cwd: io.cwd(),
    verdict: "allow",
    rule: options.by === "user" ? "typed by the person" : "CMD: agreed to",
  });
  if (failure !== undefined) {
    terminal.line(style.red(`[aish] ${safeLine(failure)}`));
    return undefined;
  }
  let run: CommandRun;
  try {
    run = await program.runner.run(command, {
      cwd: io.cwd(),
      by: options.by,
      timeoutMs: settings.shell.timeoutS * 1000,
      onOutput: (text) => show(safe.push(text), false),
      onRunning: options.onRunning,
    });
  } catch (error) {
    terminal.line(style.red(`${frames.bottom}${safeLine(error instanceof Error ? error.message : String(error))}`));
    return undefined;
  }
  show(safe.flush(), true);
  const how = run.timedOut ? `timed out after ${settings.shell.timeoutS} s` : `exit ${run.exit}`;
  const line = `${frames.bottom}${how} · ${run.ms} ms`;
  terminal.line(run.exit === 0 ? style.dim(line) : style.red(line));
  record(chat, {
    kind: "outcome",
    command,
    outcome: run.timedOut ? "timeout" : run.exit === 0 ? "ok" : "error",
    durationMs: run.ms,
    bytesOut: run.totalChars,
    exit: typeof run.exit === "number" ? run.exit : null,
  });
  if (options.remember()) {
    chat.approvalPolicy.taintBy("the shell"); // what a command prints is not the person's word
    const { maxOutputChars } = settings.shell;
    const isLong = run.output.length > maxOutputChars;
    const output = isLong ? headAndTail(run.output, maxOutputChars, chat.results.keepText(run.output)) : run.output;
    chat.conversation.remember({ by: options.by, command, cwd: io.cwd(), exit: run.exit, output });
  }
  return run;
}
