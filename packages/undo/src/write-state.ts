// One state put at one path, through the opened folder above it: whole or not at all, never through a link.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import type { Directory } from "@bosun/engine";
import { codeOf } from "@bosun/platform/errors";
import { sha256 } from "@bosun/platform/hash";
import { writeAll } from "@bosun/platform/private-files";
import type { State } from "./states.ts";
import { nameOf } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";
import { placeIn } from "./tree-reader.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_NONBLOCK } = fs.constants;
/** Rights to run as somebody else are not given back. */
const PERMISSIONS = 0o777;

/** Takes away a file, a link or an empty folder. */
export function removeAt(folder: Directory, path: TreePath, isFolder: boolean): void {
  const place = placeIn(folder, nameOf(path));
  try {
    if (isFolder) fs.rmdirSync(place);
    else fs.unlinkSync(place);
  } catch (error) {
    // Gone already. A folder that somebody has put something into stays.
    if (!/^(ENOENT|ENOTEMPTY|EEXIST)$/.test(codeOf(error))) throw error;
  }
}

export function makeFolderAt(folder: Directory, path: TreePath): void {
  try {
    // Its own mode comes last: it may not be one in which anything can be made.
    fs.mkdirSync(placeIn(folder, nameOf(path)), 0o700);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

export function setModeAt(folder: Directory, path: TreePath, mode: number): void {
  const fd = fs.openSync(placeIn(folder, nameOf(path)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    fs.fchmodSync(fd, mode & PERMISSIONS);
  } finally {
    fs.closeSync(fd);
  }
}

export function makeLinkAt(folder: Directory, path: TreePath, target: Buffer): void {
  const temporary = clearTemporary(folder, path);
  fs.symlinkSync(target, temporary);
  fs.renameSync(temporary, placeIn(folder, nameOf(path)));
}

/** `replaced`: what is there now. A file with several names keeps them: it is written in place. */
export function writeFileAt(
  folder: Directory,
  path: TreePath,
  content: { readonly bytes: Buffer; readonly state: State; readonly replaced: BigIntStats | undefined },
): void {
  const { bytes, state, replaced } = content;
  const place = placeIn(folder, nameOf(path));
  if (replaced !== undefined && replaced.nlink > 1n && replaced.isFile()) {
    const fd = fs.openSync(place, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      writeAll(fd, bytes);
      fs.ftruncateSync(fd, bytes.length);
      fs.fchmodSync(fd, state.mode & PERMISSIONS);
    } finally {
      fs.closeSync(fd);
    }
    return;
  }
  const temporary = clearTemporary(folder, path);
  const fd = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeAll(fd, bytes);
    if (replaced !== undefined) keepOwner(fd, replaced);
    fs.fchmodSync(fd, state.mode & PERMISSIONS);
  } catch (error) {
    // A full disk: nothing half-written stays.
    fs.rmSync(temporary, { force: true });
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(temporary, place);
}

/** The same name each time, so that what a killed process left is found and replaced. */
function clearTemporary(folder: Directory, path: TreePath): string {
  const temporary = folder.at(`.bosun-${sha256(path.toWellFormed()).slice(0, 16)}.tmp`);
  fs.rmSync(temporary, { force: true });
  return temporary;
}

export function removeTemporary(folder: Directory, path: TreePath): void {
  clearTemporary(folder, path);
}

function keepOwner(fd: number, replaced: BigIntStats): void {
  const now = fs.fstatSync(fd, { bigint: true });
  if (now.uid === replaced.uid && now.gid === replaced.gid) return;
  try {
    fs.fchownSync(fd, Number(replaced.uid), Number(replaced.gid));
  } catch (error) {
    // Only root may give a file away.
    if (!/^(EPERM|EACCES|EINVAL)$/.test(codeOf(error))) throw error;
  }
}
