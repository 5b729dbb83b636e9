// The `bcp` command line as the tools use it: in this process, or as another binary that the user named. Both take the
// same words and give the same answers, so the tools cannot tell.
import { runBcp } from "@bosun/bcp";
import type { AllowedPaths } from "./allowed-paths.ts";
import { OutputTooLong, runExternal } from "./external-bcp.ts";
import { FilesForBinary } from "./files-for-binary.ts";
import type { FileUse } from "./files-for-binary.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

export type BcpOutcome = { stdout: string; stderr: string; exitCode: number };
/** A word of the command line, or a file that stands for one: it is judged when it is opened. */
export type Word = string | FileUse;
export type BcpCommand = {
  /** `tooLong`: what to ask for instead of an output that does not fit into one message. */
  run(words: readonly Word[], signal: AbortSignal, tooLong?: string): Promise<BcpOutcome>;
  /** Words that the reference's own binary does not know, and without which it loses something. */
  readonly extra: { readonly encode: readonly string[]; readonly decode: readonly string[] };
  /** Throws PathRefused for a path that may not even be asked about. */
  check(path: string): Promise<void>;
};

const MIB = 1024 * 1024;
/** A rendered file goes into one message; what is longer than a message may be is an error, not a cut. */
const MAX_OUTPUT_CHARS = 4 * MIB;
/** Files come from anywhere, and the server goes on living: less than what a person may ask of `bcp` for once. */
const LIMITS = { inputBytes: 64 * MIB, payloadBytes: 64 * MIB, unpackedBytes: 64 * MIB, blocks: 500_000 };
const PROCESSES = 4;
/** The collector does not see how much hangs on buffers that nobody needs any more, and would let hundreds of megabytes gather. */
const WORTH_IT_BYTES = 16 * MIB;
/** Every block type from a manifest; one binary image does not spoil the rest; any block by its summary, not only code. */
const EXTRA = { encode: ["--extended"], decode: ["--binary-images", "placeholder", "--summaries", "all"] };

export function bcpInProcess(paths: AllowedPaths): BcpCommand {
  // Decoding is synchronous: two at once would take twice the memory and no less time.
  const limit = new ConcurrencyLimit(1);
  const memory = new MemoryRelease();
  return {
    extra: EXTRA,
    check: (path) => paths.open().check(path),
    run: (words, signal, tooLong) =>
      limit.run(signal, async () => {
        memory.beforeRun();
        return runHere(words, paths, signal, tooLong);
      }),
  };
}

export function bcpBinary(program: string, timeoutMs: number, paths: AllowedPaths): BcpCommand {
  const limit = new ConcurrencyLimit(PROCESSES);
  return {
    extra: { encode: [], decode: [] },
    check: (path) => paths.open().check(path),
    run: (words, signal, tooLong) =>
      limit.run(signal, async () => {
        await using files = new FilesForBinary(paths);
        const args: string[] = [];
        for (const word of words) args.push(typeof word === "string" ? word : await files.pathFor(word));
        const bounds = { timeoutMs, maxChars: MAX_OUTPUT_CHARS, signal, tooLong };
        const outcome = await runExternal(program, args, bounds);
        const stderr = files.withAskedNames(outcome.stderr);
        // A rendered file is somebody's content, whatever it says.
        const stdout = words[0] === "decode" ? outcome.stdout : files.withAskedNames(outcome.stdout);
        if (outcome.exitCode !== 0) return { ...outcome, stdout, stderr };
        // No command of the reference is silent when it is done.
        if (stdout === "") return { stdout, stderr: `${program} said nothing`, exitCode: 1 };
        if (!(await files.putInPlace())) return { stdout: "", stderr: `${program} wrote nothing`, exitCode: 1 };
        return { stdout, stderr, exitCode: 0 };
      }),
  };
}

// Chunks are whole characters. A byte-order mark is content.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

async function runHere(
  words: readonly Word[],
  paths: AllowedPaths,
  signal: AbortSignal,
  tooLong: string | undefined,
): Promise<BcpOutcome> {
  const out = new Collected("the text", tooLong);
  const err = new Collected("the error text");
  await using opened = paths.open();
  const args = words.map((word) => (typeof word === "string" ? word : word.path));
  const exitCode = await runBcp(args, {
    cwd: process.cwd(),
    stdin: nothing(),
    stdout: (chunk) => out.add(typeof chunk === "string" ? chunk : decoder.decode(chunk)),
    stderr: (text) => err.add(text),
    interactive: true,
    fixedOptions: true,
    resolvePath: (path, access) => opened.resolve(path, access),
    limits: LIMITS,
    signal,
  });
  return { stdout: out.text, stderr: err.text, exitCode };
}

class Collected {
  text = "";
  private readonly what: string;
  private readonly tooLong: string | undefined;

  constructor(what: string, tooLong?: string) {
    this.what = what;
    this.tooLong = tooLong;
  }

  add(chunk: string): void {
    if (this.text.length + chunk.length > MAX_OUTPUT_CHARS) {
      throw new OutputTooLong(this.what, MAX_OUTPUT_CHARS, this.tooLong);
    }
    this.text += chunk;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Memory that a large file took, given back before the next one comes. */
class MemoryRelease {
  private before = process.memoryUsage.rss();

  /** Call it when nothing of the last run is held any more. Costs some microseconds where that was small. */
  beforeRun(): void {
    if (process.memoryUsage.rss() - this.before < WORTH_IT_BYTES) return;
    Bun.gc(true);
    this.before = process.memoryUsage.rss();
  }
}
