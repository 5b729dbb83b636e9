// New content into the same inode, for a file with several names or in a directory one may not write in. Not atomic; but a
// full disk is met before the first old byte is gone, and an error puts the old bytes back.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { errnoOf, ioError } from "../engine-error.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { changed, isSameVersion, needFile, noFollow, pathOfEntry } from "./open-file.ts";
import { fsync } from "./fsync.ts";

const { O_RDWR, O_NONBLOCK } = fs.constants;
/** setuid, setgid, sticky. */
const SPECIAL_BITS = 0o7000n;
/** Larger old content is not kept in memory for the way back. */
const MAX_RESTORED_BYTES = 64 * 1024 * 1024;

export async function overwriteInPlace(
  place: ScopedPath,
  content: Uint8Array,
  expected: BigIntStats,
): Promise<BigIntStats> {
  const entry = needFile(place);
  let fd: number;
  try {
    fd = fs.openSync(pathOfEntry(place, entry), O_RDWR | O_NONBLOCK | noFollow(entry));
  } catch (error) {
    throw ioError("write", place.shown, error, place.path);
  }
  try {
    const before = fs.fstatSync(fd, { bigint: true });
    if (!isSameVersion(before, expected)) throw changed(place);
    dropSpecialBits(fd, before);
    replaceBytes(fd, content, Number(before.size));
    await fsync(fd);
    return fs.fstatSync(fd, { bigint: true });
  } catch (error) {
    throw ioError("write", place.shown, error, place.path);
  } finally {
    fs.closeSync(fd);
  }
}

/** As the kernel does when anybody but root writes: new content must not run with the rights the old one had. */
function dropSpecialBits(fd: number, { mode }: BigIntStats): void {
  if ((mode & SPECIAL_BITS) === 0n) return;
  try {
    fs.fchmodSync(fd, Number(mode & 0o7777n & ~SPECIAL_BITS));
  } catch (error) {
    if (errnoOf(error) !== "EPERM") throw error; // not ours: then writing drops them
  }
}

function replaceBytes(fd: number, content: Uint8Array, oldSize: number): void {
  const old = oldSize <= MAX_RESTORED_BYTES ? readAll(fd, oldSize) : undefined;
  try {
    // What lies beyond the old end needs new blocks: if there are none, the old content is still untouched.
    writeAll(fd, content, Math.min(oldSize, content.length), content.length);
    writeAll(fd, content, 0, Math.min(oldSize, content.length));
    fs.ftruncateSync(fd, content.length);
  } catch (error) {
    if (old !== undefined) writeAll(fd, old, 0, old.length);
    fs.ftruncateSync(fd, oldSize);
    throw error;
  }
}

function readAll(fd: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const got = fs.readSync(fd, bytes, filled, size - filled, filled);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

function writeAll(fd: number, bytes: Uint8Array, from: number, to: number): void {
  for (let at = from; at < to;) at += fs.writeSync(fd, bytes, at, to - at, at);
}
