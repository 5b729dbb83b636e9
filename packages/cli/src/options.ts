// A command's own table → its --help, its completions and its parsed words. It knows no command.
import type { Run } from "./commands.ts";

export type Option = {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** How the value is called in the help; none: a switch. `a|b` lists what may stand there. */
  readonly value?: string;
  readonly help: string;
  readonly repeatable?: boolean;
};

export type Synopsis = {
  readonly name: string;
  readonly summary: string;
  readonly usage: readonly string[];
  /** What its words without dashes may be, when that is a list; shown with what each does. */
  readonly operands?: Readonly<Record<string, string>>;
  readonly options: readonly Option[];
  readonly examples: readonly (readonly [string, string])[];
  readonly notes?: string;
};

export type Words = {
  readonly operands: readonly string[];
  has(name: string): boolean;
  text(name: string): string | undefined;
  list(name: string): readonly string[];
};

/** What was typed cannot be used; the message says what to type instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const HELP: Option = { name: "help", short: "h", help: "this text" };

/** The command with its help, and with what was typed wrongly said once, in one form. */
export function command(synopsis: Synopsis, run: (words: Words) => Promise<number>): Run {
  return async (argv) => {
    try {
      const words = await parseWords(synopsis, argv);
      if (words.has("help")) {
        console.log(helpOf(synopsis));
        return 0;
      }
      return await run(words);
    } catch (error) {
      if (error instanceof UsageError) {
        console.error(`bosun ${synopsis.name}: ${error.message}\nTry: bosun ${synopsis.name} --help`);
        return 2;
      }
      // The machine said no (no permission, no space, a folder in the way): its words, without our stack.
      if (!(error instanceof Error && "syscall" in error)) throw error;
      console.error(`bosun ${synopsis.name}: ${error.message}`);
      return 1;
    }
  };
}

export function optionsOf(synopsis: Synopsis): readonly Option[] {
  return [...synopsis.options, HELP];
}

export function helpOf(synopsis: Synopsis): string {
  const { name, summary, usage, operands = {}, examples, notes } = synopsis;
  const options = optionsOf(synopsis).map(
    ({ name, short, value, help }) =>
      [`${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`, help] as const,
  );
  return [
    `bosun ${name}: ${summary}`,
    `Usage: ${usage.join("\n       ")}`,
    ...(Object.keys(operands).length === 0 ? [] : [columns(Object.entries(operands))]),
    `Options:\n${columns(options)}`,
    `Examples:\n${columns(examples)}`,
    ...(notes === undefined ? [] : [notes]),
  ].join("\n\n");
}

export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
}

/** "did you mean …?" for a name that is not known, or how to see those that are. */
export async function suggestion(word: string, known: readonly string[], otherwise: string): Promise<string> {
  const { nearest } = await import("@bosun/platform/flags");
  const close = nearest(word, known);
  return close === undefined ? otherwise : `did you mean ${close}?`;
}

async function parseWords(synopsis: Synopsis, argv: readonly string[]): Promise<Words> {
  const options = optionsOf(synopsis);
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--") operands.push(...rest.splice(0));
    else if (!word.startsWith("-") || word === "-") operands.push(word);
    else {
      const [, typed = word, glued] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      const option = options.find(({ name, short }) => name === typed || `-${short}` === word);
      if (option === undefined) throw new UsageError(await unknownOption(word, typed, options));
      if (option.value === undefined && glued !== undefined) throw new UsageError(`--${option.name} takes no value`);
      const value = option.value === undefined ? "" : (glued ?? rest.shift());
      if (value === undefined) throw new UsageError(`--${option.name} needs a value: --${option.name} ${option.value}`);
      await checkChoice(option, value);
      given.set(option.name, [...(given.get(option.name) ?? []), value]);
    }
  }
  const twice = options.find(({ name, repeatable }) => repeatable !== true && (given.get(name)?.length ?? 0) > 1);
  if (twice?.value !== undefined) throw new UsageError(`--${twice.name} was given more than once`);
  return {
    operands,
    has: (name) => given.has(name),
    text: (name) => given.get(name)?.at(-1),
    list: (name) => given.get(name) ?? [],
  };
}

async function unknownOption(word: string, typed: string, options: readonly Option[]): Promise<string> {
  const known = options.map(({ name }) => `--${name}`);
  return `unknown option ${word}; ${await suggestion(`--${typed.replace(/^-+/, "")}`, known, `there are: ${known.join(", ")}`)}`;
}

export function choicesOf({ value }: Option): readonly string[] {
  return value !== undefined && /^[a-z][\w-]*(\|[a-z][\w-]*)+$/.test(value) ? value.split("|") : [];
}

async function checkChoice(option: Option, value: string): Promise<void> {
  const choices = choicesOf(option);
  if (choices.length === 0 || choices.includes(value)) return;
  const hint = await suggestion(value, choices, `there are: ${choices.join(", ")}`);
  throw new UsageError(`--${option.name}: ${JSON.stringify(value)} is not one of them; ${hint}`);
}
