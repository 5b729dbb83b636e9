// A regular file, open for reading: the very thing the resolver looked at. Nothing here can block: a FIFO or a device is
// refused before it is opened, and what only pretends to be a file (/proc/kmsg) answers "nothing yet" instead of waiting.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import type { Entry } from "../scope/directory.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** What tells the kind of a file: the window of the contract. */
export const SNIFF_BYTES = 512;
/** A file up to this size is read whole when its beginning is asked for: it is seldom all that is wanted. */
const SMALL_BYTES = 64 * 1024;

export class OpenFile implements Disposable {
  readonly fd: number;
  readonly path: string;
  readonly shown: string;
  /** As it was before it was opened: a change since then shows as a difference. */
  readonly stat: BigIntStats;
  /** Zero for files that do not say, such as those of /proc. */
  readonly size: number;
  /** Its beginning, once it was looked at. */
  #start: { readonly bytes: Buffer; readonly atEnd: boolean } | undefined;

  constructor(fd: number, place: { readonly path: string; readonly shown: string }, stat: BigIntStats) {
    this.fd = fd;
    this.path = place.path;
    this.shown = place.shown;
    this.stat = stat;
    this.size = Number(stat.size);
  }

  /** At least the first SNIFF_BYTES that there are, for telling its kind. */
  get start(): Buffer {
    if (this.#start === undefined) {
      const wanted = this.size <= SMALL_BYTES ? Math.max(this.size + 1, SNIFF_BYTES) : SNIFF_BYTES;
      const into = Buffer.allocUnsafe(wanted);
      const got = this.#read(0, into);
      this.#start = { bytes: into.subarray(0, got), atEnd: got < wanted };
    }
    return this.#start.bytes;
  }

  /** All of it, if looking at its beginning has shown it. */
  get whole(): Buffer | undefined {
    return this.#start?.atEnd === true ? this.#start.bytes : undefined;
  }

  /** Fills the buffer unless the file ends first. Returns how many bytes it got. */
  readAt(position: number, into: Uint8Array): number {
    const { whole } = this;
    if (whole === undefined) return this.#read(position, into);
    const known = whole.subarray(position, position + into.length);
    into.set(known);
    return known.length;
  }

  #read(position: number, into: Uint8Array): number {
    let filled = 0;
    try {
      while (filled < into.length) {
        const got = fs.readSync(this.fd, into, filled, into.length - filled, position + filled);
        filled += got;
        // The end; or less than was asked for, up to just where the file ended when it was opened: the end as well.
        if (got === 0 || (filled < into.length && position + filled === this.size)) break;
      }
    } catch (error) {
      if (errnoOf(error) === "EAGAIN") throw notRegular(this.shown, this.path);
      throw ioError("read", this.shown, error, this.path);
    }
    return filled;
  }

  [Symbol.dispose](): void {
    fs.closeSync(this.fd);
  }
}

/** Opens what is there for reading. Throws NOT_FOUND, NOT_FILE, NOT_REGULAR or IO_ERROR. */
export function openForReading(place: ScopedPath): OpenFile {
  const entry = needFile(place);
  let fd: number;
  try {
    fd = fs.openSync(pathOfEntry(place, entry), O_RDONLY | O_NONBLOCK | O_NOCTTY | noFollow(entry));
  } catch (error) {
    throw ioError("open", place.shown, error, place.path);
  }
  // Through the descriptor it is the very inode whose stat we have; a name may mean another by now.
  if (entry.fd !== undefined) return new OpenFile(fd, place, entry.stat);
  try {
    const stat = fs.fstatSync(fd, { bigint: true });
    if (stat.ino !== entry.stat.ino || stat.dev !== entry.stat.dev) throw changed(place);
    place.parent.verify();
    return new OpenFile(fd, place, stat);
  } catch (error) {
    fs.closeSync(fd);
    throw errnoOf(error) === undefined ? error : ioError("stat", place.shown, error, place.path);
  }
}

/** The regular file at that place, or the failure that says what is there instead. */
export function needFile(place: ScopedPath): Entry {
  const { entry, path, shown } = place;
  const details = { path, requested: shown };
  if (entry === undefined) throw new EngineError("NOT_FOUND", `${shown} does not exist`, details);
  if (entry.kind === "directory") throw new EngineError("NOT_FILE", `${shown} is a directory`, details);
  if (entry.kind !== "file") throw notRegular(shown, path);
  return entry;
}

/** A path for node:fs that means the entry itself where a descriptor pins it, else its name. */
export function pathOfEntry(place: ScopedPath, entry: Entry): string {
  return entry.fd === undefined ? place.parent.at(place.name) : `/proc/self/fd/${entry.fd}`;
}

/** Through a descriptor the "link" in /proc must be followed: it leads to the inode, not to a name. */
export function noFollow(entry: Entry): number {
  return entry.fd === undefined ? O_NOFOLLOW : 0;
}

export function notRegular(shown: string, path: string): EngineError {
  return new EngineError("NOT_REGULAR", `${shown} is not a regular file`, { path, requested: shown });
}

export function changed(place: ScopedPath): EngineError {
  const { path, shown } = place;
  return new EngineError("CHANGED_ON_DISK", `${shown} was changed by someone else meanwhile; nothing was written`, {
    path,
    requested: shown,
  });
}

/** Whether nobody has written meanwhile, as far as stamps can tell. */
export function isSameVersion(now: BigIntStats, then: BigIntStats): boolean {
  return now.dev === then.dev && now.ino === then.ino && now.size === then.size && now.mtimeNs === then.mtimeNs;
}
