// bosun completions bash | zsh | fish: a script that knows every command, from the tables that give --help.
import { bashScript, commandOf, fishScript, zshScript } from "@bosun/platform/flags/completions";
import type { Command } from "@bosun/platform/flags/completions";
import { COMMANDS } from "./commands.ts";
import { UsageError, suggestion } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const PROGRAM: Program = {
  name: "bosun completions",
  once: true,
  summary: "tab completion for bash, zsh and fish",
  usage: ["bosun completions bash|zsh|fish"],
  words: { bash: "a script for bash", zsh: "a script for zsh", fish: "a script for fish" },
  flags: [],
  examples: [
    ["source <(bosun completions bash)", "in ~/.bashrc"],
    ["bosun completions zsh > ~/.zfunc/_bosun", "a folder of your $fpath"],
    ["bosun completions fish > ~/.config/fish/completions/bosun.fish", "read when fish needs it"],
  ],
};

export const runCompletions = command(PROGRAM, async (flags) => {
  const [shell, ...surplus] = flags.operands;
  if (surplus.length > 0) throw new UsageError(`one shell at a time: unexpected ${JSON.stringify(surplus[0])}`);
  const known = Object.keys(SHELLS);
  if (shell === undefined) throw new UsageError(`which shell? ${known.join(", ")}`);
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") {
    const hint = suggestion(shell, known, `there are: ${known.join(", ")}`);
    throw new UsageError(`no completions for ${JSON.stringify(shell)}; ${hint}`);
  }
  console.log(SHELLS[shell](await everyCommand()).trimEnd());
  return 0;
});

async function everyCommand(): Promise<Command[]> {
  const commands: Command[] = [];
  for (const [name, about] of Object.entries(COMMANDS)) commands.push(commandOf(name, about, await about.programs()));
  return commands;
}
