// The completion script for bash. Only words of ours go into it, quoted all the same.
import { choicesOf } from "../flag-table.ts";
import { kindOf } from "./completed-command.ts";
import type { Command } from "./completed-command.ts";

export function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name);
  const cases = commands.map(
    (command) => `    ${command.name})
      words=${quoted([...command.words.map(([word]) => word), ...command.flags.map(({ name }) => `--${name}`)].join(" "))}
      case $previous in
${valueCases(command)}      esac
      ;;`,
  );
  const called = commands.flatMap(({ name, alias }) =>
    alias === undefined ? [] : [`    ${alias}) command=${name} ;;`],
  );
  const aliases = commands.flatMap(({ alias }) => (alias === undefined ? [] : [alias]));
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

function valueCases({ flags }: Command): string {
  return flags
    .filter(({ value }) => value !== undefined)
    .map((flag) => {
      const pattern = [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])].join("|");
      const choices = choicesOf(flag);
      const act = choices.length > 0 ? `words=${quoted(choices.join(" "))}` : `kind=${kindOf(flag)}`;
      return `        ${pattern}) ${act} ;;\n`;
    })
    .join("");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
