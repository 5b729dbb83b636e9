// Words, variables and settings → values, by a program's table. `--name value`, `--name=value`, `-n value`, `-nvalue`, `-abc`;
// after `--` everything is an operand.
import { nearest } from "./nearest.ts";
import { choicesOf, HELP, typedFlags, UsageError, variablesOf } from "./flag-table.ts";
import type { Flag, Program } from "./flag-table.ts";

export type FlagValues = {
  /** Help was asked for: then nothing else has been looked at. */
  readonly isHelp: boolean;
  /** Words without dashes, and all that stands after `--`. */
  readonly operands: readonly string[];
  /** What stands after `--`; undefined: there is none. */
  readonly rest: readonly string[] | undefined;
  has(name: string): boolean;
  /** A switch: on or off. */
  isOn(name: string): boolean;
  text(name: string): string | undefined;
  list(name: string): readonly string[];
  /** Where a value came from, for messages: `--port` or `BOSUN_PORT`. */
  source(name: string): string;
};

type Given = { readonly source: string; readonly values: readonly string[] };
type Environment = Readonly<Record<string, string | undefined>>;

/** A word beats its variable, a variable the layer below, which is what a settings file says. */
export function readFlags(
  program: Program,
  words: readonly string[],
  env: Environment = {},
  layer: ReadonlyMap<string, readonly string[]> = new Map(),
): FlagValues {
  if (asksForHelp(words)) return valuesOf(true, new Map(), [], undefined);
  const given = new Map<string, Given>();
  for (const [name, values] of layer) given.set(name, { source: `settings (--${name})`, values });
  for (const flag of program.flags) {
    const found = fromEnvironment(program, flag, env);
    if (found !== undefined) given.set(flag.name, found);
  }
  const typed = fromWords(program, words);
  for (const [name, found] of typed.given) given.set(name, found);
  for (const flag of program.flags) checkChoice(flag, given.get(flag.name));
  return valuesOf(false, given, typed.operands, typed.rest);
}

/** Whoever asks for help gets it, whatever else is wrong. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

function valuesOf(
  isHelp: boolean,
  given: ReadonlyMap<string, Given>,
  operands: readonly string[],
  rest: readonly string[] | undefined,
): FlagValues {
  return {
    isHelp,
    operands,
    rest,
    has: (name) => given.has(name),
    isOn: (name) => readSwitch(given.get(name)),
    text: (name) => given.get(name)?.values.at(-1),
    list: (name) => given.get(name)?.values ?? [],
    source: (name) => given.get(name)?.source ?? `--${name}`,
  };
}

/** A variable that nobody reads but that is nearly one of ours: a slip that would leave `BOSUN_READONLY=1` without effect. */
export function misspeltVariables(
  program: Program,
  env: Environment,
): readonly { readonly name: string; readonly meant: string }[] {
  const { prefixes = [] } = program;
  const strangers = Object.keys(env).filter((name) => prefixes.some((prefix) => name.startsWith(`${prefix}_`)));
  if (strangers.length === 0) return [];
  const known = program.flags.flatMap((flag) => variablesOf(flag, program));
  return strangers
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = nearest(name, known, 1);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

function fromEnvironment(program: Program, flag: Flag, env: Environment): Given | undefined {
  for (const source of hasVariable(program, flag, env) ? variablesOf(flag, program) : []) {
    const text = env[source];
    if (text === undefined || text === "") continue;
    return { source, values: flag.commas === true ? listItems(text) : [text] };
  }
  return undefined;
}

/** Mostly there is none, and then no flag needs its variables' names made. */
function hasVariable({ prefixes = [] }: Program, { variable }: Flag, env: Environment): boolean {
  if (variable !== undefined) return true;
  if (prefixes.length > 0)
    for (const name in env) for (const prefix of prefixes) if (name.startsWith(prefix)) return true;
  return false;
}

type Typed = {
  readonly given: Map<string, { source: string; values: string[] }>;
  readonly operands: string[];
  rest: readonly string[] | undefined;
};

function fromWords(program: Program, words: readonly string[]): Typed {
  const flags = typedFlags(program);
  const typed: Typed = { given: new Map(), operands: [], rest: undefined };
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === "--") {
      typed.rest = queue.splice(0);
      typed.operands.push(...typed.rest);
    } else if (word === "-" || !word.startsWith("-")) {
      if (program.operands !== true && program.words === undefined) throw new UsageError(unexpected(program, word));
      typed.operands.push(word);
    } else if (word.startsWith("--")) {
      const [, name = word.slice(2), attached] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      const flag = flags.find((one) => one.name === name || one.aliases?.includes(name) === true);
      if (flag === undefined) throw new UsageError(unknown(program, flags, `--${name}`));
      take(program, flags, typed, flag, `--${name}`, attached, queue);
    } else takeLetters(program, flags, typed, word, queue);
  }
  return typed;
}

