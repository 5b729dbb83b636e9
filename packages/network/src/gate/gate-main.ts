#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The gate as a program of its own, where Bosun runs from its sources. An executable starts itself under a hidden word.
import { runGate } from "./gate.ts";

if (import.meta.main) {
  process.on("unhandledRejection", giveUp);
  process.on("uncaughtException", giveUp);
  await runGate(process.argv[2] ?? "");
  // oxlint-disable-next-line no-restricted-properties -- the entry point; connections must not outlive the server
  process.exit();
}

/** The server starts another gate. */
function giveUp(mistake: unknown): void {
  console.error(mistake);
  // oxlint-disable-next-line no-restricted-properties -- the entry point, in a state nobody planned for
  process.exit(70);
}
