// bosun bcp: the command line of the Bit Context Protocol on this process's streams.
import { outputFailure, runBcp } from "@bosun/bcp";
import type { BunFile, FileSink } from "bun";

export function runBcpCommand(argv: readonly string[]): Promise<number> {
  return runBcp(argv, {
    cwd: process.cwd(),
    stdin: Bun.stdin.stream(),
    stdout: into(Bun.stdout),
    stderr: into(Bun.stderr),
    // Asked only where there is an error to explain: loading node:tty takes two milliseconds, a fifth of a small decode.
    get interactive() {
      return process.getBuiltinModule("node:tty").isatty(2);
    },
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
      if (file === Bun.stdout) throw outputFailure(error);
    }
  };
}

/** Its general help and that of each of its commands: together, every option it knows. */
export async function bcpHelp(): Promise<string> {
  const pages: string[] = [];
  const page = async (argv: readonly string[]): Promise<void> => {
    await runBcp(argv, {
      cwd: process.cwd(),
      stdin: new ReadableStream(),
      stdout: async (chunk) => void pages.push(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()),
      stderr: async () => {},
      interactive: false,
    });
  };
  await page(["--help"]);
  for (const command of ["encode", "decode", "inspect", "validate", "stats"]) await page(["help", command]);
  return pages.join("\n");
}
