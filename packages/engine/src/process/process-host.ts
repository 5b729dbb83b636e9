// The one place that starts commands: it holds what all of them share (pipes, the shell, the confinement, the watchdog)
// and knows all that still run.
import { mkdtempSync } from "node:fs";
import path from "node:path";
import { EngineError } from "../engine-error.ts";
import { Capture } from "./output-capture.ts";
import { checkCommand, checkShell, realCwdOf } from "./command-checks.ts";
import { unconfined } from "./sandbox-words.ts";
import { CoverWatch } from "./lost-mount-watch.ts";
import { OutputReader } from "./output-reader.ts";
import { launch, tell } from "./launch.ts";
import { PipePool } from "./pipe-pool.ts";
import { makePrivateFolder, removeFolder, sweepFolders } from "./private-files.ts";
import { ReportFiles } from "./report-files.ts";
import { GRACE_MS, Running } from "./running-command.ts";
import { detectShell, prestartedShellText } from "./shell-words.ts";
import { PrestartedShells } from "./prestarted-shells.ts";
import { TagSpace } from "./process-tags.ts";
import { after, pause } from "./timers.ts";
import { findMembers, killTagged, terminateTagged } from "./command-tree.ts";
import { Watchdog } from "./watchdog.ts";
import type { Command, Run } from "./command-checks.ts";
import type { Confinement } from "./sandbox-words.ts";
import type { Equipment, Launched } from "./launch.ts";
import type { Pipe } from "./pipe-pool.ts";
import type { Shell } from "./shell-words.ts";
import type { SessionTags, TagTest } from "./process-tags.ts";
import type { Timer } from "./timers.ts";

/** Long after the start: a temporary folder can hold thousands of names, and nobody should wait for them. */
const SWEEP_AFTER_MS = 20_000;

/** A client that has not asked for the next command by then is busy with something else. */
const PAUSE_MS = 5;
/** A command that runs for longer leaves time for other things. */
const LONG_MS = 10;
/** So many shells wait for a session's next commands when there was time to start them, and when there was not. */
const MOST_WAITING = 3;
const FEWEST_WAITING = 1;

export type HostOptions = { readonly shell?: Shell; readonly confinement?: Confinement };

