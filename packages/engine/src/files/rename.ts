// Renaming on one device, either onto a name that must be free or over what is there.
import fs from "node:fs";
import type { PathLike } from "node:fs";
import { errnoOf } from "../engine-error.ts";

/** Fails with EEXIST (or ENOTEMPTY) rather than replace anything, even if it came since anybody looked. */
export function renameToFree(source: PathLike, target: PathLike, isDirectory: boolean): void {
  if (isDirectory) return renameDirectoryToFree(source, target);
  try {
    fs.linkSync(source, target);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "EPERM" && errno !== "ENOTSUP" && errno !== "EMLINK") throw error;
    // A file system without hard links: claim the name with an empty file of ours, then replace that.
    fs.closeSync(fs.openSync(target, "wx"));
    fs.renameSync(source, target);
    return;
  }
  fs.unlinkSync(source);
}

/** Renaming onto an empty directory is allowed, and mkdir says whether the name was taken. */
function renameDirectoryToFree(source: PathLike, target: PathLike): void {
  fs.mkdirSync(target);
  try {
    fs.renameSync(source, target);
  } catch (error) {
    fs.rmdirSync(target);
    throw error;
  }
}

/** Only like replaces like in one step; an empty directory, or a file in a directory's way, goes first. */
export function renameOver(source: string, target: string, kinds: { source: string; target: string }): void {
  if (kinds.target === "directory" && kinds.source !== "directory") fs.rmdirSync(target);
  if (kinds.target !== "directory" && kinds.source === "directory") fs.unlinkSync(target);
  fs.renameSync(source, target);
}
