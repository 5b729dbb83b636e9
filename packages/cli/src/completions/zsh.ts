// The completion script for zsh: each command's options and words as _arguments understands them.
import { choicesOf } from "../options.ts";
import type { Option } from "../options.ts";
import { kindOf } from "./bash.ts";
import type { Branch } from "./tree.ts";

export function zshScript(tree: readonly Branch[]): string {
  const aliases = tree.flatMap(({ alias }) => (alias === undefined ? [] : [alias]));
  const called = tree.flatMap(({ name, alias }) =>
    alias === undefined ? [] : [`    ${alias}) _bosun_${idOf(name)} ;;`],
  );
  return `#compdef bosun ${aliases.join(" ")}
# zsh completion for bosun; made by: bosun completions zsh
${tree.map(functionOf).join("\n")}
_bosun_commands() {
  local -a commands
  commands=(
${tree.map(({ name, summary }) => `    ${described(name, summary)}`).join("\n")}
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
${tree.map(({ name }) => `        ${name}) _bosun_${idOf(name)} ;;`).join("\n")}
      esac
      ;;
  esac
}
_bosun "$@"
`;
}

function functionOf({ name, options, words }: Branch): string {
  const specs = options.map((option) => `    ${specOf(option)}`);
  const first = words.length === 0 ? "'*:file:_files'" : `'1:word:((${words.map(wordOf).join(" ")}))' '*:file:_files'`;
  return `_bosun_${idOf(name)}() {
  _arguments -s ${[...specs, `    ${first}`].map((spec) => `\\\n${spec}`).join(" ")}
}`;
}

function specOf(option: Option): string {
  const help = `[${option.help.replace(/[[\]\\:]/g, "\\$&")}]`;
  const repeat = option.repeatable === true ? "*" : "";
  const action = option.value === undefined ? "" : `:${option.value.replace(/[:\\]/g, "")}:${actionOf(option)}`;
  return quoted(`${repeat}--${option.name}${help}${action}`);
}

function actionOf(option: Option): string {
  const choices = choicesOf(option);
  if (choices.length > 0) return `(${choices.join(" ")})`;
  return { file: "_files", folder: "_files -/", none: "" }[kindOf(option.value)];
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
