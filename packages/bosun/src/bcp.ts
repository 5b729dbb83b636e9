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
