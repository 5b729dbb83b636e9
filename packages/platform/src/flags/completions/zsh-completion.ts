// The completion script for zsh: each command's options and words as _arguments understands them.
import { choicesOf } from "../flag-table.ts";
import type { Flag } from "../flag-table.ts";
import { kindOf } from "./completed-command.ts";
import type { Command } from "./completed-command.ts";

export function zshScript(commands: readonly Command[]): string {
  const aliases = commands.flatMap(({ alias }) => (alias === undefined ? [] : [alias]));
  const called = commands.flatMap(({ name, alias }) =>
    alias === undefined ? [] : [`    ${alias}) _bosun_${idOf(name)} ;;`],
  );
  return `#compdef bosun ${aliases.join(" ")}
# zsh completion for bosun; made by: bosun completions zsh
${commands.map(functionOf).join("\n")}
_bosun_commands() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${described(name, summary)}`).join("\n")}
  )
  _describe command commands
}
_bosun() {
  case $service in
${called.join("\n")}
    *)
      local state line
      _arguments -C '1:command:_bosun_commands' '*::argument:->rest'
      [[ $state == rest ]] || return
      case $line[1] in
${commands.map(({ name }) => `        ${name}) _bosun_${idOf(name)} ;;`).join("\n")}
      esac
      ;;
  esac
}
_bosun "$@"
`;
}

function functionOf({ name, flags, words }: Command): string {
  const specs = flags.map((flag) => `    ${specOf(flag)}`);
  const first = words.length === 0 ? "'*:file:_files'" : `'1:word:((${words.map(wordOf).join(" ")}))' '*:file:_files'`;
  return `_bosun_${idOf(name)}() {
  _arguments -s ${[...specs, `    ${first}`].map((spec) => `\\\n${spec}`).join(" ")}
}`;
}

function specOf(flag: Flag): string {
  const help = `[${flag.help.replace(/[[\]\\:]/g, "\\$&")}]`;
  const repeat = flag.repeatable === true ? "*" : "";
  const action = flag.value === undefined ? "" : `:${flag.value.replace(/[:\\]/g, "")}:${actionOf(flag)}`;
  return quoted(`${repeat}--${flag.name}${help}${action}`);
}

function actionOf(flag: Flag): string {
  const choices = choicesOf(flag);
  if (choices.length > 0) return `(${choices.join(" ")})`;
  return { file: "_files", folder: "_files -/", none: "" }[kindOf(flag)];
}

function wordOf([word, help]: readonly [string, string]): string {
  return `${word}\\:"${help.replace(/["\\$`:()']/g, " ").trim()}"`;
}

function described(name: string, help: string): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${help}`);
}

function idOf(name: string): string {
  return name.replaceAll("-", "_");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
