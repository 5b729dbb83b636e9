// bosun bcp: the command line of the Bit Context Protocol on this process's streams.
import path from "node:path";
import { processIo, runBcp } from "@bosun/bcp/command-line";

export function runBcpCommand(argv: readonly string[]): Promise<number> {
  const calledAs = path.basename(process.argv0).replace(/\.exe$/, "");
  return runBcp(argv, processIo(calledAs === "bcp" ? "bcp" : "bosun bcp"));
}
