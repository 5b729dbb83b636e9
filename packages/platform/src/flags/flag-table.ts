// What a program's command line may hold: one table that gives its parser, its --help, its completions and its manual page.

export type Flag = {
  /** Without the dashes. */
  readonly name: string;
  /** One letter. */
  readonly short?: string;
  /** How the value is called in the help; none: a switch. `a|b` lists what may stand there, `[ID]` may be left out. */
  readonly value?: string;
  readonly help: string;
  /** The heading it stands under in the help; without one it stands where the flag before it does. */
  readonly group?: string;
  /** May be given more than once. */
  readonly repeatable?: boolean;
  /** Several values may stand in one word, separated by commas outside of braces. */
  readonly commas?: boolean;
  /** What a value in brackets must look like to be taken as one. */
  readonly optionalValue?: RegExp;
  /** Takes what comes next even if it looks like a flag: the value is somebody else's command line. */
  readonly takesAnything?: boolean;
  /** The variable that sets it where no word does. */
  readonly variable?: string;
  /** Cannot be typed: there is only the variable. */
  readonly variableOnly?: boolean;
  /** Has no variable, although the program's prefixes give one to every flag. */
  readonly wordOnly?: boolean;
  /** The key of the settings file that says the same: `serve.port`. */
  readonly setting?: string;
  /** Older spellings: accepted, not shown. */
  readonly aliases?: readonly string[];
  /** Accepted, not shown. */
  readonly isHidden?: boolean;
};

export type Program = {
  /** As it is typed: `bosun serve`. */
  readonly name: string;
  readonly summary: string;
  readonly usage: readonly string[];
  /** What its first word without dashes may be, when that is a list, with what each does. */
  readonly words?: Readonly<Record<string, string>>;
  /** Whether words without dashes are taken at all; where `words` are, they are. */
  readonly operands?: boolean;
  readonly flags: readonly Flag[];
  /** `BOSUN`: every flag is read from BOSUN_<NAME>, too. Of several the first wins. */
  readonly prefixes?: readonly string[];
  /** A flag with a value that is given twice is a mistake; otherwise the last one counts. */
  readonly once?: boolean;
  /** A value that starts with a dash must be attached by `=`. */
  readonly attachedDashes?: boolean;
  /** Said of an unknown flag that resembles none. */
  readonly unknownHint?: string;
  readonly examples: readonly (readonly [string, string])[];
  readonly notes?: string;
};

/** What is wrong with the command line, in words for the person who typed it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export const HELP: Flag = { name: "help", short: "h", help: "this text", wordOnly: true };

/** All that can be typed, --help included. */
export function typedFlags({ flags }: Pick<Program, "flags">): readonly Flag[] {
  return [...flags.filter(({ variableOnly }) => variableOnly !== true), HELP];
}

export function shownFlags(program: Pick<Program, "flags">): readonly Flag[] {
  return typedFlags(program).filter(({ isHidden }) => isHidden !== true);
}

export function choicesOf({ value }: Flag): readonly string[] {
  return value !== undefined && /^[a-z][\w-]*(\|[a-z][\w-]*)+$/.test(value) ? value.split("|") : [];
}

/** The variables that set a flag, the one that wins first. */
export function variablesOf(flag: Flag, { prefixes = [] }: Pick<Program, "prefixes">): readonly string[] {
  const own = flag.variable === undefined ? [] : [flag.variable];
  if (flag.wordOnly === true) return own;
  const stem = flag.name.replaceAll("-", "_").toUpperCase();
  // The plural is what lists are called there: BOSUN_ALLOW_DIRS.
  const named = prefixes.flatMap((prefix) => [
    `${prefix}_${stem}`,
    ...(flag.commas === true ? [`${prefix}_${stem}S`] : []),
  ]);
  return [...own, ...named];
}
