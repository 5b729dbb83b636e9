#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The gate as a program of its own, where Bosun runs from its sources. An executable starts itself under a hidden word.
import { runGate } from "./gate.ts";

if (import.meta.main) {
  for (const event of ["unhandledRejection", "uncaughtException"] as const) {
    process.on(event, (mistake: unknown) => {
      console.error(mistake);
      // oxlint-disable-next-line no-restricted-properties -- the entry point; the server starts another gate
      process.exit(70);
    });
  }
  await runGate(process.argv[2] ?? "");
  // oxlint-disable-next-line no-restricted-properties -- the entry point; connections must not outlive the server
  process.exit();
}
