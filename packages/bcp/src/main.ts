#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The `bcp` executable: this process's words and streams to the command line.

import { runBcp } from "./cli/run-bcp.ts";
import { processIo } from "./cli/process-io.ts";

// An error nobody expected ends the command, said once and with a code of its own.
process.on("unhandledRejection", (mistake) => {
  console.error(mistake);
  // oxlint-disable-next-line no-restricted-properties -- the entry point, in a state nobody planned for; output is written synchronously
  process.exit(70);
});

// No top-level await: bytecode executables have none in their default format.
void runBcp(process.argv.slice(2), processIo("bcp")).then((exitCode) => {
  process.exitCode = exitCode;
});
