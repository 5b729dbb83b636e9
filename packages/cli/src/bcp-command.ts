// bosun bcp: the command line of the Bit Context Protocol on this process's streams.
import { isatty } from "node:tty";
import { outputFailure, runBcp } from "@bosun/bcp";
import type { BunFile, FileSink } from "bun";

export function runBcpCommand(argv: readonly string[]): Promise<number> {
  return runBcp(argv, {
    cwd: process.cwd(),
    stdin: Bun.stdin.stream(),
    stdout: into(Bun.stdout),
    stderr: into(Bun.stderr),
    interactive: isatty(2),
    ownWords: true,
  });
}

/** Not process.stdout: merely touching it costs more than reading a small file. */
function into(file: BunFile): (chunk: string | Uint8Array) => Promise<void> {
  let sink: FileSink | undefined;
  return async (chunk) => {
    sink ??= file.writer();
    try {
      // Both can fail late: whichever is not awaited would end the process with a stack.
      await sink.write(chunk);
      await sink.flush();
    } catch (error) {
      // Nobody reads: on stderr that is no reason to stop.
      if (file === Bun.stdout) throw outputFailure(error);
    }
  };
}
