// Shell text as a rule sees it: the commands in it, each with its words, redirects and assignments.
// Whoever has a shell grammar makes these; this library judges them and never reads shell text itself.

/** Text that is known before anything runs, or the source of what the shell will only know then ($x, `…`, *, {a,b}). */
export type Word = string | { readonly dynamic: string };

export type Redirect = {
  /** As written: `>`, `>>`, `<`, `<<<`, `&>`, `<<` … */
  readonly op: string;
  /** The file, or the text of a here-string or here-document. */
  readonly target: Word;
  readonly access: "read" | "write";
};

export type Assignment = { readonly name: string; readonly value: Word };

export type SimpleCommand = {
  readonly kind: "command";
  /** The program first; none for a line of assignments only. */
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  readonly assignments: readonly Assignment[];
};

export type UnparsableCommand = { readonly kind: "unparsable"; readonly reason: string };

export type JudgedCommand = SimpleCommand | UnparsableCommand;

/**
 * Everything a shell text may run: *every* simple command wherever it stands (lists, pipes, subshells, loops, function
 * bodies, command and process substitutions, inside quotes too), in the order of the text. Variables that something
 * else than a command sets (`for PATH in …`, `select`, `coproc`, `((x = 1))`, `{x}> f`) are assignments of a command without
 * words: a rule must see that the names of programs may mean something else from there on.
 */
export type ShellText =
  | {
      readonly kind?: "parsed";
      readonly commands: readonly JudgedCommand[];
      /** Names the text defines as functions or aliases: they no longer mean the program of that name. */
      readonly defines?: readonly string[];
    }
  | UnparsableCommand;

/** Reads shell text that stands inside a command: `sh -c '…'`, `eval …`, `git -c alias.x='!…'`. */
export type ParseShell = (text: string) => ShellText;

export function isLiteral(word: Word | undefined): word is string {
  return typeof word === "string";
}

/** For people: words as they were written, close enough to recognise. */
export function textOfCommand(command: JudgedCommand): string {
  if (command.kind === "unparsable") return `(${command.reason})`;
  const assigned = command.assignments.map(({ name, value }) => `${name}=${textOfWord(value)}`);
  const redirected = command.redirects.map(({ op, target }) => `${op} ${textOfWord(target)}`);
  return [...assigned, ...command.words.map(textOfWord), ...redirected].join(" ");
}

export function textOfWord(word: Word): string {
  if (typeof word !== "string") return word.dynamic;
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Every word of a command that the shell expands: arguments, assigned values, redirect targets. */
export function expandedWords({ words, assignments, redirects }: SimpleCommand): Word[] {
  return [...words, ...assignments.map(({ value }) => value), ...redirects.map(({ target }) => target)];
}

/** ${x@P} treats what is in x as a prompt, and a prompt's substitutions run. */
export function expandsAsPrompt(word: Word): boolean {
  return typeof word !== "string" && /\$\{[^}]*@P\}/.test(word.dynamic);
}

/**
 * True when expanding it can run what a variable holds: as a prompt, by name (${!x}), or as arithmetic, where the
 * subscript in `a[$(…)]` is evaluated. Harmless with honest values, and nobody knows the values.
 */
export function mayRunValues(word: Word): boolean {
  if (typeof word === "string") return false;
  const source = word.dynamic;
  if (expandsAsPrompt(word) || source.includes("${!")) return true;
  if (/\$\(\([^)]*[A-Za-z_$]/.test(source) || /\$\[[^\]]*[A-Za-z_$]/.test(source)) return true;
  if (/\$\{[A-Za-z_][A-Za-z0-9_]*\[[^\]]*[A-Za-z_$]/.test(source)) return true;
  return /\$\{[A-Za-z_][A-Za-z0-9_]*:[^-=?+}]*[A-Za-z_$]/.test(source);
}

/** True when a word that is not known yet could turn out to be an option (or several words, one of them an option). */
export function couldBeOption(word: Word): boolean {
  if (typeof word === "string") return word.startsWith("-") && word !== "-";
  const source = word.dynamic;
  // Unquoted, an expansion is split into words: any of them may be an option.
  if (/[$`]/.test(source)) return !/^"[^$`"-][^"]*"$/.test(source);
  if (/^[{~]/.test(source) || source.includes("{")) return true;
  // A file name that a glob finds: it begins like the glob does, and a name with . or / is no option letter.
  return /^[*?[-]/.test(source) && !/[./]/.test(source);
}
