// The completion script for bash. Only words of ours go into it, quoted all the same.
import { choicesOf } from "../options.ts";
import type { Branch } from "./tree.ts";

export function bashScript(tree: readonly Branch[]): string {
  const names = tree.map(({ name }) => name);
  const cases = tree.map(
    (branch) => `    ${branch.name})
      words=${quoted([...branch.words.map(([word]) => word), ...flagsOf(branch)].join(" "))}
      case $previous in
${valueCases(branch)}      esac
      ;;`,
  );
  const called = tree.flatMap(({ name, alias }) => (alias === undefined ? [] : [`    ${alias}) command=${name} ;;`]));
  const aliases = tree.flatMap(({ alias }) => (alias === undefined ? [] : [alias]));
  return `# bash completion for bosun; made by: bosun completions bash
_bosun() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} name=\${COMP_WORDS[0]##*/} command words= kind=
  local at
  COMPREPLY=()
  # After -- comes somebody else's command.
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$current"))
      return
    fi
  done
  case $name in
${called.join("\n")}
    *)
      if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W ${quoted([...names, "--help", "--version"].join(" "))} -- "$current"))
        return
      fi
      command=\${COMP_WORDS[1]}
      ;;
  esac
  case $command in
${cases.join("\n")}
  esac
  case $kind in
    file) COMPREPLY=($(compgen -f -- "$current")) ;;
    folder) COMPREPLY=($(compgen -d -- "$current")) ;;
    none) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o filenames -F _bosun bosun ${aliases.join(" ")}
`;
}

function valueCases(branch: Branch): string {
  return branch.options
    .filter(({ value }) => value !== undefined)
    .map((option) => {
      const pattern = [`--${option.name}`, ...(option.short === undefined ? [] : [`-${option.short}`])].join("|");
      const choices = choicesOf(option);
      const act = choices.length > 0 ? `words=${quoted(choices.join(" "))}` : `kind=${kindOf(option.value)}`;
      return `        ${pattern}) ${act} ;;\n`;
    })
    .join("");
}

export function kindOf(value: string | undefined): "file" | "folder" | "none" {
  if (/FOLDER|DIR/.test(value ?? "")) return "folder";
  return /FILE|PROGRAM|GLOB/.test(value ?? "") ? "file" : "none";
}

function flagsOf(branch: Branch): string[] {
  return branch.options.map(({ name }) => `--${name}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
