// What a command prints on --help, as text: for commands whose help is not to be had otherwise.
import type { Run } from "../commands.ts";

export async function capturedHelp(run: Run): Promise<string> {
  const lines: string[] = [];
  // This process does nothing else meanwhile: it was started to write a completion script.
  const { log } = console;
  console.log = (...values: unknown[]) => void lines.push(values.join(" "));
  try {
    await run(["--help"]);
  } finally {
    console.log = log;
  }
  return `${lines.join("\n")}\n`;
}
