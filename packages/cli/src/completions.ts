// bosun completions bash | zsh | fish: a script that knows every command, read from the same tables and texts as --help.
import { completionTree } from "./completions/tree.ts";
import { bashScript } from "./completions/bash.ts";
import { fishScript } from "./completions/fish.ts";
import { zshScript } from "./completions/zsh.ts";
import { command, suggestion, UsageError } from "./options.ts";
import type { Synopsis } from "./options.ts";

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const SYNOPSIS: Synopsis = {
  name: "completions",
  summary: "tab completion for bash, zsh and fish",
  usage: ["bosun completions bash|zsh|fish"],
  operands: { bash: "a script for bash", zsh: "a script for zsh", fish: "a script for fish" },
  options: [],
  examples: [
    ["source <(bosun completions bash)", "in ~/.bashrc"],
    ["bosun completions zsh > ~/.zfunc/_bosun", "a folder of your $fpath"],
    ["bosun completions fish > ~/.config/fish/completions/bosun.fish", "read when fish needs it"],
  ],
};

export const runCompletions = command(SYNOPSIS, async (words) => {
  const [shell, ...surplus] = words.operands;
  if (surplus.length > 0) throw new UsageError(`one shell at a time: unexpected ${JSON.stringify(surplus[0])}`);
  const known = Object.keys(SHELLS);
  if (shell === undefined) throw new UsageError(`which shell? ${known.join(", ")}`);
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") {
    const hint = await suggestion(shell, known, `there are: ${known.join(", ")}`);
    throw new UsageError(`no completions for ${JSON.stringify(shell)}; ${hint}`);
  }
  console.log(SHELLS[shell](await completionTree()).trimEnd());
  return 0;
});
