// Whether a command could run what a deny or ask rule is about in a way that nobody described: by a program that is not
// known here, by code in a word, by a variable that names a program. Errs towards asking.
import { isLiteral, type SimpleCommand, type Word } from "./shell-text.ts";
import { coversWords, nameOfProgram, type CommandPattern } from "./command-pattern.ts";
import { factsAbout } from "./program-table.ts";
import { WRAPPERS } from "./wrappers.ts";
import type { Act } from "./command-effects.ts";

// They take names of programs, or the very words, and run none of them.
const RUN_NOTHING = new Set(
  [
    "ls dir vdir which type whereis whatis apropos info tldr help basename dirname echo cd pushd popd pwd true false :",
    "test [ expr seq yes df du lsof ps pgrep pkill pidof killall id groups getent dpkg-query rpm apt-cache tput tr bc",
    "factor sleep cal uname nproc arch printenv jobs fg bg exit return break continue shift umask ulimit times history",
    "logger export readonly local declare typeset set shopt alias unalias trap eval printf read unset wait getopts let svn hg bzr fossil jj",
  ].flatMap((line) => line.split(" ")),
);
// Builtins of the shell that run text in their words.
const RUN_TEXT = new Set("mapfile readarray compgen complete bind fc".split(" "));
// Words after which a program that runs others takes one. `npm run` takes the name of a script instead.
const RUN_NEXT = new Set("exec x dlx shell -- --exec --exec-batch -x -X --args -e -c -ex -S".split(" "));
const RUN_IS_EXEC = new Set(["uv", "poetry"]);
// In the code of an interpreter or a tool: something that could run a program. Else a name in it is only text.
const STARTS_SOMETHING = /exec|system|spawn|popen|subprocess|syscmd|shell|runner|\bsh\b|\brun\b|\bcall\b|qx|%x|[`!]/i;
// Package runners: their first operand is a program, from a package or not.
const RUN_FIRST = new Set("npx bunx pnpx uvx pipx".split(" "));
// What follows -c is for a shell.
const HAND_TO_SHELL = new Set("npm npx pnpm yarn docker podman kubectl".split(" "));
const LOOKS_LIKE_CODE = /[\s;|&()!`'"]/;
const LONGEST_TEXT = 20_000;

export function mayRun(pattern: CommandPattern, command: SimpleCommand, acts: readonly Act[]): boolean {
  const [program, ...rest] = command.words;
  const phrase = phraseOf(pattern);
  if (phrase === undefined) return false;
  if (assignedValues(command).some((value) => phrase.asCommand.test(value))) return true;
  if (!isLiteral(program)) return false;
  const name = nameOfProgram(program);
  const runs = acts.filter(({ kind, by }) => kind === "execute" && by !== "redirect");
  if (RUN_TEXT.has(name) || runs.length > 0) {
    const isOnlyItself = !RUN_TEXT.has(name) && runs.every(({ by }) => by === "program");
    const given = command.redirects.flatMap(({ op, target }) => (op.startsWith("<<") ? [target] : []));
    const startsIt = (text: string, at: number): boolean =>
      !isOnlyItself ||
      name === "make" ||
      name === "gmake" ||
      STARTS_SOMETHING.test(text) ||
      (rest[at - 1] === "-c" && HAND_TO_SHELL.has(name));
    const isMeant = (word: Word, at: number): boolean => {
      const text = isCode(word) ? word.slice(0, LONGEST_TEXT) : "";
      return phrase.anywhere.test(text) && startsIt(text, at);
    };
    if ([...rest, ...given].some(isMeant)) return true;
  }
  const unknown = isUnknown(program, name);
  if (unknown && rest.some((word) => isCode(word) && phrase.asCommand.test(word.slice(0, LONGEST_TEXT)))) return true;
  const begins = rest.findIndex((_, at) => isRun(pattern, rest.slice(at)));
  if (begins < 0) return false;
  if (unknown || RUN_FIRST.has(name)) return true;
  const before = rest[begins - 1];
  const takesIt = isLiteral(before) && (RUN_NEXT.has(before) || (before === "run" && RUN_IS_EXEC.has(name)));
  return runs.length > 0 && takesIt;
}

function isRun(pattern: CommandPattern, words: readonly Word[]): boolean {
  return isLiteral(words[0]) && coversWords(pattern, words) !== "no";
}

// A script of the project is ordinary work, and what it does with its words is its own affair.
function isUnknown(program: string, name: string): boolean {
  if (program.includes("/") && !program.startsWith("/")) return false;
  return factsAbout(name) === undefined && !WRAPPERS.has(name) && !RUN_NOTHING.has(name) && !RUN_TEXT.has(name);
}

function isCode(word: Word): word is string {
  return isLiteral(word) && LOOKS_LIKE_CODE.test(word);
}

/** Values that programs take for a command: before this command, or given to `export` and its like. */
function assignedValues({ words, assignments }: SimpleCommand): string[] {
  const [program, ...rest] = words;
  const exported = /^(?:export|declare|typeset|readonly|local)$/.test(String(program)) ? rest.filter(isLiteral) : [];
  const given = assignments.flatMap(({ name, value }) => (isLiteral(value) ? [`${name}=${value}`] : []));
  return [...given, ...exported].flatMap((text) => COMMAND_VARIABLE.exec(text)?.[1] ?? []);
}

const COMMAND_VARIABLE =
  /^[A-Z0-9_]*(?:PAGER|EDITOR|VISUAL|BROWSER|SHELL|SSH|RSH|ASKPASS|COMMAND|CMD|LESSOPEN|LESSCLOSE|DIFF|OPT|OPTIONS|RUNNER|WRAPPER|LAUNCHER|HELPER|PS[0-4])=(.*)$/s;

type Phrase = { readonly anywhere: RegExp; readonly asCommand: RegExp };
const phrases = new WeakMap<CommandPattern, Phrase | undefined>();

/** The pattern's plain words as they would stand in code; a pattern of wildcards has none. */
function phraseOf(pattern: CommandPattern): Phrase | undefined {
  // An expression speaks of the commands that are known, not of words in other programs' code.
  if (pattern.expression !== undefined) return undefined;
  if (phrases.has(pattern)) return phrases.get(pattern);
  const words = [pattern.program.source, ...pattern.operands.map(({ source }) => source)];
  const isPlain = words.every((word) => !/[*?[\]{}]/.test(word));
  const text = words.map((word) => word.replaceAll(/[.+^$()|\\]/g, String.raw`\$&`)).join(String.raw`["',\s]+`);
  const phrase = isPlain
    ? {
        anywhere: new RegExp(String.raw`(?<![\w.-])${text}(?![\w-])`),
        asCommand: new RegExp(String.raw`(?:^|[|!;&(\x60])\s*(?:\S*/)?${text}(?![\w.-])`),
      }
    : undefined;
  phrases.set(pattern, phrase);
  return phrase;
}
