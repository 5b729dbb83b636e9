// bosun bcp: the command line of the Bit Context Protocol on this process's streams.
import { runBcp } from "@bosun/bcp";

export function runBcpCommand(argv: readonly string[]): Promise<number> {
  return runBcp(argv, {
    cwd: process.cwd(),
    stdin: Bun.stdin.stream(),
    stdout: (chunk) => written(process.stdout, chunk),
    stderr: (text) => written(process.stderr, text),
    interactive: process.stderr.isTTY === true,
  });
}

/** A reader that has gone (`… | head`) is no failure of ours. */
function written(stream: NodeJS.WriteStream, chunk: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => stream.write(chunk, () => resolve()));
}
