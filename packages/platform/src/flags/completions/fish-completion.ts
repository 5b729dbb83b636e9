// The completion script for fish: one line for each word.
import { choicesOf } from "../flag-table.ts";
import type { Flag } from "../flag-table.ts";
import { kindOf } from "./completed-command.ts";
import type { Command } from "./completed-command.ts";

export function fishScript(commands: readonly Command[]): string {
  const names = commands.map(
    ({ name, summary }) => `complete -c bosun -n __fish_use_subcommand -f -a ${quoted(name)} -d ${quoted(summary)}`,
  );
  return `# fish completion for bosun; made by: bosun completions fish
${names.join("\n")}
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf(command: Command): string[] {
  const places = [
    `-c bosun -n ${quoted(`__fish_seen_subcommand_from ${command.name}`)}`,
    ...(command.alias === undefined ? [] : [`-c ${command.alias}`]),
  ];
  return places.flatMap((place) => [
    ...command.words.map(([word, help]) => `complete ${place} -f -a ${quoted(word)} -d ${quoted(help)}`),
    ...command.flags.map((flag) => `complete ${place} ${flagOf(flag)}`),
  ]);
}

function flagOf(flag: Flag): string {
  const choices = choicesOf(flag);
  const value =
    flag.value === undefined
      ? ""
      : choices.length > 0
        ? ` -x -a ${quoted(choices.join(" "))}`
        : { file: " -r -F", folder: " -x -a '(__fish_complete_directories)'", none: " -x" }[kindOf(flag)];
  const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
  return `-l ${flag.name}${short}${value} -d ${quoted(flag.help)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
