// The command lines of the conformance data: exit code, both streams, and what was written.

import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { equal } from "./equal.ts";
import { runCollected } from "./run.ts";
import { fromDigits, hex } from "./vectors/hex.ts";

export type Add = (group: string, name: string, check: () => unknown) => Promise<void>;

type CommandLine = {
  argv: string[];
  exit: number;
  stdout: string;
  stderr?: string;
  stderr_prefix?: string;
  writes?: Record<string, string>;
};

/** Every command line of the data, in a folder that has what it is about. */
export async function addCommandLines(folder: string, add: Add): Promise<void> {
  const data = JSON.parse(await readFile(path.join(folder, "supplementary/cli.json"), "utf8"));
  const cwd = await mkdtemp(path.join(tmpdir(), "bcp-conformance-"));
  try {
    await cp(path.join(folder, "golden"), path.join(cwd, "golden"), { recursive: true });
    for (const [name, content] of Object.entries<string>(data.text_files))
      await writeFile(path.join(cwd, name), content);
    for (const [name, content] of Object.entries<string>(data.binary_files)) {
      await writeFile(path.join(cwd, name), fromDigits(content));
    }
    for (const line of data.cases) await add("command lines", line.argv.join(" "), () => checkCommandLine(cwd, line));
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

async function checkCommandLine(cwd: string, line: CommandLine): Promise<void> {
  const run = await runCollected(line.argv, { cwd });
  equal(run.exit, line.exit);
  equal(line.argv.includes("--show-body") ? asRecorded(run.stdout) : run.stdout, line.stdout);
  if (line.stderr_prefix !== undefined) equal(run.stderr.slice(0, line.stderr_prefix.length), line.stderr_prefix);
  else if (line.stderr !== undefined) equal(run.stderr, line.stderr);
  for (const [name, content] of Object.entries(line.writes ?? {})) {
    equal(hex(new Uint8Array(await readFile(path.join(cwd, name)))), content);
    await rm(path.join(cwd, name));
  }
}

// The reference prints bodies raw, and one was recorded with its line ends translated: the data has a line feed where the body has
// a carriage return, with or without a line feed behind it. We spell control characters out. This is what the recording would have made of ours.
function asRecorded(stdout: string): string {
  return stdout
    .replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replaceAll("\\0", "\0")
    .replaceAll("\\r", "\r")
    .replaceAll(/\r\n?/g, "\n");
}
