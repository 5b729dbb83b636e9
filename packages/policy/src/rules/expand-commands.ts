// A shell text → everything that runs, or may run, when it runs: its commands and those inside them, however deep.
import {
  expandedWords,
  expandsAsPrompt,
  isLiteral,
  textOfCommand,
  type ParseShell,
  type ShellText,
  type SimpleCommand,
} from "./shell-text.ts";
import type { Unknown } from "./nested-command.ts";
import { unwrap } from "./find-nested-commands.ts";

/** Something that runs, or may run, when a shell text runs. */
export type Reached =
  | {
      readonly kind: "command";
      readonly command: SimpleCommand;
      /** Index of the command it stands in, and of the word there at which it begins. */
      readonly outer: number | undefined;
      readonly at: number | undefined;
      readonly transparent: boolean;
      /** The text gives this name another meaning: no allow rule can be about it. */
      readonly redefined: boolean;
    }
  | { readonly kind: "unknown"; readonly why: Unknown; readonly reason: string; readonly outer: number | undefined };

const MAX_DEPTH = 8;
const MAX_REACHED = 4096;

const ANY_NAME = "*";

/** Flattens a shell text with everything inside its commands; what cannot be known is said, not skipped. */
export function reach(shell: ShellText, parse: ParseShell | undefined): Reached[] {
  const found: Reached[] = [];
  const defined = new Set<string>();
  function addShell(text: ShellText, outer: number | undefined, depth: number): void {
    if (text.kind === "unparsable") {
      found.push({ kind: "unknown", why: "unparsable", reason: text.reason, outer });
      return;
    }
    for (const name of text.defines ?? []) defined.add(name);
    for (const command of text.commands) {
      if (command.kind === "unparsable")
        found.push({ kind: "unknown", why: "unparsable", reason: command.reason, outer });
      else addCommand(command, outer, undefined, depth);
    }
  }
  function addCommand(command: SimpleCommand, outer: number | undefined, at: number | undefined, depth: number): void {
    if (found.length >= MAX_REACHED) return;
    if (depth > MAX_DEPTH) {
      found.push({ kind: "unknown", why: "unparsable", reason: "nested too deeply to look into", outer });
      return;
    }
    const { inner, transparent } = unwrap(command);
    const index = found.length;
    found.push({ kind: "command", command, at, outer, transparent: transparent && inner.length > 0, redefined: false });
    if (expandedWords(command).some(expandsAsPrompt)) {
      found.push({ kind: "unknown", why: "dynamic", reason: "runs what a variable holds (@P)", outer: index });
    }
    for (const one of inner) {
      if (one.kind === "command") addCommand(one.command, index, one.at, depth + 1);
      else if (one.kind === "unknown") found.push({ ...one, outer: index });
      else if (parse !== undefined) addShell(parse(one.text), index, depth + 1);
      else
        found.push({
          kind: "unknown",
          why: "unparsable",
          reason: "runs shell text that was not looked into",
          outer: index,
        });
    }
  }
  addShell(shell, undefined, 0);
  for (const { command } of found.filter((one) => one.kind === "command")) addAliases(command, defined);
  if (defined.size === 0) return found;
  return found.map((one) =>
    one.kind === "command" && isDefined(one.command, defined) ? { ...one, redefined: true } : one,
  );
}

/** More than this is more than anybody reviews; the list itself is cut there. */
export function isTooMuch(reached: readonly Reached[]): boolean {
  return reached.length >= MAX_REACHED;
}

function addAliases(command: SimpleCommand, defined: Set<string>): void {
  const [program, ...rest] = command.words;
  if (program === "alias" || program === "function") {
    for (const word of rest) defined.add(isLiteral(word) ? (word.split("=", 1)[0] ?? "") : ANY_NAME);
  }
  // hash -p file name, enable -f file name: a name is bound to a file.
  if (program === "hash" || program === "enable")
    for (const word of rest) defined.add(isLiteral(word) ? word : ANY_NAME);
}

function isDefined(command: SimpleCommand, defined: ReadonlySet<string>): boolean {
  const [program] = command.words;
  return defined.has(ANY_NAME) || (isLiteral(program) && defined.has(program));
}

/** For messages: the inner command in a few words. */
export function shortText(command: SimpleCommand): string {
  const text = textOfCommand(command);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
