// A program's table → what it says on --help.
import { shownFlags } from "./flag-table.ts";
import type { Flag, Program } from "./flag-table.ts";

const WIDTH = 120;
/** What is longer stands on a line of its own: the texts would have no room beside it. */
const LONGEST_LEFT = 60;

export function helpText(program: Program): string {
  const { name, summary, usage, words = {}, examples, notes } = program;
  return [
    `${name}: ${summary}`,
    `Usage: ${usage.join("\n       ")}`,
    ...(Object.keys(words).length === 0 ? [] : [`Commands:\n${columns(Object.entries(words))}`]),
    ...flagSections(program),
    ...environmentSection(program),
    ...(examples.length === 0 ? [] : [`Examples:\n${columns(examples)}`]),
    ...(notes === undefined ? [] : [notes.trimEnd()]),
  ].join("\n\n");
}

/** One text for each heading. */
function flagSections(program: Program): string[] {
  const shown = shownFlags(program);
  const hasLetters = shown.some((flag) => flag.short !== undefined && flag.name !== "help");
  const sections: [heading: string, rows: [string, string][]][] = [];
  for (const flag of shown) {
    const heading = flag.name === "help" && sections.length > 0 ? undefined : flag.group;
    if (sections.length === 0 || (heading !== undefined && sections.at(-1)?.[0] !== heading))
      sections.push([heading ?? "Options", []]);
    sections.at(-1)?.[1].push([spelling(flag, hasLetters), flag.help]);
  }
  const all = sections.flatMap(([, rows]) => rows);
  return sections.map(([heading, rows]) => `${heading}:\n${columns(rows, widthOf(all))}`);
}

/** `-n, --last N` */
function spelling({ name, short, value }: Flag, hasLetters: boolean): string {
  const letter = hasLetters ? (short === undefined ? "    " : `-${short}, `) : "";
  return `${letter}--${name}${value === undefined ? "" : ` ${value}`}`;
}

function environmentSection({ flags, prefixes = [] }: Program): string[] {
  const rows = flags.flatMap(({ name, variable, variableOnly, help }): [string, string][] =>
    variable === undefined ? [] : [[variable, variableOnly === true ? help : `as --${name}`]],
  );
  const [prefix] = prefixes;
  const all =
    prefix === undefined
      ? []
      : [`Every option is also read from ${prefix}_<NAME>, such as ${prefix}_PORT; lists are comma-separated there.`];
  return [...(rows.length === 0 ? [] : [`Environment:\n${columns(rows)}`]), ...all];
}

/** Two columns; what is too long for a line goes on below itself. */
export function columns(rows: readonly (readonly [string, string])[], width: number = widthOf(rows)): string {
  const indent = " ".repeat(width + 4);
  return rows
    .flatMap(([left, right]) => {
      const [first = "", ...more] = wrapped(right, WIDTH - indent.length);
      const head = left.length > width ? [`  ${left}`, `${indent}${first}`] : [`  ${left.padEnd(width)}  ${first}`];
      return [...head, ...more.map((line) => `${indent}${line}`)];
    })
    .map((line) => line.trimEnd())
    .join("\n");
}

function widthOf(rows: readonly (readonly [string, string])[]): number {
  return Math.max(0, ...rows.map(([left]) => left.length).filter((length) => length <= LONGEST_LEFT));
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
