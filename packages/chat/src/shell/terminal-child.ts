// A program that gets the whole terminal: an editor, a pager, a subshell. We wait; nothing of it is captured.

export type TerminalChild = { argv: readonly string[]; cwd: string; env: Readonly<Record<string, string>> };

export async function runOnTerminal(child: TerminalChild): Promise<number> {
  const started = Bun.spawn([...child.argv], {
    cwd: child.cwd,
    env: { ...child.env },
    stdio: ["inherit", "inherit", "inherit"],
  });
  return started.exited;
}
