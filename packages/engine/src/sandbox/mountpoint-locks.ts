// Something to mount on where nothing is: an empty folder, or a file with given content, made while a command needs it and
// removed with the last one. Several servers may work in one folder, so who needs a place is written down in a folder of
// ours that no command can write: a lock per server in a folder per place. Whoever takes out the last lock removes the
// place, if it is still the very thing that was made. What a killed server left behind, the next one to use it removes.
import fs, { lstatSync, mkdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { EngineError, errnoOf } from "../engine-error.ts";
import { isProcess, temporaryFolder } from "../process/private-files.ts";
import { idAt, entryStat } from "./entry-stat.ts";
import { temporaryName } from "../files/atomic-write.ts";
import { renameToFree } from "../files/rename.ts";
import { openRealDirectory } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";

export type Mountpoint = {
  readonly path: string;
  /** undefined: an empty folder. */
  readonly content: string | undefined;
};

/** What stands at a place that is held: made by us, something real, or nothing because nothing can be made there. */
type Held = { users: number; made: boolean };

const BUSY_MS = 2;
const MOST_ATTEMPTS = 1000;

export class MountpointLocks {
  readonly #folder: string;
  readonly #held = new Map<string, Held>();

  constructor(folder: string = defaultFolder()) {
    this.#folder = folder;
  }

  /** Makes the places, and returns the way to let go of them. */
  hold(places: readonly Mountpoint[]): () => void {
    const taken: Mountpoint[] = [];
    const release = (): void => {
      for (const place of taken.splice(0)) this.#release(place);
    };
    try {
      for (const place of places) {
        this.#take(place);
        taken.push(place);
      }
    } catch (error) {
      release();
      throw error;
    }
    return release;
  }

  /** Whether what is there was only made to be mounted on, by us or by another server. */
  isMade(place: Mountpoint): boolean {
    return isLeftEmpty(place) || isSame(place, madeInode(this.#lockFolder(place)));
  }

  /** Whether it is the very thing that was made, whatever somebody has put into it since. */
  isStill(place: Mountpoint): boolean {
    const inode = madeInode(this.#lockFolder(place));
    return inode !== undefined && inode === idAt(place.path);
  }

  /** A file of ours with that content, to be mounted where a command must find just that. */
  fileWith(content: string): string {
    const file = path.join(this.#folder, `content-${digest(content)}`);
    // Nothing reads as an empty text, and is none.
    if (!fs.existsSync(file) || readText(file) !== content) {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      const aside = `${file}.${process.pid}`;
      fs.writeFileSync(aside, content, { mode: 0o444 });
      fs.renameSync(aside, file);
    }
    return file;
  }

  #take(place: Mountpoint): void {
    const known = this.#held.get(place.path);
    if (known !== undefined) {
      known.users += 1;
      return;
    }
    const locks = this.#lockFolder(place);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const made = this.#exclusively(locks, () => {
      mkdirSync(locks, { recursive: true, mode: 0o700 });
      fs.writeFileSync(path.join(locks, ownName()), "");
      if (isSame(place, madeInode(locks))) return true;
      if (isLeftEmpty(place)) remove(place);
      const inode = make(place);
      if (inode === undefined) return false;
      fs.writeFileSync(path.join(locks, "made"), inode);
      return true;
    });
    this.#held.set(place.path, { users: 1, made });
    if (made) ownPlaces.add(place.path);
  }

  #release(place: Mountpoint): void {
    const held = this.#held.get(place.path);
    if (held === undefined) return;
    held.users -= 1;
    if (held.users > 0) return;
    this.#held.delete(place.path);
    ownPlaces.delete(place.path);
    const locks = this.#lockFolder(place);
    try {
      this.#exclusively(locks, () => {
        fs.rmSync(path.join(locks, ownName()), { force: true });
        if (holdersIn(locks).length > 0) return;
        if (isSame(place, madeInode(locks))) remove(place);
        fs.rmSync(locks, { recursive: true, force: true });
      });
    } catch {
      // A full disk, or a state folder that is gone: what stays is empty, and the next server removes it.
    }
  }

  #lockFolder({ path: file }: Mountpoint): string {
    return path.join(this.#folder, digest(file));
  }

  /** One server at a time looks at a place's locks and acts on what it saw. */
  #exclusively<T>(locks: string, act: () => T): T {
    const lock = `${locks}.lock`;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      try {
        fs.writeFileSync(lock, ownName(), { flag: "wx", mode: 0o600 });
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") throw error;
        if (isStale(lock)) fs.rmSync(lock, { force: true });
        else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
        continue;
      }
      try {
        return act();
      } finally {
        fs.rmSync(lock, { force: true });
      }
    }
    throw new EngineError("START_FAILED", `could not start command: ${lock} stays locked by another server`, {
      reason: "sandbox",
    });
  }
}

