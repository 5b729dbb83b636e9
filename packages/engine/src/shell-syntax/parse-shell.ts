// Shell text → everything it may run: the grammar's commands and, after each, those inside it, however deep.
import { parseShellGrammar } from "./grammar.ts";
import { innerCommands } from "./look-through.ts";
import type { ShellSyntax, SimpleCommand } from "./simple-command.ts";

// Deeper than anything written by hand; beyond it nobody can follow, so nothing is called understood.
const MAX_DEPTH = 12;
const MAX_COMMANDS = 4000;

/** Never throws. What cannot be understood as a whole is unparsable: a judge asks or denies, and never allows. */
export function parseShell(text: string): ShellSyntax {
  const outer = parseShellGrammar(text);
  if (outer.kind === "unparsable") return outer;
  const commands: SimpleCommand[] = [];
  const defines = new Set<string>();
  const note = (syntax: ShellSyntax): ShellSyntax => {
    if (syntax.kind === "parsed") for (const name of syntax.defines) defines.add(name);
    return syntax;
  };
  note(outer);
  const problem = addAll(outer.commands, 0);
  return problem === undefined
    ? { kind: "parsed", commands, defines: [...defines] }
    : { kind: "unparsable", reason: problem };

  function addAll(found: readonly SimpleCommand[], depth: number): string | undefined {
    for (const command of found) {
      commands.push(command);
      if (commands.length > MAX_COMMANDS) return `more than ${MAX_COMMANDS} commands`;
      const inner = innerCommands(command, (shell) => note(parseShellGrammar(shell)));
      if ("reason" in inner) return `text inside a command: ${inner.reason}`;
      if (inner.length === 0) continue;
      if (depth >= MAX_DEPTH) return "commands nested too deeply";
      const problem = addAll(inner, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}
