// The command line for programs that import the library, loaded when it is called: most of them never call it.

import type { Program } from "@bosun/platform/flags";
import type { BcpIo } from "./cli/io.ts";

/** Runs one command line (without the program's name) and returns its exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runBcp(args: readonly string[], io: BcpIo): Promise<number> {
  const cli = await import("./cli.ts");
  return cli.runBcp(args, io);
}

/** The tables of the command line: its own, and one for each of its commands. */
export async function bcpPrograms(): Promise<readonly Program[]> {
  const { BCP, COMMANDS } = await import("./cli/help.ts");
  return [BCP, ...Object.values(COMMANDS)];
}