const ownPlaces = new Set<string>();

/** Whether listings leave it out: it is nobody's, and gone when no command runs. */
export function isOwnMountpoint(file: string): boolean {
  return ownPlaces.has(file) && isPlaceholder(file);
}

export function hasOwnMountpoints(): boolean {
  return ownPlaces.size > 0;
}

function isPlaceholder(file: string): boolean {
  const stat = entryStat(file);
  if (stat === undefined) return false;
  return stat.isDirectory() ? fs.readdirSync(file).length === 0 : stat.isFile() && stat.size <= 2;
}

function defaultFolder(): string {
  const folder = path.join(temporaryFolder(), `bosun-locks-${process.getuid?.() ?? 0}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0) return folder;
  throw new EngineError("IO_ERROR", `${folder} is somebody else's: remove it, or set TMPDIR`, {
    operation: "make a folder for locks",
  });
}

/** Its inode; undefined when there is something already, or nothing can be made there (then by no command either). */
function make({ path: file, content }: Mountpoint): string | undefined {
  let parent: Directory | undefined;
  try {
    parent = openRealDirectory(path.dirname(file), "descriptors");
    const at = parent.at(path.basename(file));
    if (content === undefined) mkdirSync(at, 0o755);
    else makeFile(parent, at, content);
    return idAt(at);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  } finally {
    parent?.[Symbol.dispose]();
  }
}

/** Whole from its first moment, also on a full disk or when we are killed: git refuses to work where `commondir` is empty. */
function makeFile(parent: Directory, at: string, content: string): void {
  const temporary = parent.at(temporaryName());
  try {
    fs.writeFileSync(temporary, content, { flag: "wx", mode: 0o444 });
    renameToFree(temporary, at, false);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** An empty file where one with content is to be: bubblewrap makes it to mount on when it outlives what had made ours. */
function isLeftEmpty({ path: file, content }: Mountpoint): boolean {
  if (content === undefined || content === "") return false;
  const stat = entryStat(file);
  return stat?.isFile() === true && stat.size === 0;
}

function remove({ path: file, content }: Mountpoint): void {
  try {
    using parent = openRealDirectory(path.dirname(file), "descriptors");
    const at = parent.at(path.basename(file));
    if (content === undefined) fs.rmdirSync(at);
    else fs.unlinkSync(at);
  } catch {
    // Somebody was faster, or has put something into it: then it is theirs.
  }
}

/** Whether the very thing that was made is still there, with what it was made with. */
function isSame({ path: file, content }: Mountpoint, inode: string | undefined): boolean {
  if (inode === undefined) return false;
  const stat = entryStat(file);
  if (stat === undefined || idAt(file) !== inode) return false;
  if (content === undefined) return stat.isDirectory() && fs.readdirSync(file).length === 0;
  return stat.isFile() && stat.size === content.length && readText(file) === content;
}

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32);
}

function madeInode(locks: string): string | undefined {
  const text = readText(path.join(locks, "made"));
  return text === "" ? undefined : text;
}

/** Locks of servers that are still there; those of others are taken out. */
function holdersIn(locks: string): string[] {
  const names = fs.readdirSync(locks).filter((name) => name !== "made");
  return names.filter((name) => {
    if (!isOver(name)) return true;
    fs.rmSync(path.join(locks, name), { force: true });
    return false;
  });
}

let realm: string | undefined;

/** Who we are: a process number, and within what it means the same process: one start of one machine, one PID namespace. */
function ownName(): string {
  realm ??= Bun.hash(
    orNothing(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")) +
      orNothing(() => readlinkSync("/proc/self/ns/pid")),
  ).toString(36);
  return `${process.pid}-${realm}`;
}

/** Its server is gone; or it was killed before it could write its name into the lock. */
function isStale(lock: string): boolean {
  const name = readText(lock);
  if (name !== "") return isOver(name);
  const stat = entryStat(lock);
  return stat !== undefined && Date.now() - stat.mtimeMs > MOST_ATTEMPTS * BUSY_MS;
}

/** Whether the server of that name is gone for certain. Of another container nothing is certain. */
function isOver(name: string): boolean {
  const [, pid, where] = /^(\d+)-(\w+)$/.exec(name) ?? [];
  const [, own] = ownName().split("-");
  if (pid === undefined) return true;
  return where === own && !isProcess(Number(pid));
}

function readText(file: string): string {
  return orNothing(() => readFileSync(file, "utf8"));
}

function orNothing(look: () => string): string {
  try {
    return look();
  } catch {
    return ""; // not there, or no such system
  }
}
