#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The program: bosun serve as a process of its own.
import { writeSync } from "node:fs";
import { runServe } from "./server/run-serve.ts";
import type { Io } from "./server/run-serve.ts";

export function processIo(): Io {
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (text) => writeAll(1, text),
    complain: (text) => writeAll(2, text),
    onStop(handler) {
      const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
      for (const signal of signals) process.on(signal, handler);
      return () => signals.forEach((signal) => process.off(signal, handler));
    },
  };
}

/** stderr may be a pipe nobody reads any more: a log line is not worth dying for. */
function writeAll(fd: number, text: string): void {
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch {
    // gone
  }
}

if (import.meta.main) {
  const io = processIo();
  // A mistake of ours in one call is said; the other clients keep their server.
  const say = (mistake: unknown): void =>
    io.complain(`bosun serve: ${mistake instanceof Error ? mistake.stack : String(mistake)}\n`);
  process.on("unhandledRejection", say);
  process.on("uncaughtException", say);
  const code = await runServe(process.argv.slice(2), io);
  // oxlint-disable-next-line no-restricted-properties -- the entry point: input may still be open, and all is written synchronously
  process.exit(code);
}
