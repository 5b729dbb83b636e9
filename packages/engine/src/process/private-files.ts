// Files nobody else can name: created in a private folder, unlinked while open, gone when their descriptor closes,
// whatever happens to us.
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomBytes } from "node:crypto";

/** A folder only we can enter. */
export function makePrivateFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "bosun-"));
}

/** A descriptor for reading and appending to a new file that has no name any more. */
export function openNamelessFile(folder: string): number {
  const name = path.join(folder, randomBytes(12).toString("hex"));
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_NOFOLLOW;
  const fd = openSync(name, flags, 0o600);
  unlinkSync(name);
  return fd;
}

/** Closes a descriptor that may be closed already. */
export function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // EBADF: somebody was faster. There is nothing left to do.
  }
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
