// bosun bcp: the command line of the Bit Context Protocol on this process's streams.
import path from "node:path";
import { processIo, runBcp } from "@bosun/bcp/command-line";

export function runBcpCommand(argv: readonly string[]): Promise<number> {
  const calledAs = path.basename(process.argv0).replace(/\.exe$/, "");
  return runBcp(argv, processIo(calledAs === "bcp" ? "bcp" : "bosun bcp"));
}

/** Its general help and that of each of its commands: together, every option it knows. */
export async function bcpHelp(): Promise<string> {
  const pages: string[] = [];
  const page = async (argv: readonly string[]): Promise<void> => {
    await runBcp(argv, {
      program: "bosun bcp",
      cwd: process.cwd(),
      stdin: new ReadableStream(),
      stdout: async (chunk) => void pages.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()),
      stderr: async () => {},
      interactive: false,
    });
  };
  await page(["--help"]);
  for (const command of ["encode", "decode", "inspect", "validate", "stats"]) await page(["help", command]);
  return pages.join("\n");
}
