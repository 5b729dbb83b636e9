// Shell text as the rules take it.
import { parseShell } from "@bosun/engine/shell";
import type { ParseShell, ShellText } from "@bosun/policy";

export const parse: ParseShell = (text): ShellText => {
  const syntax = parseShell(text);
  if (syntax.kind === "unparsable") return { commands: [{ kind: "unparsable", reason: syntax.reason }] };
  return { commands: syntax.commands, defines: syntax.defines };
};
