// From a checked command to a process: pipes, record, words, spawn. From nothing; or on a shell that was
// started ahead (inside its sandbox, if there is one) and only waits to be told what to run.
import { writeSync } from "node:fs";
import { findProgram, realCwdOf, spawnFailure, startFailed } from "./command-checks.ts";
import { closeQuietly } from "./private-files.ts";
import { writeScript } from "./report-files.ts";
import { LONGEST_ARGUMENT_BYTES, execWords, shellWords, prestartedShellWords } from "./shell-words.ts";
import { TAG_VARIABLE } from "./process-tags.ts";
import type { Command } from "./command-checks.ts";
import type { Confinement, Cover, Wrapped } from "./sandbox-words.ts";
import type { Environment } from "./environment.ts";
import type { Channel, Pipe, PipePool } from "./pipe-pool.ts";
import type { ReportFiles, ReportPlace } from "./report-files.ts";
import type { ResourceLimits } from "./resource-limits.ts";
import type { Shell } from "./shell-words.ts";
import { randomHex } from "../random-hex.ts";

export type Equipment = {
  readonly shell: Shell;
  readonly confinement: Confinement;
  readonly pipes: PipePool;
  readonly records: ReportFiles;
  readonly ownsHardLimit: boolean;
};

export type Launched = {
  readonly child: Bun.Subprocess;
  /** What every process of it is found by. */
  readonly tag: string;
  readonly stdout: Pipe;
  /** Undefined when both streams go into one. */
  readonly stderr: Pipe | undefined;
  readonly record: ReportPlace;
  readonly cover: Cover | undefined;
  /** To be called when the command has ended. */
  leave(): void;
};

/** A shell that waits. It ends by itself when the channel's writing end closes, also when we die. */
export type PrestartedShell = Launched & { readonly go: Channel };

/** What a prestarted shell must share with a command to be used for it. */
export type PrestartKey = {
  readonly env: Environment;
  readonly merge: boolean;
  readonly nonce: string;
  readonly limits: ResourceLimits;
};

/** Starts a command from nothing. */
export function launch(equipment: Equipment, command: Command, tag: string, scratch: string): Promise<Launched> {
  const { shell, confinement, ownsHardLimit } = equipment;
  const recordOnStdin = confinement.onlyStdio === true;
  const realCwd = realCwdOf(command);
  const setup = { recordOnStdin, tag, ownsHardLimit, limits: command.limits ?? {}, realCwd };
  const script = scriptOf(command);
  const means = { merge: command.merge === true, nonce: command.nonce, tag, script, extra: [], open: command.open };
  return spawn(equipment, means, (marker) => ({
    words: wordsFor(shell, command, setup, marker, script !== undefined),
    cwd: command.cwd,
    env: command.env,
    scratch,
  }));
}

/** Starts a shell that waits for `tell`, labelled and limited already. */
export async function prestartShell(
  equipment: Equipment,
  key: PrestartKey,
  tag: string,
  scratch: string,
): Promise<PrestartedShell> {
  const { shell, pipes, ownsHardLimit } = equipment;
  const go = await pipes.takeChannel();
  const setup = { recordOnStdin: false, tag, ownsHardLimit, limits: key.limits };
  try {
    const means = { merge: key.merge, nonce: key.nonce, tag, script: undefined, extra: [go.readFd], waits: true };
    const launched = await spawn(equipment, means, (marker) => ({
      words: [shell.path, "-c", prestartedShellWords(shell, setup, marker), shell.path],
      cwd: "/",
      env: key.env,
      scratch,
    }));
    void launched.child.exited.then(() => pipes.giveBackChannel(go, launched.child.exitCode !== null));
    return { ...launched, go };
  } catch (error) {
    closeQuietly(go.writeFd);
    pipes.giveBackChannel(go, false);
    throw error;
  } finally {
    closeQuietly(go.readFd);
  }
}

/** Tells a waiting shell what to run, and says whether it was still there. */
export function tell({ go }: PrestartedShell, told: Buffer): boolean {
  try {
    return writeSync(go.writeFd, told) === told.length;
  } catch {
    return false; // it ended meanwhile: EPIPE
  } finally {
    closeQuietly(go.writeFd);
  }
}

/** Gives up a shell that waits: it ends when its channel closes. */
export function dismiss(equipment: Equipment, shell: PrestartedShell): void {
  closeQuietly(shell.go.writeFd);
  void shell.child.exited.then(() => {
    release(equipment, shell);
    closeQuietly(shell.record.fd);
    shell.leave();
  });
}

