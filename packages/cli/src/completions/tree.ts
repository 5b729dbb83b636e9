// What can be typed: every command with its options and words. Our own commands have tables; of the others the help they
// print is read, so that what is completed is what is documented.
import { COMMANDS } from "../commands.ts";
import { optionsOf } from "../options.ts";
import type { Option, Synopsis } from "../options.ts";
import { TOPICS } from "../topics.ts";
import { optionsInHelp, wordsInHelp } from "./read-help.ts";

export type Branch = {
  readonly name: string;
  /** A name of its own on PATH, by which it is called without `bosun`. */
  readonly alias: string | undefined;
  readonly summary: string;
  readonly options: readonly Option[];
  readonly words: readonly (readonly [string, string])[];
};

export async function completionTree(): Promise<Branch[]> {
  const branches: Branch[] = [];
  for (const [name, { summary, alias, synopsis, help }] of Object.entries(COMMANDS)) {
    const known =
      synopsis === undefined ? fromHelp(help === undefined ? "" : await help()) : fromTable(await synopsis());
    branches.push({ name, alias, summary, ...known });
  }
  const topics = Object.entries(TOPICS).map(([name, { summary }]) => [name, summary] as const);
  const commands = branches.map(({ name, summary }) => [name, summary] as const);
  return branches.map((branch) => (branch.name === "help" ? { ...branch, words: [...commands, ...topics] } : branch));
}

function fromTable(synopsis: Synopsis): Pick<Branch, "options" | "words"> {
  return { options: optionsOf(synopsis), words: Object.entries(synopsis.operands ?? {}) };
}

function fromHelp(text: string): Pick<Branch, "options" | "words"> {
  return { options: optionsInHelp(text), words: wordsInHelp(text) };
}