export class ProcessHost {
  readonly shell: Shell;
  readonly confinement: Confinement;
  readonly #folder = makePrivateFolder();
  readonly #removals = new Set<Promise<void>>();
  readonly #tags = new TagSpace();
  readonly #equipment: Equipment;
  readonly #prestarted: PrestartedShells;
  readonly #starting = new Map<Promise<Running>, SessionTags>();
  readonly #running = new Set<Running>();
  readonly #scratch = new Map<SessionTags, string>();
  readonly #covers = new CoverWatch();
  #watchdog: Promise<Watchdog> | undefined;
  readonly #sweep: Timer;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions = {}) {
    this.shell = options.shell ?? detectShell();
    this.confinement = options.confinement ?? unconfined;
    this.#equipment = {
      shell: this.shell,
      confinement: this.confinement,
      pipes: new PipePool(this.#folder),
      records: new ReportFiles(this.#folder),
      ownsHardLimit: this.#tags.ownsHardLimit,
    };
    this.#prestarted = new PrestartedShells(this.#equipment);
    this.#sweep = after(SWEEP_AFTER_MS, () => void sweepFolders());
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
    this.#refuseIfClosing();
    const starting = this.#start(command);
    this.#starting.set(starting, command.tags);
    try {
      return await starting;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async #start(command: Command): Promise<Running> {
    await this.confinement.prepare?.();
    this.#refuseIfClosing();
    checkCommand(command, this.outside(command.tags, command.cwd));
    checkShell(this.shell);
    await this.#guarded();
    const scratch = this.#scratchOf(command.tags);
    const running = this.#startOnPrestarted(command) ?? (await this.#startCold(command, scratch));
    this.#planAhead(running, command, scratch);
    return running;
  }

  /** Starts a command and waits for its end. */
  async run(command: Command): Promise<Run> {
    return (await this.start(command)).done;
  }

  /** Ends everything that commands with these tags left running, wherever it hides: TERM, one grace, KILL. */
  async endSession(tags: SessionTags, graceMs = GRACE_MS): Promise<void> {
    const ending = this.#prestarted.end(tags);
    const own = await this.#stopAll(tags, graceMs);
    await Promise.race([ending, pause(graceMs)]);
    // What earlier commands left behind. Those that run have been asked already: a trap must not run twice.
    const asked = new Set(own.map((running) => running.tree.tag));
    const isLeftover = (tag: string): boolean => tags.matches(tag) && !asked.has(tag);
    if (await terminateTagged(isLeftover)) await this.#goneOrKilled(isLeftover, graceMs);
    await Promise.all(own.map((running) => running.death));
    this.#forgetScratch(tags);
  }

  /** Whether a process of a command that has ended still runs. Shells that wait for their first command are none. */
  async hasLeftovers(): Promise<boolean> {
    if (this.#running.size > 0) return true;
    // What ended took its whole namespace with it.
    if (this.#watchdog === undefined || this.confinement.namespaced) return false;
    const waiting = this.#prestarted.tags;
    const isLeftover = (tag: string): boolean => this.#tags.matches(tag) && !waiting.has(tag);
    return (await findMembers([], isLeftover, performance.now())).length > 0;
  }

  /** Ends every command and refuses new ones. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #refuseIfClosing(): void {
    if (this.#closing !== undefined) throw new EngineError("SESSION_CLOSED", "the server is shutting down");
  }

  // What is just being started cannot be stopped yet, and would run on with nobody who knows of it.
  async #stopAll(tags?: SessionTags, graceMs?: number): Promise<Running[]> {
    const stopped = new Set<Running>();
    const stop = (): void => {
      for (const running of this.#running) {
        if (tags !== undefined && !tags.matches(running.tree.tag)) continue;
        running.stop("close", graceMs);
        stopped.add(running);
      }
    };
    stop();
    const starting = [...this.#starting].filter(([, own]) => tags === undefined || own === tags);
    await Promise.allSettled(starting.map(([start]) => start));
    stop();
    return [...stopped];
  }

  // Before the first command: whatever becomes of us then, somebody knows of it.
  async #guarded(): Promise<void> {
    const watchdog = (this.#watchdog ??= Watchdog.post(this.#equipment.pipes, this.#tags.prefix, this.#folder));
    try {
      await watchdog;
    } catch (error) {
      if (this.#watchdog === watchdog) this.#watchdog = undefined; // the next command tries again
      throw error;
    }
  }

  #startOnPrestarted(command: Command): Running | undefined {
    const startedAt = performance.now();
    // One that waits was started without what this one is allowed to write.
    const isOrdinary = command.what.kind === "shell" && (command.open ?? []).length === 0;
    const told = isOrdinary ? prestartedShellText(command.cwd, realCwdOf(command), command.what.text) : undefined;
    const prestarted = told === undefined ? undefined : this.#prestarted.take(command);
    if (told === undefined || prestarted === undefined) return undefined;
    // All of ours first: once it knows, there is nothing left that would have to share a processor with it.
    const running = this.#supervise(command, prestarted, startedAt);
    return tell(prestarted, told) ? running : undefined;
  }

  async #startCold(command: Command, scratch: string): Promise<Running> {
    const startedAt = performance.now();
    return this.#supervise(command, await launch(this.#equipment, command, command.tags.next(), scratch), startedAt);
  }

  // To start a process stops us for as long as a small command runs. So the shells for the next commands are started when
  // there is time for it: a while after the answer, or when the command takes its own; in a row of commands without pauses
  // one is started beside each. Not with a sandbox: a denied file that goes while one is being built would be made again,
  // empty, for its mount to stand on, and just after an answer is when files go.
  #planAhead(running: Running, command: Command, scratch: string): void {
    if (this.confinement.state === undefined)
      setImmediate(() => void this.#prestarted.plan(command, scratch, FEWEST_WAITING));
    const later = (): void => void after(PAUSE_MS, () => void this.#prestarted.plan(command, scratch, MOST_WAITING));
    const late = after(LONG_MS, later);
    void running.done.then(() => {
      late.cancel();
      later();
    });
  }

  #supervise(command: Command, launched: Launched, startedAt: number): Running {
    const { child, tag } = launched;
    const drain = (pipe: Pipe, stream: "stdout" | "stderr"): OutputReader =>
      new OutputReader(pipe, this.#equipment.pipes, new Capture(command[stream]), (chunk) =>
        command.onOutput?.(stream, chunk),
      );
    // Of no stream, so it must not take a share of the room that the streams have.
    const empty = new Capture({ cap: command.stderr.cap });
    empty.finish();
    const started = {
      process: child,
      startedAt,
      tree: {
        leader: child.pid,
        leaderAlive: () => child.exitCode === null && child.signalCode === null,
        tag,
        namespaced: this.confinement.namespaced,
        startedAt,
      },
      stdout: drain(launched.stdout, "stdout"),
      stderr: launched.stderr === undefined ? undefined : drain(launched.stderr, "stderr"),
      readRecord: () => this.#equipment.records.finish(launched.record),
      hidesSignals: this.confinement.hidesSignals,
    };
    const running = new Running(command, started, empty);
    this.#track(running, () => launched.leave());
    if (launched.cover !== undefined) this.#covers.add({ running, cover: launched.cover, onLost: command.onLost });
    return running;
  }

  #track(running: Running, leave: () => void): void {
    this.#running.add(running);
    void running.done.then(async () => {
      leave();
      await running.death;
      this.#running.delete(running);
    });
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
    const removal = removeFolder(scratch).finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  async #goneOrKilled(matches: TagTest, graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs;
    for (let wait = 20; performance.now() < deadline; wait = Math.min(wait * 2, 500)) {
      await pause(wait);
      if ((await findMembers([], matches, performance.now())).length === 0) return;
    }
    await killTagged(matches);
  }

  async #close(): Promise<void> {
    this.#sweep.cancel();
    const all = await this.#stopAll();
    await Promise.all([this.#prestarted.close(), ...all.map((running) => running.death)]);
    await Promise.all(all.map((running) => running.done));
    if (this.#watchdog !== undefined) {
      await killTagged(this.#tags.matches); // what earlier commands left behind
      (await this.#watchdog).dismiss();
    }
    for (const running of all) running.abandon();
    await this.#equipment.pipes.close();
    this.#equipment.records.close();
    await Promise.all(this.#removals);
    this.confinement.close?.();
    await removeFolder(this.#folder);
  }
}
