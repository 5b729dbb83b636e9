// A command of this executable: its table, and what runs with the words that were typed.
import { helpText, readFlags, UsageError } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import type { Run } from "./commands.ts";

/** The command with its help, and with what was typed wrongly said once, in one form. */
export function command(program: Program, run: (flags: FlagValues) => Promise<number>): Run {
  return async (argv) => {
    try {
      const flags = readFlags(program, argv);
      if (flags.isHelp) {
        console.log(helpText(program));
        return 0;
      }
      return await run(flags);
    } catch (error) {
      // The two kinds that a person caused or can change; all else is ours, with its stack.
      if (error instanceof UsageError) {
        console.error(`${program.name}: ${error.message}\nTry: ${program.name} --help`);
        return 2;
      }
      // The machine said no (no permission, no space, a folder in the way): its words, without our stack.
      if (!(error instanceof Error && "syscall" in error)) throw error;
      console.error(`${program.name}: ${error.message}`);
      return 1;
    }
  };
}
