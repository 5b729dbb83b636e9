// The one place that starts commands: it holds what all of them share (pipes, the shell, the confinement, the warden)
// and knows all that still run.
import { fstatSync, ftruncateSync, mkdtempSync, readSync, writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { EngineError } from "../failure.ts";
import { Capture } from "./capture.ts";
import { checkCommand, findProgram, spawnFailure } from "./command.ts";
import { unconfined } from "./confinement.ts";
import { Drain } from "./drain.ts";
import { PipePool } from "./pipes.ts";
import { closeQuietly, makePrivateFolder, openNamelessFile, removeFolder } from "./private-files.ts";
import { GRACE_MS, Running } from "./running.ts";
import { LONGEST_ARGUMENT_BYTES, detectShell, execWords, parseRecord, shellWords } from "./shell.ts";
import { TagSpace } from "./tags.ts";
import { pause } from "./timers.ts";
import { TAG_VARIABLE, findMembers, killTagged, terminateTagged } from "./tree.ts";
import { Warden } from "./warden.ts";
import type { Command, Run } from "./command.ts";
import type { Confinement } from "./confinement.ts";
import type { Pipe } from "./pipes.ts";
import type { Shell } from "./shell.ts";
import type { SessionTags } from "./tags.ts";

export type HostOptions = { readonly shell?: Shell; readonly confinement?: Confinement };

// A path is at most 4096 bytes; anything longer in the record is not ours.
const RECORD_MAX_BYTES = 16_384;
const IDLE_RECORDS = 8;

export class ProcessHost {
  readonly shell: Shell;
  readonly confinement: Confinement;
  readonly #folder = makePrivateFolder();
  readonly #pipes = new PipePool(this.#folder);
  readonly #tags = new TagSpace();
  readonly #records: number[] = [];
  readonly #running = new Set<Running>();
  readonly #scratch = new Map<SessionTags, string>();
  #warden: Warden | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions = {}) {
    this.shell = options.shell ?? detectShell();
    this.confinement = options.confinement ?? unconfined;
  }

  /** A folder of ours for spool files, gone when the host closes. */
  get folder(): string {
    return this.#folder;
  }

  newSession(): SessionTags {
    return this.#tags.session();
  }

  /** Where a directory that a session's commands see lies outside; undefined when nothing can start in it. */
  outside(tags: SessionTags, directory: string): string | undefined {
    return this.confinement.outside(directory, this.#scratchOf(tags));
  }

  /** Starts a command. Throws EMPTY_COMMAND or START_FAILED, and then nothing has run. */
  async start(command: Command): Promise<Running> {
    if (this.#closing !== undefined) throw new EngineError("SESSION_CLOSED", "the server is shutting down");
    await this.confinement.prepare?.();
    checkCommand(command, this.outside(command.tags, command.cwd));
    const stdoutPipe = await this.#pipes.take();
    let stderrPipe: Pipe | undefined;
    try {
      stderrPipe = command.merge === true ? undefined : await this.#pipes.take();
      return this.#launch(command, stdoutPipe, stderrPipe);
    } catch (error) {
      for (const pipe of [stdoutPipe, stderrPipe]) {
        if (pipe === undefined) continue;
        closeQuietly(pipe.readFd);
        this.#pipes.retire(pipe);
      }
      throw error;
    } finally {
      closeQuietly(stdoutPipe.writeFd);
      if (stderrPipe !== undefined) closeQuietly(stderrPipe.writeFd);
    }
  }

  /** Starts a command and waits for its end. */
  async run(command: Command): Promise<Run> {
    return (await this.start(command)).done;
  }

  /** Ends everything that commands with these tags left running, wherever it hides: TERM, one grace, KILL. */
  async endSession(tags: SessionTags): Promise<void> {
    const own = [...this.#running].filter((running) => tags.matches(running.tree.tag));
    for (const running of own) running.stop("close");
    if (await terminateTagged(tags.matches)) await this.#goneOrKilled(tags);
    await Promise.all(own.map((running) => running.death));
    this.#forgetScratch(tags);
  }

  /** Ends every command and refuses new ones. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #launch(command: Command, stdoutPipe: Pipe, stderrPipe: Pipe | undefined): Running {
    const { confinement } = this;
    if (!confinement.namespaced) this.#warden ??= new Warden(this.#tags.prefix);
    const tag = command.tags.next();
    const marker = `__BORIS_CWD_${command.nonce}__${tag.value}`;
    const recordOnStdin = confinement.onlyStdio === true;
    const setup = {
      recordOnStdin,
      tag: tag.value,
      ownsHardLimit: this.#tags.ownsHardLimit,
      limits: command.limits ?? {},
    };
    const script = scriptOf(command);
    const recordFd = this.#takeRecord(script !== undefined);
    const leave = confinement.enter?.() ?? (() => undefined);
    try {
      const scriptBytes = script === undefined ? 0 : writeScript(recordFd, script);
      const words = this.#wordsFor(command, setup, marker, scriptBytes > 0);
      const scratch = this.#scratchOf(command.tags);
      const startedAt = performance.now();
      const child = spawnChild(confinement.wrap(words, command.cwd, scratch), {
        cwd: confinement.outside(command.cwd, scratch) ?? "/",
        env: { ...command.env, PWD: command.cwd, [TAG_VARIABLE]: tag.value },
        output: [stdoutPipe.writeFd, (stderrPipe ?? stdoutPipe).writeFd],
        input: recordOnStdin ? recordFd : "ignore",
        extra: recordOnStdin ? [] : [recordFd],
        program: words[0] ?? "",
      });
      const drain = (pipe: Pipe, stream: "stdout" | "stderr"): Drain =>
        new Drain(pipe, this.#pipes, new Capture(command[stream]), (chunk) => command.onOutput?.(stream, chunk));
      const empty = new Capture(command.stderr);
      empty.finish();
      const running = new Running(
        command,
        {
          process: child,
          startedAt,
          tree: {
            leader: child.pid,
            leaderAlive: () => child.exitCode === null && child.signalCode === null,
            tag: tag.value,
            namespaced: confinement.namespaced,
          },
          stdout: drain(stdoutPipe, "stdout"),
          stderr: stderrPipe === undefined ? undefined : drain(stderrPipe, "stderr"),
          readRecord: () => this.#readRecord(recordFd, scriptBytes, marker),
          hidesSignals: confinement.hidesSignals,
        },
        empty,
      );
      this.#track(running, leave);
      return running;
    } catch (error) {
      leave();
      closeQuietly(recordFd);
      throw error;
    }
  }

  #track(running: Running, leave: () => void): void {
    this.#running.add(running);
    void running.done.then(async () => {
      leave();
      await running.death;
      this.#running.delete(running);
    });
  }

  #wordsFor(command: Command, setup: Parameters<typeof shellWords>[1], marker: string, fromScript: boolean): string[] {
    if (command.what.kind === "argv") {
      const [name = "", ...rest] = command.what.argv;
      return [
        "/bin/sh",
        "-c",
        execWords({ path: "/bin/sh", dialect: "posix" }, setup),
        name,
        findProgram(name, command.env),
        ...rest,
      ];
    }
    const words = [this.shell.path, "-c", shellWords(this.shell, setup, marker, fromScript), this.shell.path];
    return fromScript ? words : [...words, command.what.text];
  }

  // Made for the first command that needs it: most sessions of an unconfined host never do.
  #scratchOf(tags: SessionTags): string {
    const known = this.#scratch.get(tags);
    if (known !== undefined || this.confinement === unconfined) return known ?? this.#folder;
    const made = mkdtempSync(path.join(this.#folder, "tmp-"));
    this.#scratch.set(tags, made);
    return made;
  }

  #forgetScratch(tags: SessionTags): void {
    const scratch = this.#scratch.get(tags);
    if (scratch === undefined) return;
    this.#scratch.delete(tags);
    this.confinement.forget?.(scratch);
    void rm(scratch, { recursive: true, force: true }).catch(() => undefined);
  }

  // One that was used before is not at its start any more: fine for a record, which is appended, not for a script.
  #takeRecord(fresh: boolean): number {
    try {
      return (fresh ? undefined : this.#records.pop()) ?? openNamelessFile(this.#folder);
    } catch (error) {
      throw spawnFailure(error, this.shell.path);
    }
  }

  #readRecord(fd: number, scriptBytes: number, marker: string): string | undefined {
    try {
      const bytes = new Uint8Array(Math.min(fstatSync(fd).size - scriptBytes, RECORD_MAX_BYTES));
      const got = readSync(fd, bytes, 0, bytes.length, scriptBytes);
      // Nothing outlives the shell that could write to it later except a subshell that guesses its number, and a
      // record without the next command's marker is not believed.
      ftruncateSync(fd, 0);
      if (this.#records.length < IDLE_RECORDS && this.#closing === undefined) this.#records.push(fd);
      else closeQuietly(fd);
      return parseRecord(bytes.subarray(0, got), marker);
    } catch {
      closeQuietly(fd);
      return undefined;
    }
  }

  async #goneOrKilled(tags: SessionTags): Promise<void> {
    const deadline = performance.now() + GRACE_MS;
    for (let wait = 20; performance.now() < deadline; wait = Math.min(wait * 2, 500)) {
      await pause(wait);
      if ((await findMembers([], tags.matches)).length === 0) return;
    }
    await killTagged(tags.matches);
  }

  async #close(): Promise<void> {
    const all = [...this.#running];
    for (const running of all) running.stop("close");
    await Promise.all(all.map((running) => running.death));
    await Promise.all(all.map((running) => running.done));
    await this.#warden?.dismiss(); // sweeps up what earlier commands left behind
    for (const running of all) running.abandon();
    this.#pipes.close();
    for (const fd of this.#records.splice(0)) closeQuietly(fd);
    removeFolder(this.#folder);
  }
}

/** The text of a command that is too long for an argument. */
function scriptOf(command: Command): Buffer | undefined {
  if (command.what.kind !== "shell" || command.what.text.length * 3 < LONGEST_ARGUMENT_BYTES) return undefined;
  const text = Buffer.from(command.what.text);
  return text.length < LONGEST_ARGUMENT_BYTES ? undefined : text;
}

/** Where the record will follow it. Returns its length. */
function writeScript(fd: number, text: Buffer): number {
  // With a position, so that the descriptor's own, from which the shell reads, stays at the start.
  for (let at = 0; at < text.length;) at += writeSync(fd, text, at, text.length - at, at);
  return text.length;
}

type Spawn = {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly output: readonly [number, number];
  readonly input: number | "ignore";
  readonly extra: readonly number[];
  readonly program: string;
};

function spawnChild(argv: readonly string[], spawn: Spawn): Bun.Subprocess {
  try {
    return Bun.spawn([...argv], {
      cwd: spawn.cwd,
      env: spawn.env,
      stdio: [spawn.input, ...spawn.output, ...spawn.extra],
      detached: true, // leader of a session and group of its own
      lazy: true,
    });
  } catch (error) {
    throw spawnFailure(error, spawn.program);
  }
}
