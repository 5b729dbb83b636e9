// The completion script for fish: one line for each word.
import { choicesOf } from "../options.ts";
import type { Option } from "../options.ts";
import { kindOf } from "./bash.ts";
import type { Branch } from "./tree.ts";

export function fishScript(tree: readonly Branch[]): string {
  const commands = tree.map(
    ({ name, summary }) => `complete -c bosun -n __fish_use_subcommand -f -a ${quoted(name)} -d ${quoted(summary)}`,
  );
  return `# fish completion for bosun; made by: bosun completions fish
${commands.join("\n")}
${tree.flatMap(linesOf).join("\n")}
`;
}

function linesOf(branch: Branch): string[] {
  const places = [
    `-c bosun -n ${quoted(`__fish_seen_subcommand_from ${branch.name}`)}`,
    ...(branch.alias === undefined ? [] : [`-c ${branch.alias}`]),
  ];
  return places.flatMap((place) => [
    ...branch.words.map(([word, help]) => `complete ${place} -f -a ${quoted(word)} -d ${quoted(help)}`),
    ...branch.options.map((option) => `complete ${place} ${optionOf(option)}`),
  ]);
}

function optionOf(option: Option): string {
  const choices = choicesOf(option);
  const value =
    option.value === undefined
      ? ""
      : choices.length > 0
        ? ` -x -a ${quoted(choices.join(" "))}`
        : { file: " -r -F", folder: " -x -a '(__fish_complete_directories)'", none: " -x" }[kindOf(option.value)];
  const short = option.short === undefined ? "" : ` -s ${option.short}`;
  return `-l ${option.name}${short}${value} -d ${quoted(option.help)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
