#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The `bcp` executable: this process's words and streams to the command line.

import { createReadStream } from "node:fs";
import { runBcp } from "./cli.ts";
import { outputFailure } from "./cli/output-failure.ts";

// An error nobody expected ends the command, said once and with a code of its own.
process.on("unhandledRejection", (mistake) => {
  console.error(mistake);
  // oxlint-disable-next-line no-restricted-properties -- the entry point, in a state nobody planned for
  process.exit(70);
});

// Whoever writes hears of it.
process.stdout.on("error", () => {});

// No top-level await: bytecode executables have none in their default format.
void runBcp(process.argv.slice(2), {
  cwd: process.cwd(),
  stdin: standardInput(),
  stdout: writeOut,
  stderr: (text) => void process.stderr.write(text),
  interactive: process.stderr.isTTY === true,
  ownWords: true,
}).then((exitCode) => {
  process.exitCode = exitCode;
});

// Opened when somebody reads it: `process.stdin` would cost 15 ms even when nobody does.
async function* standardInput(): AsyncGenerator<Uint8Array, void> {
  const stream: AsyncIterable<Uint8Array> = createReadStream("", { fd: 0 });
  yield* stream;
}

function writeOut(chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(chunk, (error) => {
      if (error) reject(outputFailure(error));
      else resolve();
    });
  });
}
