// One command of an executable, as completions and manual pages see it.
import { shownFlags } from "../flag-table.ts";
import type { Flag, Program } from "../flag-table.ts";

export type Command = {
  readonly name: string;
  /** A name of its own on PATH, by which it is called without the executable's. */
  readonly alias: string | undefined;
  readonly summary: string;
  /** What its first word may be, with what each does. */
  readonly words: readonly (readonly [string, string])[];
  readonly flags: readonly Flag[];
};

/** Of a program and of the commands inside of it: one flag for each name. */
export function commandOf(
  name: string,
  { alias, summary }: { readonly alias?: string; readonly summary: string },
  programs: readonly Program[],
): Command {
  const flags = new Map<string, Flag>();
  for (const flag of programs.flatMap(shownFlags)) if (!flags.has(flag.name)) flags.set(flag.name, flag);
  return { name, alias, summary, words: Object.entries(programs[0]?.words ?? {}), flags: [...flags.values()] };
}

/** What stands where a flag's value is expected. */
export function kindOf({ value = "" }: Flag): "file" | "folder" | "none" {
  if (/FOLDER|DIR/.test(value)) return "folder";
  return /FILE|PROGRAM|GLOB|MANIFEST/.test(value) ? "file" : "none";
}
