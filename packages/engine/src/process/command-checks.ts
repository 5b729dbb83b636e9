// What is asked of a command and what comes back: types, and the checks that need no process.
import { accessSync, existsSync, lstatSync, realpathSync, statSync, constants } from "node:fs";
import path from "node:path";
import { EngineError, errnoOf } from "../engine-error.ts";
import type { Captured, CapturePlan } from "./output-capture.ts";
import type { LostPlace } from "./sandbox-words.ts";
import type { Environment } from "./environment.ts";
import type { LimitName, ResourceLimits } from "./resource-limits.ts";
import type { Shell } from "./shell-words.ts";
import type { SessionTags } from "./process-tags.ts";

export type Command = {
  /** Shell text is evaluated as it stands; a vector never meets a shell's grammar. */
  readonly what:
    { readonly kind: "shell"; readonly text: string } | { readonly kind: "argv"; readonly argv: readonly string[] };
  readonly cwd: string;
  /** It was judged as a real path: nothing is started where a link has taken the place of a part of it since. */
  readonly cwdIsReal?: boolean;
  /** All the child sees. */
  readonly env: Environment;
  /** Whose command it is: `ProcessHost.endSession` ends everything these tags label. */
  readonly tags: SessionTags;
  /** Eight hex digits of the session: a record without them is not believed. */
  readonly nonce: string;
  /** None or 0: no limit. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Both streams into stdout, in the order they were written. */
  readonly merge?: boolean;
  readonly stdout: CapturePlan;
  readonly stderr: CapturePlan;
  readonly limits?: ResourceLimits;
  /** Held places that this one command may write: a person said so. */
  readonly open?: readonly string[];
  /** Called when what kept it from these places is gone. Where its changes are not put back, it was stopped. */
  readonly onLost?: (places: readonly LostPlace[]) => void;
  /** Called for every chunk, from the reading loop: be quick. */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
};

export type Usage = {
  readonly userMs: number;
  readonly systemMs: number;
  /** Undefined when it needed less than we do: the system then gives our own number. */
  readonly maxRssBytes: number | undefined;
};

/** Facts about a command that ran; surfaces judge. */
export type Run = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
  readonly durationMs: number;
  /** The physical directory the shell ended in; null when it did not say (exec, killed, not a shell). */
  readonly cwdAfter: string | null;
  /** A process it left behind still holds its output. */
  readonly pipesHeldOpen: boolean;
  readonly limitHit: LimitName | null;
  readonly usage: Usage | null;
};

/** Refuses what no spawn could start, with the reason, before anything happens. */
export function checkCommand(command: Command, cwdOutside: string | undefined): void {
  const words = command.what.kind === "shell" ? [command.what.text] : command.what.argv;
  if (command.what.kind === "shell" && command.what.text.trim() === "") {
    throw new EngineError("EMPTY_COMMAND", "command must not be empty");
  }
  if (words.length === 0 || words[0] === "") throw new EngineError("EMPTY_COMMAND", "command must not be empty");
  if (words.some((word) => word.includes("\0"))) throw startFailed("argument", "the command contains a NUL byte");
  for (const [name, value] of Object.entries(command.env)) {
    if (name.includes("\0") || name.includes("=") || value.includes("\0")) {
      throw startFailed("argument", "an environment variable contains a NUL byte or its name an equals sign");
    }
  }
  checkDirectory(command.cwd, cwdOutside);
  if (command.cwdIsReal === true && cwdOutside === command.cwd) refuseLinks(command.cwd);
}

/** The directory that a command must find itself in, where that was judged. */
export function realCwdOf({ cwd, cwdIsReal }: Command): string | undefined {
  return cwdIsReal === true ? cwd : undefined;
}

/** A sandbox would start where a missing shell would not be noticed: look first. */
export function checkShell(shell: Shell): void {
  if (!isProgram(shell.path))
    throw startFailed("program", `${shell.path} does not exist or is not executable`, { command: shell.path });
}

/** The program's absolute path, looked up in the absolute folders of PATH only: never beside the caller's files. */
export function findProgram(name: string, env: Environment): string {
  const folders = (env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  if (path.isAbsolute(name)) folders.splice(0, folders.length, "/");
  else if (name.includes("/")) throw programMissing(name);
  for (const folder of folders) {
    const file = path.join(folder, name);
    if (isProgram(file)) return file;
  }
  throw programMissing(name);
}

/** A failed spawn as a START_FAILED that says what to change. */
export function spawnFailure(error: unknown, program: string): EngineError {
  const errno = errnoOf(error);
  const [reason, why] = SPAWN_REASONS[errno ?? ""] ?? [
    "program",
    `${program} could not be started (${errno ?? "unknown error"})`,
  ];
  const details = { reason, command: program, ...(errno === undefined ? {} : { errno }) };
  return new EngineError("START_FAILED", `could not start command: ${why.replace("%", program)}`, details, error);
}

export function startFailed(
  reason: string,
  why: string,
  details: { path?: string; command?: string } = {},
): EngineError {
  return new EngineError("START_FAILED", `could not start command: ${why}`, { reason, ...details });
}

const SPAWN_REASONS: Readonly<Record<string, readonly [reason: string, why: string]>> = {
  ENOENT: ["program", "% does not exist"],
  EACCES: ["program", "% is not executable"],
  ENOEXEC: ["program", "% is not a program"],
  E2BIG: ["argument", "its arguments and environment are too large together"],
  ERR_INVALID_ARG_VALUE: ["argument", "an argument contains a NUL byte"],
  EAGAIN: ["limit", "this machine allows no further processes now"],
  ENOMEM: ["limit", "this machine has no memory for another process now"],
  EMFILE: ["limit", "too many open files"],
  ENFILE: ["limit", "too many open files on this machine"],
};

function checkDirectory(shown: string, outside: string | undefined): void {
  // A missing directory would come back from spawn as ENOENT of the shell: look first.
  const hidden = (): EngineError => {
    const isLink = lstatSync(shown, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const why = isLink ? "was replaced by a link" : "is not visible in the sandbox";
    return startFailed("cwd", `working directory ${shown} ${why}`, { path: shown });
  };
  if (outside === undefined) throw hidden();
  try {
    if (!statSync(outside).isDirectory())
      throw startFailed("cwd", `working directory ${shown} is not a directory`, { path: shown });
    accessSync(outside, constants.X_OK);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const gone = errnoOf(error) === "ENOENT" || errnoOf(error) === "ENOTDIR";
    // The sandbox has a temporary folder of its own, in which that one never was.
    if (gone && outside !== shown && existsSync(shown)) throw hidden();
    const why = gone ? `working directory ${shown} no longer exists` : `working directory ${shown} cannot be entered`;
    throw startFailed("cwd", why, { path: shown });
  }
}

function refuseLinks(directory: string): void {
  if (leadsToItself(directory)) return;
  const why = `working directory ${directory} leads elsewhere now: a part of it was replaced by a link`;
  throw startFailed("cwd", why, { path: directory });
}

function leadsToItself(directory: string): boolean {
  try {
    return realpathSync(directory) === directory;
  } catch {
    return false; // gone since it was looked at
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // not there, or not executable
  }
}

function programMissing(name: string): EngineError {
  return new EngineError("START_FAILED", `could not start command: ${name} is not installed`, {
    reason: "program",
    command: name,
  });
}
