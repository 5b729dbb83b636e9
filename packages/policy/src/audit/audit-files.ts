// Which files make up an audit log: the current one, those rotated away, the head record, and the lock of its writer.
// Several programs run at once, and a chain has one writer: each takes a log of its own (audit.jsonl, audit-2.jsonl, …).
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { BosunError, codeOf } from "@bosun/platform/errors";
import { makePrivateFolder } from "@bosun/platform/private-files";
import { readProcess } from "@bosun/platform/process-tree";
import type { ChainLink } from "./audit-line.ts";
import { randomName } from "@bosun/platform/hash";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;
const MAX_LOGS = 64;
const HEAD_BYTES = 128;

/** A log that nobody else writes, held until released or until this process ends. */
export function claimLog(folder: string): { file: string; release: () => void } {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    // What is unsafe says why; a folder that cannot be made is said here, with its name.
    if (error instanceof BosunError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new BosunError(
      "AUDIT",
      `${folder} cannot be made (audit.folder in the settings names another place): ${why}`,
    );
  }
  for (let number = 1; number <= MAX_LOGS; number += 1) {
    const file = path.join(folder, number === 1 ? "audit.jsonl" : `audit-${number}.jsonl`);
    const release = claim(`${file}.lock`);
    if (release !== undefined) return { file, release };
  }
  throw new BosunError("AUDIT", `${folder}: ${MAX_LOGS} programs already write an audit log here`);
}

/** The logs of a folder, one for each program that ran at once. */
export function logsOf(folder: string): string[] {
  const names = listing(folder).map((name) => /^(audit(?:-\d+)?\.jsonl)(?:\.\d{6}|\.head)?$/.exec(name)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort().map((name) => path.join(folder, name));
}

/** Rotated files, oldest first, then the current one if it is there. */
export function filesOf(file: string): string[] {
  const base = path.basename(file);
  const all = listing(path.dirname(file));
  const rotated = all
    .filter((name) => name.startsWith(`${base}.`) && /^\d{6}$/.test(name.slice(base.length + 1)))
    .sort();
  return [...rotated, ...(all.includes(base) ? [base] : [])].map((name) => path.join(path.dirname(file), name));
}

export function rotatedName(file: string): string {
  const last = filesOf(file).findLast((name) => name !== file);
  const number = last === undefined ? 1 : Number(last.slice(-6)) + 1;
  return `${file}.${String(number).padStart(6, "0")}`;
}

/** The head record says how far the log had come: without it, lines cut off at the end would not be missed. */
export function openHead(file: string): number {
  return openSync(`${file}.head`, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

export function writeHead(descriptor: number, link: ChainLink): void {
  writeSync(descriptor, headText(link), 0, "latin1");
}

export type Head = { kind: "absent" } | { kind: "damaged" } | ({ kind: "head" } & ChainLink);

export function readHead(file: string): Head {
  let text: string;
  try {
    text = readWhole(`${file}.head`, HEAD_BYTES + 1);
  } catch (error) {
    // Never written, or no longer to be read: the verifier tells them apart.
    return codeOf(error) === "ENOENT" ? { kind: "absent" } : { kind: "damaged" };
  }
  if (text === "") return { kind: "absent" };
  const found = /^\{"n":(\d{1,15}),"h":"([0-9a-f]{64})"\} *\n$/.exec(text);
  const link = { n: Number(found?.[1]), hash: found?.[2] ?? "" };
  return found === null || headText(link) !== text ? { kind: "damaged" } : { kind: "head", ...link };
}

/** Lines with the byte where each begins; a last one without line feed is marked. Memory: one line. */
export function* linesOf(
  file: string,
  maxChars: number,
  from = 0,
): Generator<{ line: string; at: number; ended: boolean }> {
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new BosunError("UNSAFE_FILE", `${file} is not a regular file`);
    const chunk = Buffer.alloc(64 * 1024);
    let held = Buffer.alloc(0);
    let at = from;
    for (let read = from; ;) {
      const got = readSync(descriptor, chunk, 0, chunk.length, read);
      if (got === 0) break;
      read += got;
      held = Buffer.concat([held, chunk.subarray(0, got)]);
      let start = 0;
      for (let end = held.indexOf(0x0a); end >= 0; end = held.indexOf(0x0a, start)) {
        yield { line: textOf(held.subarray(start, end)), at: at + start, ended: true };
        start = end + 1;
      }
      held = held.subarray(start);
      at += start;
      if (held.length > maxChars * 4) throw new BosunError("AUDIT", `${file}: a line at byte ${at} is too long`);
    }
    if (held.length > 0) yield { line: textOf(held), at, ended: false };
  } finally {
    closeSync(descriptor);
  }
}

// Latin-1 for what is not UTF-8: a changed byte must change the text, never be folded into U+FFFD.
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: said above.
    return `\u0000${bytes.toString("latin1")}`;
  }
}

function headText(link: ChainLink): string {
  return `${JSON.stringify({ n: link.n, h: link.hash }).padEnd(HEAD_BYTES - 1)}\n`;
}

function claim(lock: string): (() => void) | undefined {
  const mine = `${process.pid} ${startOf(process.pid)} ${randomName(8)}\n`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (createLock(lock, mine)) return () => removeLock(lock, mine);
    const holder = readLock(lock);
    if (holder === undefined) continue; // just released
    if (isAlive(holder)) return undefined;
    // Its writer died. Move that lock away, and give it back if another program was faster and it is not the dead one.
    const aside = `${lock}.${randomName(6)}`;
    try {
      renameSync(lock, aside);
      // Never over the lock of somebody who came in between.
      if (readLock(aside) !== holder) linked(aside, lock);
      unlinkSync(aside);
    } catch (error) {
      // Gone: its holder, or somebody who looked too, has removed it.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
  return undefined;
}

// Written aside and then linked: a lock that is there has its holder's name in it. An empty one, seen by another program
// that starts in the same moment, would look like that of a dead writer.
function createLock(lock: string, text: string): boolean {
  const aside = `${lock}.${randomName(6)}`;
  try {
    const descriptor = openSync(aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    writeSync(descriptor, text);
    closeSync(descriptor);
    return linked(aside, lock);
  } catch (error) {
    // Nothing may run unrecorded: whoever opens the log must hear of it.
    throw new BosunError("AUDIT", `${lock} cannot be made: ${error instanceof Error ? error.message : "unknown"}`);
  } finally {
    rmSync(aside, { force: true });
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    // Somebody else was first.
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function removeLock(lock: string, mine: string): void {
  if (readLock(lock) !== mine) return;
  try {
    unlinkSync(lock);
  } catch {
    // gone already
  }
}

function readLock(lock: string): string | undefined {
  try {
    return readWhole(lock, 256);
  } catch {
    // None, or one that is being removed.
    return undefined;
  }
}

function isAlive(holder: string): boolean {
  const [pid, start] = holder.split(" ");
  const number = Number(pid);
  if (!Number.isSafeInteger(number) || number <= 0) return false;
  try {
    process.kill(number, 0);
  } catch (error) {
    // EPERM: it lives, as another user.
    if (codeOf(error) === "ESRCH") return false;
  }
  // Process ids are used again: the start time tells the old holder from a stranger.
  return start === startOf(number);
}

function startOf(pid: number): string {
  const row = readProcess(pid);
  // A zombie has ended, whatever its parent does about it.
  return row?.zombie === true ? "ended" : (row?.started ?? "-");
}

function readWhole(file: string, maxBytes: number): string {
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(maxBytes);
    return bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, maxBytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

function listing(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // The folder is made with the first record.
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