/** Closes the reading ends of a launch whose output nobody will read. */
export function release(equipment: Equipment, { stdout, stderr }: Pick<Launched, "stdout" | "stderr">): void {
  for (const pipe of [stdout, stderr]) {
    if (pipe !== undefined) equipment.pipes.retire(pipe);
  }
}

type Means = {
  readonly merge: boolean;
  readonly nonce: string;
  readonly tag: string;
  readonly script: Buffer | undefined;
  readonly extra: readonly number[];
  readonly open?: readonly string[] | undefined;
  readonly waits?: boolean;
};
type Start = {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly scratch: string;
};

async function spawn(equipment: Equipment, means: Means, startFor: (marker: string) => Start): Promise<Launched> {
  const { confinement, pipes, records } = equipment;
  const stdout = await pipes.take();
  let stderr: Pipe | undefined;
  let recordFd: number | undefined;
  let wrapped: Wrapped | undefined;
  let leave = (): void => undefined;
  try {
    stderr = means.merge ? undefined : await pipes.take();
    const marker = `__BORIS_CWD_${means.nonce}__${randomHex(8)}`;
    const start = startFor(marker);
    recordFd = takeRecord(records, means.script !== undefined, start);
    const offset = means.script === undefined ? 0 : writeScript(recordFd, means.script);
    // The plan may have become another one meanwhile, in which nothing may stand around for a shell that only waits.
    if (means.waits === true && confinement.allowsPrestart === false)
      throw startFailed("sandbox", "no shell may wait now");
    leave = confinement.enter?.() ?? leave;
    const onlyStdio = confinement.onlyStdio === true;
    const output = [stdout.writeFd, (stderr ?? stdout).writeFd];
    const stdio = onlyStdio ? [recordFd, ...output] : ["ignore" as const, ...output, recordFd, ...means.extra];
    const { cwd, scratch, env } = start;
    wrapped = confinement.wrap(start.words, { cwd, env, scratch, firstFd: stdio.length, open: means.open });
    const child = spawnChild(wrapped.argv, start.words[0] ?? "", {
      env: { ...wrapped.env, PWD: cwd, [TAG_VARIABLE]: means.tag },
      // A mechanism with namespaces enters the folder inside; outside, its name may mean something else by now.
      cwd: confinement.namespaced ? "/" : (confinement.outside(cwd, scratch) ?? "/"),
      stdio: [...stdio, ...wrapped.fds],
    });
    const record = { fd: recordFd, offset, marker };
    return { child, tag: means.tag, stdout, stderr, record, cover: wrapped.cover, leave };
  } catch (error) {
    leave();
    if (recordFd !== undefined) closeQuietly(recordFd);
    release(equipment, { stdout, stderr });
    throw error;
  } finally {
    closeQuietly(stdout.writeFd);
    if (stderr !== undefined) closeQuietly(stderr.writeFd);
    wrapped?.release();
  }
}

function takeRecord(records: ReportFiles, fresh: boolean, start: Start): number {
  try {
    return records.take(fresh);
  } catch (error) {
    throw spawnFailure(error, start.words[0] ?? "");
  }
}

function spawnChild(
  argv: readonly string[],
  program: string,
  how: { env: Environment; cwd: string; stdio: ("ignore" | number)[] },
): Bun.Subprocess {
  try {
    return Bun.spawn([...argv], {
      cwd: how.cwd,
      env: { ...how.env },
      stdio: how.stdio as ["ignore", number, number, ...number[]],
      detached: true, // leader of a session and group of its own
      lazy: true,
    });
  } catch (error) {
    throw spawnFailure(error, program);
  }
}

function wordsFor(
  shell: Shell,
  command: Command,
  setup: Parameters<typeof shellWords>[1],
  marker: string,
  fromScript: boolean,
): string[] {
  if (command.what.kind === "argv") {
    const [name = "", ...rest] = command.what.argv;
    const become = execWords({ path: "/bin/sh", dialect: "posix" }, setup);
    return ["/bin/sh", "-c", become, name, findProgram(name, command.env), ...rest];
  }
  const words = [shell.path, "-c", shellWords(shell, setup, marker, fromScript), shell.path];
  return fromScript ? words : [...words, command.what.text];
}

/** The text of a command that is too long for an argument. */
function scriptOf(command: Command): Buffer | undefined {
  if (command.what.kind !== "shell" || command.what.text.length * 3 < LONGEST_ARGUMENT_BYTES) return undefined;
  const text = Buffer.from(command.what.text);
  return text.length < LONGEST_ARGUMENT_BYTES ? undefined : text;
}
