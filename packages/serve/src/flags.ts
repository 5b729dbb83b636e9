// Words and environment variables → values, by one table. It knows no flag: config.ts has the table.

export type Flag = {
  /** Without the dashes. */
  readonly name: string;
  readonly kind: "text" | "switch" | "list";
  /** How the value is called in the help, such as `SECONDS`. */
  readonly value?: string;
  readonly help: string;
  /** Older names, accepted and not shown. */
  readonly aliases?: readonly string[];
  /** Has no environment variable. */
  readonly wordOnly?: boolean;
};

/** Something a person typed cannot be used; the message says what to type instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export type FlagValues = {
  text(name: string): string | undefined;
  switch(name: string): boolean;
  list(name: string): readonly string[];
  /** Where the value came from, for messages: `--port` or `BOSUN_PORT`. */
  source(name: string): string;
};

type Given = { readonly source: string; readonly values: readonly string[] };

/** A word beats its variable, a variable the layer below; of two variables the first prefix wins. */
export function readFlags(
  flags: readonly Flag[],
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  prefixes: readonly string[],
  layer: ReadonlyMap<string, readonly string[]> = new Map(),
): FlagValues {
  const given = new Map<string, Given>();
  for (const [name, values] of layer) given.set(name, { source: `settings (--${name})`, values });
  for (const flag of hasVariable(env, prefixes) ? flags : []) {
    const found = flag.wordOnly === true ? undefined : fromEnvironment(flag, env, prefixes);
    if (found !== undefined) given.set(flag.name, found);
  }
  for (const [name, found] of fromWords(flags, words)) given.set(name, found);
  return {
    text: (name) => given.get(name)?.values.at(-1),
    switch: (name) => readSwitch(given.get(name)),
    list: (name) => given.get(name)?.values ?? [],
    source: (name) => given.get(name)?.source ?? `--${name}`,
  };
}

export function describeFlags(flags: readonly Flag[]): string {
  const rows = flags.map(({ name, value, help }) => [`  --${name}${value === undefined ? "" : ` ${value}`}`, help]);
  const width = Math.max(...rows.map(([left = ""]) => left.length)) + 2;
  return rows.map(([left = "", right = ""]) => `${left.padEnd(width)}${right}\n`).join("");
}

export function variableName(prefix: string, flag: string): string {
  return `${prefix}_${flag.replaceAll("-", "_").toUpperCase()}`;
}

/** The known name that was probably meant. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .toSorted((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(2, Math.floor(name.length / 3)) ? best.candidate : undefined;
}

/** A variable that nobody reads but that is nearly one of ours: a slip that would leave `BOSUN_READONLY=1` without effect. */
export function misspeltVariables(
  flags: readonly Flag[],
  env: Readonly<Record<string, string | undefined>>,
  prefixes: readonly string[],
): readonly { readonly name: string; readonly meant: string }[] {
  if (!hasVariable(env, prefixes)) return [];
  const known = prefixes.flatMap((prefix) => flags.flatMap((flag) => variablesOf(flag, prefix)));
  return Object.keys(env)
    .filter((name) => prefixes.some((prefix) => name.startsWith(`${prefix}_`)) && !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((candidate) => editDistance(name, candidate) === 1);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

function variablesOf(flag: Flag, prefix: string): string[] {
  if (flag.wordOnly === true) return [];
  const name = variableName(prefix, flag.name);
  // The plural is what lists are called there: BOSUN_ALLOW_DIRS.
  return flag.kind === "list" ? [name, `${name}S`] : [name];
}

/** Mostly there is none, and then no flag needs its variables' names made. */
function hasVariable(env: Readonly<Record<string, string | undefined>>, prefixes: readonly string[]): boolean {
  for (const name in env) for (const prefix of prefixes) if (name.startsWith(prefix)) return true;
  return false;
}

function fromEnvironment(
  flag: Flag,
  env: Readonly<Record<string, string | undefined>>,
  prefixes: readonly string[],
): Given | undefined {
  for (const prefix of prefixes) {
    for (const source of variablesOf(flag, prefix)) {
      const text = env[source];
      if (text === undefined || text === "") continue;
      return { source, values: flag.kind === "list" ? listItems(text) : [text] };
    }
  }
  return undefined;
}

function fromWords(flags: readonly Flag[], words: readonly string[]): Map<string, Given> {
  const found = new Map<string, { source: string; values: string[] }>();
  const rest = [...words];
  const byName = new Map(flags.map((flag) => [flag.name, flag]));
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, typed, glued] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (typed === undefined)
      throw new UsageError(`unexpected argument ${JSON.stringify(word)}: every option starts with --`);
    const flag = byName.get(typed) ?? flags.find(({ aliases }) => aliases?.includes(typed));
    if (flag === undefined) throw unknownFlag(flags, typed);
    const value = glued ?? (flag.kind === "switch" ? "true" : rest.shift());
    if (value === undefined) throw new UsageError(`--${typed} needs a value: --${typed} ${flag.value ?? "VALUE"}`);
    const entry = found.get(flag.name) ?? { source: `--${flag.name}`, values: [] };
    const items = flag.kind === "list" ? listItems(value) : [value];
    // An empty list would be as if the word was not there: `--deny-dir "$UNSET"` must not deny nothing.
    if (items.length === 0) throw new UsageError(`--${typed} needs a value: --${typed} ${flag.value ?? "VALUE"}`);
    entry.values.push(...items);
    found.set(flag.name, entry);
  }
  return found;
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

function unknownFlag(flags: readonly Flag[], typed: string): UsageError {
  const meant = nearestName(
    typed,
    flags.map(({ name }) => name),
  );
  const hint = meant === undefined ? "see --help for the list" : `did you mean --${meant}?`;
  return new UsageError(`unknown option --${typed}; ${hint}`);
}

/** Insertions, deletions, substitutions, and two letters swapped: the most common slip of all (`gti`). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(substitution, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
