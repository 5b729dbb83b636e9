// Small JSON files in the state folder: read whole, changed under a lock, written whole or not at all.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { parseExactly } from "@bosun/platform/json";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAX_BYTES = 8 * 1024 * 1024;
/** A lock this old was left by a program that was killed. */
const STALE_LOCK_MS = 10_000;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 25;

/** Where the proxy keeps what should survive it. */
export async function stateFolder(): Promise<string> {
  const { foldersOf, homeOf } = await import("@bosun/settings/locations");
  return foldersOf(process.env, homeOf(process.env)).state;
}

/** The JSON in the file; undefined when there is none, or none that can be read. */
export function readJson(file: string): unknown {
  let descriptor: number;
  try {
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    return undefined; // there is none, or a link stands in its place
  }
  try {
    const { size } = fstatSync(descriptor);
    return size > MAX_BYTES ? undefined : parseExactly(readFileSync(descriptor, "utf8"));
  } catch {
    return undefined; // damaged: what is kept in these files can be gathered again
  } finally {
    closeSync(descriptor);
  }
}

/** Reads, changes and writes; programs that do this at the same time take turns. */
export async function changeJson(file: string, change: (value: unknown) => unknown): Promise<void> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  await takeLock(lock);
  try {
    writeWhole(file, `${JSON.stringify(change(readJson(file)), undefined, 1)}\n`);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Old content or new content, never a mixture, never through a link. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.${process.pid}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      writeFileSync(descriptor, content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    // Nothing of a failed write stays.
    rmSync(temporary, { force: true });
    throw error;
  }
}

async function takeLock(lock: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      closeSync(openSync(lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
      return;
    } catch (error) {
      // Another program holds the lock: it is waited for.
      const taken = error instanceof Error && "code" in error && error.code === "EEXIST";
      if (!taken || attempt === LOCK_TRIES) throw error;
      const left = lstatSync(lock, { throwIfNoEntry: false });
      if (left && Date.now() - left.mtimeMs > STALE_LOCK_MS) rmSync(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  }
}
