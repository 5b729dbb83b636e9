// The terminal lent to another program: an editor, a pager, a subshell. We wait, and take it back however it ends.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Program } from "../program.ts";
import type { Input } from "../screen/keyboard-input.ts";
import type { TerminalView } from "../screen/terminal-view.ts";
import { runOnTerminal } from "./terminal-child.ts";

export type Lender = { program: Program; input: Input; view: TerminalView };

/** Its exit code; undefined when it could not be started. */
export async function onTerminal(
  { program, input, view }: Lender,
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
export async function editText(lender: Lender, text: string, extension: string): Promise<string | undefined> {
  const { env } = lender.program;
  const editor = env["VISUAL"] || env["EDITOR"] || "vi";
  const folder = mkdtempSync(path.join(tmpdir(), "aish-"));
  const file = path.join(folder, `edit.${extension}`);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const quoted = `'${file.replaceAll("'", `'\\''`)}'`;
    const code = await onTerminal(lender, ["/bin/sh", "-c", `${editor} ${quoted}`]);
    return code === 0 ? readFileSync(file, "utf8") : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
