// The ripgrep binary: where it is, and one run of it, read as records with bounded memory.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { EngineError } from "../engine-error.ts";

const MAX_RECORD_BYTES = 64 * 1024;
const MAX_STDERR_BYTES = 8 * 1024;

let found: string | undefined;

/**
 * An explicit path first (an executable made of one file carries ripgrep elsewhere), then the npm package of this platform,
 * then beside our own executable. Never PATH: what is there is not ours to trust.
 */
export function findRipgrep(override?: string): string {
  if (override !== undefined) return override;
  found ??= packaged() ?? beside();
  if (found !== undefined) return found;
  throw new EngineError("START_FAILED", "ripgrep is not installed: no package for this platform was found", {
    reason: "program",
    command: "rg",
  });
}

const BINARY = process.platform === "win32" ? "rg.exe" : "rg";

function packaged(): string | undefined {
  try {
    const name = `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${BINARY}`;
    // Through the package that depends on it: with a strict layout only that one can see it.
    const main = createRequire(import.meta.url).resolve("@vscode/ripgrep");
    const file = createRequire(main).resolve(name);
    return fs.existsSync(file) ? file : undefined;
  } catch {
    return undefined; // not installed for this platform
  }
}

function beside(): string | undefined {
  const file = path.join(path.dirname(process.execPath), BINARY);
  return fs.existsSync(file) ? file : undefined;
}

export type RunOptions = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
};

/** Always first: no configuration file, no colour, no words about files that cannot be read. */
const FIXED = ["--no-config", "--color=never", "--no-messages"];

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;
type ByteReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

export class RipgrepRun {
  readonly #child: Child;
  readonly #reader: ByteReader;
  readonly #stderr: Promise<string>;
  readonly #signal: AbortSignal;
  #stopped = false;

  constructor(options: RunOptions) {
    this.#signal = options.signal;
    try {
      this.#child = Bun.spawn([options.program, ...FIXED, ...options.args], {
        cwd: options.cwd,
        env: environment(),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        lazy: true,
      });
    } catch (error) {
      throw new EngineError("START_FAILED", "could not start ripgrep", { reason: "program", command: "rg" }, error);
    }
    this.#reader = this.#child.stdout.getReader();
    this.#stderr = readStart(this.#child.stderr.getReader(), MAX_STDERR_BYTES);
    this.#signal.addEventListener("abort", this.stop, { once: true });
    if (this.#signal.aborted) this.stop();
  }

  /** Ends the run; `records` then ends too, with what had come. */
  readonly stop = (): void => {
    this.#stopped = true;
    this.#child.kill("SIGKILL");
  };

  /** Output cut at `delimiter`. The bytes are valid until the next step. Throws INVALID_PATTERN when it was refused. */
  async *records(delimiter: number): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done || value === undefined) break;
        const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        let at = 0;
        for (let end = piece.indexOf(delimiter); end >= 0; end = piece.indexOf(delimiter, at)) {
          yield rest.length === 0 ? piece.subarray(at, end) : Buffer.concat([rest, piece.subarray(at, end)]);
          rest = Buffer.alloc(0);
          at = end + 1;
        }
        // Lines are cut by ripgrep itself, so nothing longer is of use to anybody.
        const kept = piece.subarray(at, at + Math.max(0, MAX_RECORD_BYTES - rest.length));
        if (kept.length > 0) rest = Buffer.concat([rest, kept]);
      }
      if (rest.length > 0) yield rest;
      await this.#judge();
    } finally {
      this.stop();
      this.#signal.removeEventListener("abort", this.stop);
      await this.#reader.cancel().catch(() => undefined);
      await this.#child.exited;
    }
  }

  /** Exit 1 is "nothing found"; 2 with words is a pattern it refuses, without words an unreadable file. */
  async #judge(): Promise<void> {
    const code = await this.#child.exited;
    if (code !== 2 || this.#stopped) return;
    const words = (await this.#stderr).trim();
    if (words !== "") throw explainRefusal(words);
  }
}

function explainRefusal(words: string): EngineError {
  if (words.includes("--multiline")) {
    return refused("a newline can only match in multiline mode");
  }
  if (/look-?around|backreference/.test(words)) {
    return refused("look-around and back-references are not supported (linear-time engine)");
  }
  const said = /(?:^|\n)error: (.*)/.exec(words)?.[1] ?? words.split("\n").at(-1) ?? words;
  return refused(said.replace(/^rg: /, ""));
}

function refused(why: string): EngineError {
  return new EngineError("INVALID_PATTERN", `invalid regex pattern: ${why}`, { reason: why });
}

/** Only what decides which global git excludes hold. */
function environment(): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: "C.UTF-8" };
  for (const name of ["HOME", "XDG_CONFIG_HOME"]) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

async function readStart(reader: ByteReader, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || value === undefined) break;
    if (total < maxBytes) pieces.push(value.slice(0, maxBytes - total));
    total += value.length;
  }
  return Buffer.concat(pieces).toString("utf8");
}
