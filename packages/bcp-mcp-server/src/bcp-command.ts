// The `bcp` command line as the tools use it: in this process, or as another binary that the user named. Both take the
// same words and give the same answers, so the tools cannot tell.
import { runBcp } from "@bosun/bcp";
import type { AllowedPaths } from "./allowed-paths.ts";
import { runExternal } from "./external-bcp.ts";

export type BcpOutcome = { stdout: string; stderr: string; exitCode: number };
export type BcpCommand = {
  run(args: readonly string[], signal: AbortSignal): Promise<BcpOutcome>;
  /** Words for `encode` that make it read every block type; the reference's own binary does not know them. */
  readonly extended: readonly string[];
  /** Throws PathRefused for a path that may not even be asked about. */
  check(path: string): Promise<void>;
};

/** A rendered file goes into one message; what is longer than a message may be is an error, not a cut. */
const MAX_OUTPUT_CHARS = 12 * 1024 * 1024;

export function bcpInProcess(paths: AllowedPaths): BcpCommand {
  return {
    extended: ["--extended"],
    check: (path) => paths.open().check(path),
    run: (args) => runHere(args, paths),
  };
}

export function bcpBinary(program: string, timeoutMs: number, paths: AllowedPaths): BcpCommand {
  return {
    extended: [],
    // Another program opens its files itself: all we can do is look before it does.
    check: (path) => paths.open().check(path),
    run: (args, signal) => runExternal(program, args, timeoutMs, MAX_OUTPUT_CHARS, signal),
  };
}

async function runHere(args: readonly string[], paths: AllowedPaths): Promise<BcpOutcome> {
  const out = new Collected("the rendered text");
  const err = new Collected("the error text");
  await using opened = paths.open();
  const exitCode = await runBcp(args, {
    cwd: process.cwd(),
    stdin: nothing(),
    stdout: (chunk) => out.add(typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)),
    stderr: (text) => err.add(text),
    interactive: true,
    resolvePath: (path, access) => opened.resolve(path, access),
  });
  return { stdout: out.text, stderr: err.text, exitCode };
}

class Collected {
  text = "";
  private readonly what: string;

  constructor(what: string) {
    this.what = what;
  }

  add(chunk: string): void {
    if (this.text.length + chunk.length > MAX_OUTPUT_CHARS) {
      throw new Error(`${this.what} is longer than ${MAX_OUTPUT_CHARS} characters: set a budget`);
    }
    this.text += chunk;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
