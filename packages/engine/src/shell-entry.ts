// Shell text → the commands in it. Beside the rest, because the grammar is large and only rules about commands need it.
export { parseShell } from "./shell-syntax/grammar.ts";
export type {
  ShellAssignment,
  ShellRedirect,
  ShellSyntax,
  ShellWord,
  SimpleCommand,
} from "./shell-syntax/simple-command.ts";
