// A program that gets the whole terminal: an editor, a pager, a subshell. We wait, nothing of it is captured, and the
// terminal is ours again however it ends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Program } from "../program.ts";
import type { Input } from "../screen/keyboard-input.ts";
import type { TerminalView } from "../screen/terminal-view.ts";

export type TerminalOwner = { program: Program; input: Input; view: TerminalView };

/** Its exit code; undefined when it could not be started. */
export async function onTerminal(
  { program, input, view }: TerminalOwner,
  argv: readonly string[],
): Promise<number | undefined> {
  await input.close();
  try {
    return await runOnTerminal({ argv, cwd: program.io.cwd(), env: program.runner.environment("user") });
  } catch (error) {
    view.problem(error instanceof Error ? error.message : String(error));
    return undefined;
  } finally {
    input.open();
  }
}

/** A text in the person's editor; undefined when it was not changed into anything. */
export async function editText(owner: TerminalOwner, text: string, extension: string): Promise<string | undefined> {
  const { env } = owner.program;
  const editor = env["VISUAL"] || env["EDITOR"] || "vi";
  const folder = mkdtempSync(path.join(tmpdir(), "aish-"));
  const file = path.join(folder, `edit.${extension}`);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const quoted = `'${file.replaceAll("'", `'\\''`)}'`;
    const code = await onTerminal(owner, ["/bin/sh", "-c", `${editor} ${quoted}`]);
    return code === 0 ? readFileSync(file, "utf8") : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export type TerminalChild = { argv: readonly string[]; cwd: string; env: Readonly<Record<string, string>> };

export async function runOnTerminal(child: TerminalChild): Promise<number> {
  const started = Bun.spawn([...child.argv], {
    cwd: child.cwd,
    env: { ...child.env },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return started.exited;
}
