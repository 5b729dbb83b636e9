// A program's table → its page for man(1), in the macros of man(7).
import { shownFlags } from "../flag-table.ts";
import type { Flag, Program } from "../flag-table.ts";

export function manualPage(program: Program, version: string): string {
  const { name, summary, usage, words = {}, examples, notes } = program;
  const title = name.replaceAll(" ", "-");
  return [
    `.TH ${quoted(title.toUpperCase())} 1 "" ${quoted(`bosun ${version}`)} ""`,
    `.SH NAME\n${text(title)} \\- ${text(summary)}`,
    `.SH SYNOPSIS\n${usage.map((line) => `.nf\n${text(line)}\n.fi`).join("\n")}`,
    ...section(
      "COMMANDS",
      Object.entries(words).map(([word, help]) => entry(`\\fB${text(word)}\\fR`, help)),
    ),
    ...section(
      "OPTIONS",
      shownFlags(program).map((flag) => entry(spelling(flag), flag.help)),
    ),
    ...section("ENVIRONMENT", environment(program)),
    ...section(
      "EXAMPLES",
      examples.map(([line, help]) => entry(`\\fB${text(line)}\\fR`, help)),
    ),
    ...(notes === undefined ? [] : [`.SH NOTES\n.nf\n${text(notes.trimEnd())}\n.fi`]),
    "",
  ].join("\n");
}

function section(heading: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`.SH ${heading}\n${entries.join("\n")}`];
}

function entry(term: string, help: string): string {
  return `.TP\n${term}\n${text(help)}`;
}

function spelling({ name, short, value }: Flag): string {
  const letter = short === undefined ? "" : `\\fB\\-${short}\\fR, `;
  return `${letter}\\fB\\-\\-${text(name)}\\fR${value === undefined ? "" : ` \\fI${text(value)}\\fR`}`;
}

function environment({ flags, prefixes: [prefix] = [] }: Program): string[] {
  const own = flags.flatMap(({ name, variable, variableOnly, help }) =>
    variable === undefined ? [] : [entry(`\\fB${text(variable)}\\fR`, variableOnly === true ? help : `as --${name}`)],
  );
  return prefix === undefined ? own : [...own, entry(`\\fB${prefix}_<NAME>\\fR`, "any option; lists comma-separated")];
}

/** A line that starts with a dot or a quote would be a macro; a bare dash becomes a hyphen, which nobody can paste. */
function text(words: string): string {
  return words
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .split("\n")
    .map((line) => (/^[.']/.test(line) ? `\\&${line}` : line))
    .join("\n");
}

function quoted(words: string): string {
  return `"${words.replaceAll('"', "")}"`;
}
