// Files of the command line: `-` is standard input or output, reads are bounded, writes are all or nothing.

import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { lstat, open, realpath, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { readHeader } from "../header.ts";
import type { BcpIo } from "./io.ts";
import { mostInputBytes } from "./read-limits.ts";

const { O_WRONLY, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
const STANDARD = "-";
const MIN_READ_BYTES = 4 * 1024;
const MAX_READ_BYTES = 1024 * 1024;
const MAGIC_BYTES = 8;

/**
 * All bytes of a file or of standard input. Throws what the system throws. `before` is how much the run has read already:
 * what may be read is counted together.
 */
export async function readInput(io: BcpIo, file: string, before = 0): Promise<Uint8Array> {
  return collect(await openInput(io, file, before), () => true);
}

/** The same, with what tells this file from all others, by whatever name it was opened. */
export async function readIdentified(
  io: BcpIo,
  file: string,
  before: number,
): Promise<{ bytes: Uint8Array; id: string }> {
  const input = await openInput(io, file, before);
  return { bytes: await collect(input, () => true), id: input.id };
}

/** The same for a payload: what does not begin like one is not read to its end, which may never come. */
export async function readPayload(io: BcpIo, file: string): Promise<Uint8Array> {
  return collect(await openInput(io, file, 0), looksLikePayload);
}

/** What goes into a file: bytes, or something that writes them, again if it has to. */
export type Content = Uint8Array | ((write: (chunk: Uint8Array) => Promise<void>) => Promise<void>);

/** Writes a whole file or nothing: a reader never sees half of it, and a failed write leaves the old one. */
export async function writeOutput(io: BcpIo, file: string, content: Content): Promise<void> {
  if (file === STANDARD) return fill(content, async (chunk) => io.stdout(chunk));
  const wanted = await locate(io, file, "write");
  // A host has judged this very name: what became a link since then is replaced, not followed.
  if (io.resolvePath) return replace(wanted, await lstat(wanted).catch(() => undefined), content);
  const existing = await stat(wanted).catch(() => undefined);
  // A device or a pipe is written to, not replaced.
  if (existing && !existing.isFile()) return writeInto(wanted, "w", content);
  // A link keeps pointing at what it points at. One that points nowhere is created through, as `open` would do.
  const isLink = await lstat(wanted).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  if (isLink && !existing) return writeInto(wanted, "w", content);
  return replace(isLink ? await realpath(wanted) : wanted, existing, content);
}

async function replace(target: string, existing: Stats | undefined, content: Content): Promise<void> {
  const mode = existing?.isFile() ? existing.mode & 0o777 : undefined;
  // Not named after the target, whose name may be as long as a name can be.
  const temporary = path.join(path.dirname(target), `.bcp-${crypto.randomUUID()}.tmp`);
  try {
    await writeInto(temporary, "wx", content, mode);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    // A file that may be written in a folder that may not: then there is only the plain way.
    if (existing?.isFile() && isRefused(error)) {
      return writeInto(target, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, content);
    }
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
}

export function isStandard(file: string): boolean {
  return file === STANDARD;
}

async function locate(io: BcpIo, file: string, access: "read" | "write"): Promise<string> {
  // No name is no file; resolved, it would be the current folder.
  if (file === "") throw Object.assign(new Error("an empty name"), { code: "ENOENT" });
  return io.resolvePath ? io.resolvePath(file, access) : path.resolve(io.cwd, file);
}

/** `size` is what to expect, 0 where nobody knows; `check` throws if there is too much. */
type Input = {
  readonly id: string;
  readonly size: number;
  check(bytes: number): void;
  chunks(): AsyncIterable<Uint8Array>;
};

async function openInput(io: BcpIo, file: string, before: number): Promise<Input> {
  const most = mostInputBytes(io.limits);
  const check = (bytes: number): void => {
    if (before + bytes <= most) return;
    throw new Error(`input is larger than ${most} bytes${before > 0 ? ", with what was read before it" : ""}`);
  };
  if (file === STANDARD) return { id: STANDARD, size: 0, check, chunks: () => io.stdin };
  const handle = await open(await locate(io, file, "read"), "r");
  const { size, dev, ino } = await handle.stat();
  try {
    check(size);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    id: `${dev}:${ino}`,
    size,
    check,
    async *chunks() {
      const chunk = new Uint8Array(Math.min(Math.max(size, MIN_READ_BYTES), MAX_READ_BYTES));
      try {
        for (;;) {
          io.signal?.throwIfAborted();
          const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
          if (bytesRead === 0) return;
          yield chunk.subarray(0, bytesRead);
        }
      } finally {
        await handle.close();
      }
    },
  };
}

async function collect(input: Input, goesOn: (start: Uint8Array) => boolean): Promise<Uint8Array> {
  let all = new Uint8Array(input.size);
  let length = 0;
  for await (const chunk of input.chunks()) {
    input.check(length + chunk.length);
    if (length + chunk.length > all.length) {
      const larger = new Uint8Array(Math.max(all.length * 2, length + chunk.length));
      larger.set(all.subarray(0, length));
      all = larger;
    }
    all.set(chunk, length);
    const judged = length < MAGIC_BYTES && length + chunk.length >= MAGIC_BYTES;
    length += chunk.length;
    if (judged && !goesOn(all.subarray(0, MAGIC_BYTES))) break;
  }
  return all.subarray(0, length);
}

function looksLikePayload(start: Uint8Array): boolean {
  try {
    readHeader(start);
    return true;
  } catch {
    return false;
  }
}

async function fill(content: Content, write: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  await (typeof content === "function" ? content(write) : write(content));
}

async function writeInto(file: string, flags: number | "w" | "wx", content: Content, mode?: number): Promise<void> {
  const handle = await open(file, flags);
  try {
    // Not when opening: there the umask would take its share of a mode that the file had already.
    if (mode !== undefined) await handle.chmod(mode);
    // Goes on where the last one ended.
    await fill(content, (chunk) => handle.writeFile(chunk));
    if (flags === "wx") await handle.sync();
  } finally {
    await handle.close();
  }
}
