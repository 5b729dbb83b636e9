// An open directory whose identity was checked: names below it are used through its descriptor, so nobody can put
// another directory in its place between the check and the use. It knows no policy.
import fs from "node:fs";
import type { BigIntStats, Stats } from "node:fs";
import { EngineError, errnoOf } from "../engine-error.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
// Not exported by node:fs. O_PATH names a thing without opening it: no device is touched, no permission to read needed.
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;

/**
 * `descriptors`: `/proc/self/fd/N/name`, the openat of a language without one (Linux).
 * `names`: real paths, with device and inode compared after each use; a swap is noticed, not impossible.
 */
export type WalkMode = "descriptors" | "names";

export const bestWalkMode: WalkMode =
  process.platform === "linux" && fs.existsSync("/proc/self/fd") ? "descriptors" : "names";

export type EntryKind = "file" | "directory" | "symlink" | "special";

/** What a name stands for, link not followed. `fd` pins it (descriptors only); whoever looked closes it. */
export type Entry = { readonly kind: EntryKind; readonly stat: BigIntStats; readonly fd: number | undefined };

export class Directory implements Disposable {
  readonly path: string;
  readonly mode: WalkMode;
  readonly fd: number;
  readonly #identity: BigIntStats | undefined;
  readonly #borrowed: boolean;
  /** What a descriptor stands for never changes. */
  #held: Stats | undefined;

  private constructor(path: string, mode: WalkMode, fd: number, borrowed = false) {
    this.path = path;
    this.mode = mode;
    this.fd = fd;
    this.#identity = mode === "names" ? fs.fstatSync(fd, { bigint: true }) : undefined;
    this.#borrowed = borrowed;
  }

  static openRoot(mode: WalkMode): Directory {
    return new Directory("/", mode, fs.openSync("/", directoryFlags(mode)));
  }

  /** The very directory an entry of `parent` was seen to be. */
  static ofEntry(entry: Entry, parent: Directory, name: string): Directory {
    if (entry.fd === undefined) return parent.enter(name);
    const path = name === "." ? parent.path : joinPath(parent.path, name);
    // Through the descriptor: a name could mean something else by now.
    const fd = fs.openSync(`/proc/self/fd/${entry.fd}`, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return new Directory(path, parent.mode, fd);
  }

  /** The same directory for another user, whose dispose leaves ours open. */
  lend(): Directory {
    return new Directory(this.path, this.mode, this.fd, true);
  }

  /** Whether its path, links in it followed, still leads to it. Only for directories above which nobody hostile writes. */
  isStillThere(): boolean {
    try {
      this.#held ??= fs.fstatSync(this.fd);
      const now = fs.statSync(this.path);
      return this.#held.ino === now.ino && this.#held.dev === now.dev;
    } catch {
      return false; // the path leads nowhere any more
    }
  }

  /** Whether its path, with no link in it, leads to it now: what is held open may have been moved since it was opened. */
  isInPlace(): boolean {
    try {
      return fs.realpathSync(this.path) === this.path && this.isStillThere();
    } catch {
      return false; // the path leads nowhere any more
    }
  }

  /** The subdirectory of that name. A link is refused (ENOTDIR or ELOOP), never followed. */
  enter(name: string | Buffer): Directory {
    const at = typeof name === "string" ? this.at(name) : this.atBytes(name);
    const fd = fs.openSync(at, directoryFlags(this.mode));
    try {
      this.verify();
      return new Directory(joinPath(this.path, name.toString()), this.mode, fd);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  /** A path for node:fs that means `name` in this very directory. */
  at(name: string): string {
    return this.mode === "descriptors" ? `/proc/self/fd/${this.fd}/${name}` : joinPath(this.path, name);
  }

  /** As `at`, for a name that need not be UTF-8: only its bytes lead to it. */
  atBytes(name: Buffer): Buffer {
    return Buffer.concat([Buffer.from(this.at("")), name]);
  }

  /** A path for node:fs that means this very directory. */
  get self(): string {
    return this.mode === "descriptors" ? `/proc/self/fd/${this.fd}` : this.path;
  }

  look(name: string): Entry | undefined {
    try {
      if (this.mode === "names") {
        const stat = fs.lstatSync(this.at(name), { bigint: true });
        this.verify();
        return { kind: kindOf(stat), stat, fd: undefined };
      }
      const fd = fs.openSync(this.at(name), O_PATH | O_NOFOLLOW | O_CLOEXEC);
      const stat = fs.fstatSync(fd, { bigint: true });
      return { kind: kindOf(stat), stat, fd };
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** The text of a symbolic link, or undefined when that name is none. */
  readLink(name: string): string | undefined {
    try {
      return fs.readlinkSync(this.at(name));
    } catch (error) {
      if (errnoOf(error) === "EINVAL") return undefined;
      throw error;
    }
  }

  /** By name only: whether our path still leads to what we opened. With descriptors there is nothing to check. */
  verify(): void {
    if (this.#identity === undefined) return;
    const now = fs.lstatSync(this.path, { bigint: true });
    if (now.dev !== this.#identity.dev || now.ino !== this.#identity.ino) {
      throw new EngineError("CHANGED_ON_DISK", "a directory on the way was replaced meanwhile");
    }
  }

  /** Makes the entries' names survive a crash. A directory one may not read cannot be synced; that is no failure. */
  sync(): void {
    try {
      const fd = fs.openSync(this.self, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      try {
        fs.fsyncSync(fd);
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
    }
  }

  [Symbol.dispose](): void {
    if (!this.#borrowed) fs.closeSync(this.fd);
  }
}

/** Walks from `/` to a real directory, following nothing. */
export function openRealDirectory(realPath: string, mode: WalkMode): Directory {
  let directory = Directory.openRoot(mode);
  for (const name of realPath.split("/")) {
    if (name === "") continue;
    using outer = directory;
    directory = outer.enter(name);
  }
  return directory;
}

export function kindOf(stat: BigIntStats): EntryKind {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "directory";
  return stat.isSymbolicLink() ? "symlink" : "special";
}

export function joinPath(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

export function closeEntry(entry: Entry | undefined): void {
  if (entry?.fd !== undefined) fs.closeSync(entry.fd);
}

function directoryFlags(mode: WalkMode): number {
  const access = mode === "descriptors" ? O_PATH | O_CLOEXEC : O_RDONLY | O_NONBLOCK;
  return access | O_DIRECTORY | O_NOFOLLOW;
}