// `-vo out` and `-oout`: letters are switches until one of them takes what is left as its value.
function takeLetters(program: Program, flags: readonly Flag[], typed: Typed, word: string, queue: string[]): void {
  for (let rest = word.slice(1); rest !== "";) {
    const letter = rest.slice(0, 1);
    rest = rest.slice(1);
    const flag = flags.find(({ short }) => short === letter);
    if (flag === undefined) throw new UsageError(unknown(program, flags, word.length === 2 ? word : `-${letter}`));
    const attached = flag.value === undefined || rest === "" ? undefined : rest.replace(/^=/, "");
    take(program, flags, typed, flag, `-${letter}`, attached, queue);
    if (attached !== undefined) return;
  }
}

function take(
  program: Program,
  flags: readonly Flag[],
  typed: Typed,
  flag: Flag,
  spelled: string,
  attached: string | undefined,
  queue: string[],
): void {
  const entry = typed.given.get(flag.name) ?? { source: `--${flag.name}`, values: [] };
  if (program.once === true && flag.repeatable !== true && typed.given.has(flag.name))
    throw new UsageError(`${spelled} cannot be used twice`);
  typed.given.set(flag.name, entry);
  if (flag.value === undefined) {
    // Only where a variable can hold it, its value can be written out, too.
    if (attached !== undefined && variablesOf(flag, program).length === 0)
      throw new UsageError(`${spelled} takes no value`);
    entry.values.push(attached ?? "true");
    return;
  }
  if (flag.optionalValue !== undefined) {
    const isNext = attached === undefined && flag.optionalValue.test(queue[0] ?? "");
    const value = isNext ? queue.shift() : attached;
    if (value === undefined) return;
    if (!flag.optionalValue.test(value)) throw new UsageError(`${spelled} cannot be ${JSON.stringify(value)}`);
    entry.values.push(value);
    return;
  }
  const value = attached ?? (mayBeValue(program, flags, flag, queue[0]) ? queue.shift() : undefined);
  const items = value === undefined ? [] : flag.commas === true ? listItems(value) : [value];
  // An empty list would be as if the word was not there: `--deny-dir "$UNSET"` must not deny nothing.
  if (items.length === 0) throw new UsageError(`${spelled} needs a value: ${spelled} ${flag.value}`);
  entry.values.push(...items);
}

/** `--budget --stats` is a value forgotten; a token may begin with a dash. */
function mayBeValue(program: Program, flags: readonly Flag[], flag: Flag, word: string | undefined): boolean {
  if (word === undefined || word === "-" || !word.startsWith("-") || flag.takesAnything === true) return true;
  if (program.attachedDashes === true) return false;
  return !flags.some(
    ({ name, short }) => word === `--${name}` || word.startsWith(`--${name}=`) || word === `-${short}`,
  );
}

// A comma cannot be part of an item: the variables are comma-separated, and a flag that split differently would surprise.
function listItems(text: string): string[] {
  return splitOutsideBraces(text).filter((item) => item !== "");
}

/** `a,b` are two; `**\/*.{key,pem}` is one. */
function splitOutsideBraces(text: string): string[] {
  const items = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "{") depth += 1;
    if (character === "}") depth = Math.max(0, depth - 1);
    if (character === "," && depth === 0) items.push("");
    else items[items.length - 1] += character;
  }
  return items.map((item) => item.trim());
}

function readSwitch(given: Given | undefined): boolean {
  const text = given?.values.at(-1)?.trim().toLowerCase();
  if (text === undefined || text === "false" || text === "0" || text === "no" || text === "off") return false;
  if (text === "true" || text === "1" || text === "yes" || text === "on") return true;
  throw new UsageError(`${given?.source ?? "switch"} must be true or false, got ${JSON.stringify(text)}`);
}

function checkChoice(flag: Flag, given: Given | undefined): void {
  const choices = choicesOf(flag);
  if (given === undefined || choices.length === 0) return;
  const wrong = given.values.find((value) => !choices.includes(value));
  if (wrong !== undefined) throw new UsageError(notAmong(given.source, wrong, choices));
}

export function notAmong(source: string, value: string, choices: readonly string[]): string {
  const close = nearest(value, choices);
  const all = choices.length === 1 ? choices[0] : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  return `${source} must be ${all}; got ${JSON.stringify(value)}${close === undefined ? "" : `, did you mean ${close}?`}`;
}

function unexpected({ unknownHint }: Program, word: string): string {
  return `unexpected argument ${JSON.stringify(word)}: ${unknownHint ?? "every option starts with --"}`;
}

function unknown({ unknownHint }: Program, flags: readonly Flag[], word: string): string {
  const close = nearest(
    word.replace(/^-+/, ""),
    flags.map(({ name }) => name),
  );
  if (close !== undefined) return `unknown option ${word}; did you mean --${close}?`;
  const known = flags.filter((flag) => flag.isHidden !== true && flag !== HELP).map(({ name }) => `--${name}`);
  const few = known.length > 0 && known.length <= 8 ? `there are: ${known.join(", ")}` : "see --help for the list";
  return `unknown option ${word}; ${unknownHint ?? few}`;
}

/** "did you mean …?" for a word that is not known, or how to see those that are. */
export function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const close = nearest(word, known);
  return close === undefined ? otherwise : `did you mean ${close}?`;
}
