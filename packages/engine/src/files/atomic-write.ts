// New content for a file such that a crash, a kill or a full disk at any point leaves the old file or the new one, whole:
// a sibling is written, synced and renamed over it. The caller holds the file's lock.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { errnoOf, ioError } from "../engine-error.ts";
import type { Directory, Entry } from "../scope/directory.ts";
import { closeEntry } from "../scope/directory.ts";
import { refuseHeldFile } from "../scope/scoped-path.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { overwriteInPlace } from "./overwrite-in-place.ts";
import { changed, isSameVersion, pathOfEntry } from "./open-file.ts";
import { randomHex } from "../random-hex.ts";
import { fsync } from "./fsync.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
const NEW_FILE_MODE = 0o644; // the umask applies
/** All that new content gets of an old file's mode: it must not run with rights that were given to the old one. */
const PERMISSIONS = 0o777;
const SPECIAL_BITS = 0o6000; // setuid, setgid: not for a directory whose owner we could not keep
const PIECE_BYTES = 1024 * 1024;

export type Commit = {
  readonly content: Uint8Array;
  /** What the new content was made from: if the file is another one by now, nothing is written. */
  readonly expected?: BigIntStats;
};

/** Writes and returns the stat of the file as it is now. */
export async function commit(
  place: ScopedPath,
  parent: Directory,
  { content, expected }: Commit,
): Promise<BigIntStats> {
  const { entry } = place;
  // Again, since the place was looked at again: a protected file may have got this name meanwhile.
  refuseHeldFile(place);
  if (entry !== undefined) refuseWriteProtected(place, entry);
  if (entry !== undefined && entry.stat.nlink > 1n)
    return commitToHardLinked(place, parent, { content, expected: expected ?? entry.stat });
  const temporary = temporaryName();
  let fd: number;
  try {
    fd = createSibling(parent, temporary);
  } catch (error) {
    // A directory one may not write in can still hold a file one may: the only way is in place.
    if (entry !== undefined && isForbidden(error)) return overwriteInPlace(place, content, expected ?? entry.stat);
    throw ioError("write", place.shown, error, place.path);
  }
  try {
    await fill(fd, content, entry?.stat);
    if (expected !== undefined) refuseIfChanged(place, parent, expected);
    fs.renameSync(parent.at(temporary), parent.at(place.name));
    await syncDirectory(parent);
    return fs.fstatSync(fd, { bigint: true });
  } catch (error) {
    removeQuietly(parent, temporary);
    if (entry !== undefined && isForbidden(error)) return overwriteInPlace(place, content, expected ?? entry.stat);
    throw ioError("write", place.shown, error, place.path);
  } finally {
    fs.closeSync(fd);
  }
}

/** A rename asks nobody whether the file itself may be written: one that its owner has protected stays as it is. */
function refuseWriteProtected(place: ScopedPath, entry: Entry): void {
  try {
    fs.accessSync(pathOfEntry(place, entry), fs.constants.W_OK);
  } catch (error) {
    throw ioError("write", place.shown, error, place.path);
  }
}

/**
 * Renaming would part the names. In place a kill can leave a mixture, so the new content first stands complete in a
 * sibling that stays behind if we are killed.
 */
async function commitToHardLinked(
  place: ScopedPath,
  parent: Directory,
  { content, expected }: Required<Commit>,
): Promise<BigIntStats> {
  const temporary = temporaryName();
  let spare: number | undefined;
  try {
    spare = createSibling(parent, temporary);
  } catch (error) {
    if (!isForbidden(error)) throw ioError("write", place.shown, error, place.path);
  }
  try {
    if (spare !== undefined) await fill(spare, content, undefined);
    return await overwriteInPlace(place, content, expected);
  } catch (error) {
    throw ioError("write", place.shown, error, place.path);
  } finally {
    if (spare !== undefined) {
      fs.closeSync(spare);
      removeQuietly(parent, temporary);
    }
  }
}

/** A name nobody has, in the same directory, so that the rename stays on one device. */
export function temporaryName(): string {
  return `.bosun-${randomHex(8)}.tmp`;
}

function createSibling(parent: Directory, name: string): number {
  const fd = fs.openSync(parent.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, NEW_FILE_MODE);
  parent.verify();
  return fd;
}

async function fill(fd: number, content: Uint8Array, model: BigIntStats | undefined): Promise<void> {
  for (let at = 0; at < content.length;) {
    at += fs.writeSync(fd, content, at, Math.min(PIECE_BYTES, content.length - at), at);
  }
  if (model !== undefined) copyOwnerAndMode(fd, model);
  await fsync(fd);
}

export function copyOwnerAndMode(fd: number, model: BigIntStats): void {
  const now = fs.fstatSync(fd, { bigint: true });
  const kept =
    (now.uid === model.uid && now.gid === model.gid) || changeOwner(fd, Number(model.uid), Number(model.gid));
  // Only root may give a file away, but a group one belongs to can be kept.
  if (!kept && now.gid !== model.gid) changeOwner(fd, Number(now.uid), Number(model.gid));
  const mode = Number(model.mode) & 0o7777;
  // After the owner: changing it clears the special bits.
  fs.fchmodSync(fd, model.isDirectory() ? (kept ? mode : mode & ~SPECIAL_BITS) : mode & PERMISSIONS);
}

function changeOwner(fd: number, uid: number, gid: number): boolean {
  try {
    fs.fchownSync(fd, uid, gid);
    return true;
  } catch (error) {
    if (isForbidden(error) || errnoOf(error) === "EINVAL") return false;
    throw error;
  }
}

function refuseIfChanged(place: ScopedPath, parent: Directory, expected: BigIntStats): void {
  const now = parent.look(place.name);
  closeEntry(now);
  if (now === undefined || !isSameVersion(now.stat, expected)) throw changed(place);
}

function isForbidden(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === "EACCES" || errno === "EPERM" || errno === "EROFS";
}

function removeQuietly(parent: Directory, name: string): void {
  try {
    fs.unlinkSync(parent.at(name));
  } catch {
    // It was renamed already, or the disk is beyond help: the error that brought us here matters more.
  }
}

/** Makes the rename survive a crash. */
async function syncDirectory(parent: Directory): Promise<void> {
  let fd: number;
  try {
    fd = fs.openSync(parent.self, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
  } catch {
    return; // one may write in it but not read it: then nobody can sync it
  }
  try {
    await fsync(fd);
  } catch (error) {
    if (errnoOf(error) !== "EINVAL") throw error;
  } finally {
    fs.closeSync(fd);
  }
}
