// Files nobody else can name: created in a private folder, unlinked while open, gone when their descriptor closes,
// whatever happens to us.
import { readProcess } from "@bosun/platform/process-tree";
import fs, { accessSync, closeSync, mkdtempSync, openSync, statSync, unlinkSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EngineError, errnoOf } from "../engine-error.ts";
import { randomHex } from "../random-hex.ts";
import { pause } from "./timers.ts";

/** Where TMPDIR points, or the usual places when it points nowhere. Never below the current folder: that is the agent's. */
export function temporaryFolder(): string {
  const usable = [tmpdir(), "/tmp", "/var/tmp"].find(isUsable);
  if (usable !== undefined) return usable;
  throw new EngineError("IO_ERROR", `no temporary folder can be written: not ${tmpdir()} (TMPDIR), /tmp or /var/tmp`, {
    operation: "make a temporary folder",
  });
}

function isUsable(folder: string): boolean {
  if (!path.isAbsolute(folder)) return false;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    // What the kernel makes up says it can be written, and cannot.
    return statSync(folder).isDirectory() && !/^\/(proc|sys)(\/|$)/.test(folder);
  } catch {
    return false; // not there, or not writable
  }
}

/** A folder only we can enter. Its name says whose it is, for `sweepFolders`. */
export function makePrivateFolder(): string {
  return mkdtempSync(path.join(temporaryFolder(), `bosun-${process.pid}-`));
}

// The age is for process numbers of another container that shares the folder: a server there may be alive unseen.
const STALE_MS = 24 * 60 * 60 * 1000;
const ATTEMPTS = 10;

/** Removes the folders of servers that were killed, a day after. */
export async function sweepFolders(within = temporaryFolder()): Promise<void> {
  // Taken here: loading the promises of node:fs costs memory that many servers never need.
  const { lstat, readdir, rm } = fs.promises;
  for (const name of await readdir(within).catch(() => [])) {
    const owner = /^bosun-(\d+)-\w{6}$/.exec(name)?.[1];
    if (owner === undefined || isProcess(Number(owner))) continue;
    const folder = path.join(within, name);
    const found = await lstat(folder).catch(() => undefined);
    const ours = found?.isDirectory() === true && found.uid === process.getuid?.();
    if (ours && Date.now() - found.mtimeMs > STALE_MS)
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whether one with that number runs. One that ended and that nobody has waited for yet does not: in a container without an
 * init it stays for good. */
export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readProcess(pid)?.zombie !== true;
  } catch (error) {
    return errnoOf(error) !== "ESRCH";
  }
}

/** A descriptor for reading and appending to a new file that has no name any more. */
export function openNamelessFile(folder: string): number {
  const name = path.join(folder, randomHex(12));
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

/** Until it is gone: when somebody else removes a part of it meanwhile, Bun takes that for the end and leaves the rest. */
export async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await fs.promises.rm(folder, { recursive: true, force: true }).catch(() => undefined);
    if (!fs.existsSync(folder)) return;
    await pause(attempt * 10);
  }
}
