// Runs in a process of its own: reads a payload with one command, and prints what that cost.

import { runBcp } from "../../src/index.ts";
import { peakKib } from "./peak.ts";

const [file = "", command = "", ...words] = process.argv.slice(2);
// The first run loads what every run needs.
await run("--help");
const before = peakKib();
const outcome = await run(command, file, ...words);
const grownKib = peakKib() - before;
console.log(JSON.stringify({ ...outcome, grownKib }));

async function run(...argv: readonly string[]): Promise<{ exit: number; written: number }> {
  let written = 0;
  const exit = await runBcp(argv, {
    cwd: process.cwd(),
    stdin: nothing(),
    stdout: (chunk) => {
      written += chunk.length;
    },
    stderr: (text) => console.error(text),
  });
  return { exit, written };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
