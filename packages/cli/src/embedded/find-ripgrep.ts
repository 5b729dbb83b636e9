// ripgrep inside the executable: unpacked once, under the name of its own hash, into the state folder that no tool can
// write. scripts/build.ts puts this module in the place of the engine's search for the npm package.
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { foldersOf, homeOf } from "@bosun/settings";
import { file as embedded, sha256 as expected } from "./ripgrep-file.js";

let unpacked: string | undefined;

/** The same contract as the engine's: an explicit path first. */
export function findRipgrep(override?: string): string {
  if (override !== undefined) return override;
  unpacked ??= unpack();
  return unpacked;
}

function unpack(): string {
  const state = foldersOf(process.env, homeOf(process.env)).state;
  try {
    return unpackInto(path.join(state, "bin"));
  } catch {
    // A state folder that cannot be written, or that others own: for this run only, then.
    return unpackForNow();
  }
}

/** Where the system can run an open file, its name is gone at once: nobody can change it, and nothing is left behind. */
function unpackForNow(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "bosun-rg-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const file = unpackInto(folder);
  if (process.platform === "linux") {
    const descriptor = openSync(file, constants.O_RDONLY);
    remove();
    return `/proc/${process.pid}/fd/${descriptor}`;
  }
  process.once("exit", remove);
  return file;
}

function unpackInto(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  refuseForeign(folder);
  const suffix = process.platform === "win32" ? ".exe" : "";
  const file = path.join(folder, `rg-${expected.slice(0, 16)}${suffix}`);
  if (isIntact(file)) return file;
  const bytes = readFileSync(embedded);
  if (hashOf(bytes) !== expected) throw new Error("the ripgrep inside this executable is damaged");
  const aside = `${file}.${process.pid}.${crypto.randomUUID().slice(0, 8)}`;
  const descriptor = openSync(aside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o700);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(aside, 0o700); // whatever the umask
  renameSync(aside, file);
  return file;
}

/** Only a regular file of ours that still has the content it is named for. */
function isIntact(file: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // Not there, or a link: unpacked again.
    return false;
  }
  try {
    const stat = fstatSync(descriptor);
    const isOurs = process.platform === "win32" || ((stat.mode & 0o777) === 0o700 && stat.uid === process.getuid?.());
    return stat.isFile() && isOurs && hashOf(readFileSync(descriptor)) === expected;
  } finally {
    closeSync(descriptor);
  }
}

function refuseForeign(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const { uid, mode } = fstatSync(descriptor);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${folder} can be written by others`);
  } finally {
    closeSync(descriptor);
  }
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
