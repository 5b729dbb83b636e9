// True pipes for a child's output. Bun's own "pipe" is a Unix socket, on which `echo x > /dev/stdout` fails
//; a FIFO that is opened by us and has no name any more is a pipe like any other.
import { openSync, unlinkSync, constants } from "node:fs";
import path from "node:path";
import { EngineError, errnoOf } from "../engine-error.ts";
import { closeQuietly } from "./private-files.ts";
import { randomHex } from "../random-hex.ts";

/** Both ends, open. The caller hands `writeFd` to a child and closes it, and closes the pipe at the end. */
export type Pipe = {
  readonly readFd: number;
  readonly writeFd: number;
  /** Opened with the pipe, because it takes a descriptor of its own: there must be no command yet when that fails. */
  readonly reader: PipeReader;
  readonly source: PipeSource;
};

/** Two ends for telling a child something: both block, and nobody else reads. */
export type Channel = { readonly readFd: number; readonly writeFd: number; readonly source: PipeSource };

export type PipeReader = {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

/** An inode that can be opened again once every end of the last use is closed: it is then empty. */
type PipeSource = { readonly reopenPath: string; readonly holdFd: number | undefined };

// mkfifo(1) is the only way to a FIFO without native calls, so they are made many at a time: a spawn per thirty-two.
const BATCH = 32;
const LOW_WATER = 8;
// What a burst of commands needed is given back: an idle pipe costs a descriptor.
const MOST_IDLE = BATCH + LOW_WATER;
// Opening with O_PATH holds the inode without being a reader or writer of it.
const O_PATH = 0o10000000;

export class PipePool {
  readonly #folder: string;
  readonly #idle: PipeSource[] = [];
  #refill: Promise<void> | undefined;
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async take(): Promise<Pipe> {
    return open(await this.#source());
  }

  async takeChannel(): Promise<Channel> {
    const source = await this.#source();
    try {
      return { ...openChannel(source), source };
    } catch (error) {
      discard(source);
      throw error;
    }
  }

  /** `empty`: what was told has been read, and every end is closed. */
  giveBackChannel({ source }: Channel, empty: boolean): void {
    if (empty) this.#keep(source);
    else discard(source);
  }

  /** For the next command, once the reader has seen the end: then no writer is left that could mix into it. */
  giveBack(pipe: Pipe): void {
    closeQuietly(pipe.readFd); // the stream closes only its own copy
    this.#keep(pipe.source);
  }

  /** Somebody may still write to it: never use it again. */
  retire(pipe: Pipe): void {
    pipe.reader.cancel().catch(() => undefined);
    closeQuietly(pipe.readFd);
    discard(pipe.source);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#refill?.catch(() => undefined); // its names would be in the way of the folder's end
    for (const source of this.#idle.splice(0)) discard(source);
  }

  #keep(source: PipeSource): void {
    if (this.#closed || this.#idle.length >= MOST_IDLE) discard(source);
    else this.#idle.push(source);
  }

  async #source(): Promise<PipeSource> {
    let source = this.#idle.pop();
    while (source === undefined) {
      await this.#more();
      source = this.#idle.pop();
    }
    if (this.#idle.length < LOW_WATER) this.#more().catch(() => undefined); // the next taker reports it
    return source;
  }

  #more(): Promise<void> {
    this.#refill ??= makeFifos(this.#folder)
      .then((made) => void this.#idle.push(...made))
      .finally(() => (this.#refill = undefined));
    return this.#refill;
  }
}

function open(source: PipeSource): Pipe {
  let readFd: number | undefined;
  let writeFd: number | undefined;
  try {
    // In this order: without a reader, opening for writing blocks.
    readFd = openSync(source.reopenPath, constants.O_RDONLY | constants.O_NONBLOCK);
    writeFd = openSync(source.reopenPath, constants.O_WRONLY);
    return { readFd, writeFd, reader: Bun.file(readFd).stream().getReader(), source };
  } catch (error) {
    if (readFd !== undefined) closeQuietly(readFd);
    if (writeFd !== undefined) closeQuietly(writeFd);
    discard(source);
    throw pipeFailure(error);
  }
}

function openChannel(source: PipeSource): { readonly readFd: number; readonly writeFd: number } {
  const opened: number[] = [];
  const openEnd = (flags: number): number => {
    const fd = openSync(source.reopenPath, flags);
    opened.push(fd);
    return fd;
  };
  try {
    // Open for both first: then neither end has to wait for the other.
    const both = openEnd(constants.O_RDWR);
    const ends = { readFd: openEnd(constants.O_RDONLY), writeFd: openEnd(constants.O_WRONLY) };
    closeQuietly(both);
    return ends;
  } catch (error) {
    for (const fd of opened) closeQuietly(fd);
    throw pipeFailure(error);
  }
}

async function makeFifos(folder: string): Promise<PipeSource[]> {
  const batch = randomHex(6);
  const names = Array.from({ length: BATCH }, (_, i) => path.join(folder, `${batch}-${i}`));
  try {
    const maker = Bun.spawn(["mkfifo", "-m", "600", "--", ...names], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      env: { PATH: "/usr/bin:/bin:/usr/local/bin" },
    });
    if ((await maker.exited) !== 0) throw new Error("mkfifo failed");
    return names.map(hold);
  } catch (error) {
    throw pipeFailure(error);
  }
}

function hold(name: string): PipeSource {
  // Elsewhere than on Linux there is no reopening through a descriptor: the name stays, in the private folder.
  if (process.platform !== "linux") return { reopenPath: name, holdFd: undefined };
  const holdFd = openSync(name, O_PATH);
  unlinkSync(name);
  return { reopenPath: `/proc/self/fd/${holdFd}`, holdFd };
}

function discard(source: PipeSource): void {
  if (source.holdFd !== undefined) closeQuietly(source.holdFd);
  else unlinkSync(source.reopenPath);
}

function pipeFailure(error: unknown): EngineError {
  const errno = errnoOf(error);
  const why =
    errno === "EMFILE" || errno === "ENFILE"
      ? "too many open files"
      : `no pipe for its output (${errno ?? "mkfifo failed"})`;
  const details = { reason: "limit", ...(errno === undefined ? {} : { errno }) };
  return new EngineError("START_FAILED", `could not start command: ${why}`, details, error);
}
