// What an error of standard output means for a run.

import { CliFailure } from "./io.ts";
import { osText } from "./os-error.ts";

/** To be thrown by `BcpIo.stdout`; undefined where nobody reads on (`bcp decode … | head`), which is no failure. */
export function outputFailure(error: unknown): Error | undefined {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return undefined;
  return new CliFailure(`cannot write standard output: ${osText(error)}`);
}
