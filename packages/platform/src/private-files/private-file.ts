// Files that carry trust (settings, approvals, pins, audit): opened without following links, checked on the
// descriptor, written whole or not at all. Knows nothing of what is in them.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
  type Stats,
} from "node:fs";
import path from "node:path";
import { BosunError, codeOf } from "../errors/index.ts";
import { randomName } from "../hash/index.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
const OTHERS_MAY_WRITE = 0o022;
const OTHERS_MAY_ANYTHING = 0o077;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

export type ReadPrivateOptions = {
  maxBytes?: number;
  /** People keep their settings in a dotfiles folder behind a link; state files of ours are never links. */
  followLinks?: boolean;
  /** The file is not trusted for who wrote it but for its content (a project file, by hash). */
  anyOwner?: boolean;
};

export type PrivateText = {
  text: string;
  /** Others on this machine can read it: worth a warning when it holds a secret. */
  readableByOthers: boolean;
};

/** The text of a file that only its owner (us or root) can change; undefined when there is none. */
export function readPrivateFile(file: string, options: ReadPrivateOptions = {}): PrivateText | undefined {
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  const descriptor = openExisting(file, options.followLinks ?? false);
  if (descriptor === undefined) return undefined;
  try {
    const { mode } = options.anyOwner ? regular(descriptor, file) : checkDescriptor(descriptor, file);
    return { text: readAll(descriptor, file, maxBytes), readableByOthers: (mode & 0o044) !== 0 };
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces a file with mode 0600: old content or new content, never a mixture, never through a link. */
export function writePrivateFile(file: string, content: string | Uint8Array): void {
  makePrivateFolder(path.dirname(file));
  const temporary = `${file}.${process.pid}.${randomName(6)}.tmp`;
  const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      writeAll(descriptor, typeof content === "string" ? Buffer.from(content, "utf8") : content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file); // replaces a link planted at this name, does not write through it
  } catch (error) {
    // Half a file under a name that nobody knows would stay.
    removeQuietly(temporary);
    throw error;
  }
  syncFolder(path.dirname(file));
}

/** Opens for appending, creating it with mode 0600; refuses links, foreign files and files with a second name. */
export function openPrivateAppend(file: string): number {
  makePrivateFolder(path.dirname(file));
  let descriptor: number;
  try {
    descriptor = openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    // A link or a device under that name, or nothing we may write: in words that say which.
    throw unsafe(file, error);
  }
  try {
    const { mode } = checkDescriptor(descriptor, file);
    if ((mode & OTHERS_MAY_ANYTHING) !== 0) fchmodSync(descriptor, 0o600);
    return descriptor;
  } catch (error) {
    // Nobody gets the descriptor: it would stay open.
    closeSync(descriptor);
    throw error;
  }
}

/** Makes the folder (0700) and refuses one that others could replace things in. */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const entry = lstatSync(folder);
  if (entry.isSymbolicLink() || !entry.isDirectory()) {
    throw new BosunError("UNSAFE_FILE", `${folder} is not a plain folder: remove the link or file of that name`);
  }
  if (!isOurs(entry.uid)) throw new BosunError("UNSAFE_FILE", `${folder} belongs to another user`);
  if ((entry.mode & OTHERS_MAY_WRITE) !== 0) {
    throw new BosunError("UNSAFE_FILE", `${folder} can be changed by other users: chmod go-w ${folder}`);
  }
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(descriptor, bytes, done, bytes.length - done);
}

function openExisting(file: string, followLinks: boolean): number | undefined {
  try {
    // Non-blocking: a FIFO planted at this name must not hang the start.
    return openSync(file, O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW));
  } catch (error) {
    // Not being there is an answer; anything else is not ours to read.
    if (codeOf(error) === "ENOENT") return undefined;
    throw unsafe(file, error);
  }
}

function regular(descriptor: number, file: string): Stats {
  const stat = fstatSync(descriptor);
  if (!stat.isFile()) throw new BosunError("UNSAFE_FILE", `${file} is not a regular file`);
  return stat;
}

function checkDescriptor(descriptor: number, file: string): { mode: number } {
  const stat = regular(descriptor, file);
  if (!isOurs(stat.uid)) throw new BosunError("UNSAFE_FILE", `${file} belongs to another user`);
  // A second name could lie inside a folder that a tool may write.
  if (stat.nlink > 1) throw new BosunError("UNSAFE_FILE", `${file} has ${stat.nlink} names (hard links): copy it`);
  if ((stat.mode & OTHERS_MAY_WRITE) !== 0) {
    throw new BosunError("UNSAFE_FILE", `${file} can be changed by other users: chmod go-w ${file}`);
  }
  return { mode: stat.mode };
}

function readAll(descriptor: number, file: string, maxBytes: number): string {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    const got = readSync(descriptor, chunk, 0, chunk.length, null);
    if (got === 0) break;
    total += got;
    if (total > maxBytes) throw new BosunError("UNSAFE_FILE", `${file} is larger than ${maxBytes} bytes`);
    chunks.push(chunk.subarray(0, got));
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    // The decoder does not name the file.
    throw new BosunError("UNSAFE_FILE", `${file} is not valid UTF-8`);
  }
}

function isOurs(uid: number): boolean {
  const own = process.geteuid?.();
  return own === undefined || uid === own || uid === 0;
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // already renamed or never made
  }
}

function unsafe(file: string, error: unknown): BosunError {
  const code = codeOf(error);
  if (code === "ELOOP" || code === "EMLINK") {
    return new BosunError("UNSAFE_FILE", `${file} is a symbolic link: it must be a plain file`);
  }
  if (code === "ENXIO") return new BosunError("UNSAFE_FILE", `${file} is not a regular file`);
  return new BosunError("UNSAFE_FILE", `${file} cannot be opened: ${error instanceof Error ? error.message : code}`);
}
