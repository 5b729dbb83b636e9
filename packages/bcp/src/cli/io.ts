// What the command line needs from the world, so that other programs can run it in their own process.

import type { Limits } from "../decode-limits.ts";
import { osText } from "./os-error.ts";

export type BcpIo = {
  /** How the command is typed, for help and errors: `bcp` unless it is part of another program. */
  readonly program?: string;
  /** Relative paths start here. */
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Bytes are whole characters, and used again once this has returned, or what it returned is fulfilled. */
  stdout(chunk: string | Uint8Array): void | Promise<void>;
  stderr(text: string): void | Promise<void>;
  /** Somebody is looking: errors get a second line that explains them. `--verbose` asks for the same. */
  readonly interactive?: boolean | (() => Promise<boolean>);
  /** The words are those of this process's own command line, which may not have been UTF-8. */
  readonly ownWords?: boolean;
  /** Whoever reads the errors cannot choose other options: none is recommended. */
  readonly fixedOptions?: boolean;
  /**
   * Turns a path that was asked for into the one to open, or throws. A server that may only touch some folders hooks in
   * here; by default every path is taken relative to `cwd`.
   */
  resolvePath?(path: string, access: "read" | "write"): string | Promise<string>;
  /** Ends a run while it reads, or between two blocks. What was to be written is not. */
  readonly signal?: AbortSignal;
  /** What a run may cost. By default as much as a person at the machine may want: see FORMAT.md, "Limits". */
  readonly limits?: CommandLimits;
};

export type CommandLimits = Partial<Limits> & {
  readonly inputBytes?: number;
  /** How many blocks a file may have. */
  readonly blocks?: number;
};

/** A run that failed: one line for stderr, and what there is to say beyond it. */
export class CliFailure extends Error {
  override readonly name = "CliFailure";
  readonly note: string | undefined;
  /** The option that would help. */
  readonly option: string | undefined;
  /** For `--json`: what is known about the failure. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(message: string, extra: Partial<Pick<CliFailure, "note" | "option" | "facts">> = {}) {
    super(message);
    this.note = extra.note;
    this.option = extra.option;
    this.facts = extra.facts ?? {};
  }
}

/** Nobody reads on (`bcp decode … | head`): no failure, and the end of the run. */
export class ReaderGone extends Error {
  override readonly name = "ReaderGone";
}

/** What an error of standard output means for a run: to be thrown by `BcpIo.stdout`. */
export function outputFailure(error: unknown): Error {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") return new ReaderGone("nobody reads on");
  return new CliFailure(`cannot write standard output: ${osText(error)}`);
}
