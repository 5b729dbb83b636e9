// The command line on this process's own streams.

import { createReadStream, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { outputFailure } from "./io.ts";
import type { BcpIo } from "./io.ts";

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
// How long to wait for room in a pipe that somebody else has made non-blocking: the system does not tell when there is some.
const FULL_PIPE_MS = 5;

/** `program`: how this command is typed, for its help and errors. */
export function processIo(program: string): BcpIo {
  return {
    program,
    cwd: process.cwd(),
    stdin: standardInput(),
    stdout: async (chunk) => {
      try {
        await writeAll(STDOUT, chunk);
      } catch (error) {
        throw outputFailure(error);
      }
    },
    stderr: async (text) => {
      // Nobody is left to be told.
      await writeAll(STDERR, text).catch(() => undefined);
    },
    interactive: async () => (await import("node:tty")).isatty(STDERR),
    ownWords: true,
  };
}

// Opened when somebody reads it: most runs read a file.
async function* standardInput(): AsyncGenerator<Uint8Array, void> {
  const stream: AsyncIterable<Uint8Array> = createReadStream("", { fd: STDIN });
  yield* stream;
}

// Synchronously: what a call has returned from is in the pipe, and no way to end can lose it. It is also faster: loading
// process.stdout takes longer than a small decode.
async function writeAll(descriptor: number, chunk: string | Uint8Array): Promise<void> {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (!isFullPipe(error)) throw error;
      await setTimeout(FULL_PIPE_MS);
    }
  }
}

function isFullPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
