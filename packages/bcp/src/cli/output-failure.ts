// What an error of standard output means for a run.

import { CliFailure } from "./io.ts";
import { osText } from "./os-error.ts";

/** Nobody reads on (`bcp decode … | head`): no failure, and the end of the run. */
export class NobodyReads extends Error {
  override readonly name = "NobodyReads";
}

/** To be thrown by `BcpIo.stdout`. */
export function outputFailure(error: unknown): Error {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return new NobodyReads("nobody reads on");
  return new CliFailure(`cannot write standard output: ${osText(error)}`);
}
