// The `bcp` command line as the tools use it: in this process, or as another binary that the user named. Both take the
// same words and give the same answers, so the tools cannot tell.
import { runBcp } from "@bosun/bcp";
import type { AllowedPaths } from "./allowed-paths.ts";
import { refuseContentFiles } from "./content-files.ts";
import { runExternal } from "./external-bcp.ts";
import { GiveBack } from "./give-back.ts";
import { OutputTooLong } from "./output-too-long.ts";
import { Turns } from "./turns.ts";

export type BcpOutcome = { stdout: string; stderr: string; exitCode: number };
export type BcpCommand = {
  run(args: readonly string[], signal: AbortSignal): Promise<BcpOutcome>;
  /** Words that the reference's own binary does not know, and without which it loses something. */
  readonly extra: { readonly encode: readonly string[]; readonly decode: readonly string[] };
  /** Throws PathRefused for a path that may not even be asked about. */
  check(path: string): Promise<void>;
  /** Throws PathRefused for a manifest that names files which may not be read. */
  checkContents(manifest: string): Promise<void>;
};

const MIB = 1024 * 1024;
/** A rendered file goes into one message; what is longer than a message may be is an error, not a cut. */
const MAX_OUTPUT_CHARS = 4 * MIB;
/** Files come from anywhere, and the server goes on living: less than what a person may ask of `bcp` for once. */
const LIMITS = { inputBytes: 64 * MIB, payloadBytes: 64 * MIB, unpackedBytes: 64 * MIB, blocks: 500_000 };
const PROCESSES = 4;
/** Every block type from a manifest; one binary image does not spoil the rest; any block by its summary, not only code. */
const EXTRA = { encode: ["--extended"], decode: ["--binary-images", "placeholder", "--summaries", "all"] };

export function bcpInProcess(paths: AllowedPaths): BcpCommand {
  // Decoding is synchronous: two at once would take twice the memory and no less time.
  const turns = new Turns(1);
  const memory = new GiveBack();
  return {
    extra: EXTRA,
    check: (path) => paths.open().check(path),
    // Each is judged when it is opened.
    checkContents: async () => {},
    run: (args, signal) =>
      turns.take(signal, async () => {
        memory.beforeRun();
        return runHere(args, paths, signal);
      }),
  };
}

export function bcpBinary(program: string, timeoutMs: number, paths: AllowedPaths): BcpCommand {
  const turns = new Turns(PROCESSES);
  return {
    extra: { encode: [], decode: [] },
    // Another program opens its files itself: all we can do is look before it does.
    check: (path) => paths.open().check(path),
    checkContents: async (manifest) => {
      if (paths.limited) await refuseContentFiles(manifest);
    },
    run: (args, signal) =>
      turns.take(signal, () => runExternal(program, args, { timeoutMs, maxChars: MAX_OUTPUT_CHARS, signal })),
  };
}

// Chunks are whole characters. A byte-order mark is content.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

async function runHere(args: readonly string[], paths: AllowedPaths, signal: AbortSignal): Promise<BcpOutcome> {
  const out = new Collected("the rendered text");
  const err = new Collected("the error text");
  await using opened = paths.open();
  const exitCode = await runBcp(args, {
    cwd: process.cwd(),
    stdin: nothing(),
    stdout: (chunk) => out.add(typeof chunk === "string" ? chunk : decoder.decode(chunk)),
    stderr: (text) => err.add(text),
    interactive: true,
    resolvePath: (path, access) => opened.resolve(path, access),
    limits: LIMITS,
    signal,
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
    if (this.text.length + chunk.length > MAX_OUTPUT_CHARS) throw new OutputTooLong(this.what, MAX_OUTPUT_CHARS);
    this.text += chunk;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
