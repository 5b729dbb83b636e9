// Moving: the link itself, not what it leads to; without `overwrite` nothing is ever replaced, not even in a race.
import fs from "node:fs";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import { closeEntry } from "../scope/directory.ts";
import type { Directory, Entry } from "../scope/directory.ts";
import { refuseHolding, refuseReadOnly } from "../scope/scoped-path.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { holdsRoot, isWithin } from "../scope/scope.ts";
import { TimeSlices } from "../time-slices.ts";
import { temporaryName } from "./atomic-write.ts";
import { copyTree } from "./copy-tree.ts";
import { emptyDirectory } from "./delete-path.ts";
import { withTwoLocks } from "./file-locks.ts";
import { makeParents } from "./make-directories.ts";
import { refuseProtectedBelow } from "./protected-below.ts";
import { renameOver, renameToFree } from "./rename.ts";

export type MoveOptions = { readonly overwrite: boolean; readonly signal?: AbortSignal };

/** Both places must have been resolved with `follow: false` and `writing: true`. Parents of `to` are made. */
export async function movePath(
  from: ScopedPath,
  to: ScopedPath,
  options: MoveOptions,
): Promise<{ overwritten: boolean }> {
  const { entry } = from;
  if (entry === undefined) throw failure("NOT_FOUND", from, "does not exist");
  refuseImpossible(from, entry, to);
  refuseReadOnly(from);
  refuseReadOnly(to);
  if (from.path === to.path) return { overwritten: false };
  refuseHolding(from);
  refuseHolding(to);
  await refuseProtectedBelow(from, options.signal);
  return withTwoLocks(from, to, async () => {
    using parent = makeParents(to);
    const there = parent.look(to.name);
    closeEntry(there);
    if (there !== undefined && !options.overwrite) throw failure("ALREADY_EXISTS", to, "already exists");
    if (there !== undefined && to.directoryOnly && entry.kind !== "directory")
      throw failure("NOT_DIRECTORY", from, "is no directory");
    try {
      await moveEntry(
        { directory: from.parent, name: from.name, entry },
        { directory: parent, name: to.name, there },
        options,
      );
    } catch (error) {
      throw explain(error, from, to);
    }
    parent.sync();
    from.parent.sync();
    return { overwritten: there !== undefined };
  });
}

type Source = { readonly directory: Directory; readonly name: string; readonly entry: Entry };
type Target = { readonly directory: Directory; readonly name: string; readonly there: Entry | undefined };

async function moveEntry(source: Source, target: Target, options: MoveOptions): Promise<void> {
  const { there } = target;
  if (there !== undefined && there.stat.dev === source.entry.stat.dev && there.stat.ino === source.entry.stat.ino) {
    moveOntoItself(source, target);
    return;
  }
  try {
    rename(source, target);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw error;
    await moveAcross(source, target, options);
  }
}

/** Two names of one file: rename would do nothing and leave both. One name, spelled in another case: only rename may. */
function moveOntoItself(source: Source, target: Target): void {
  const { kind, stat } = source.entry;
  if (kind !== "directory" && stat.nlink > 1n) fs.unlinkSync(source.directory.at(source.name));
  else fs.renameSync(source.directory.at(source.name), target.directory.at(target.name));
}

function rename(source: Source, target: Target): void {
  const from = source.directory.at(source.name);
  const to = target.directory.at(target.name);
  const { kind } = source.entry;
  if (target.there === undefined) renameToFree(from, to, kind === "directory");
  else renameOver(from, to, { source: kind, target: target.there.kind });
}

/** Between devices: a copy made aside, renamed into place when complete; only then does the source go. */
async function moveAcross(source: Source, target: Target, options: MoveOptions): Promise<void> {
  const slices = new TimeSlices(options.signal);
  const aside = temporaryName();
  try {
    await copyTree(source.directory, Buffer.from(source.name), target.directory, Buffer.from(aside), slices);
    rename({ ...source, directory: target.directory, name: aside }, target);
  } catch (error) {
    await discard(target.directory, aside, source.entry.kind === "directory");
    throw error;
  }
  await discard(source.directory, source.name, source.entry.kind === "directory");
}

async function discard(directory: Directory, name: string, isDirectory: boolean): Promise<void> {
  try {
    if (isDirectory) {
      await emptyDirectory(directory, name, new TimeSlices());
      fs.rmdirSync(directory.at(name));
    } else {
      fs.unlinkSync(directory.at(name));
    }
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw error;
  }
}

function refuseImpossible(from: ScopedPath, entry: Entry, to: ScopedPath): void {
  if (holdsRoot(from.scope, from.path)) throw failure("INVALID_PATH", from, "is an allowed directory itself", "root");
  if (holdsRoot(to.scope, to.path)) throw failure("INVALID_PATH", to, "is an allowed directory itself", "root");
  if (from.path !== to.path && entry.kind === "directory" && isWithin(from.path, to.path)) {
    throw failure("INVALID_PATH", to, `lies inside ${from.shown}`, "subtree");
  }
  if (to.entry === undefined && to.directoryOnly && entry.kind !== "directory") {
    throw failure("NOT_DIRECTORY", to, "ends in a slash, but what is moved is no directory");
  }
}

function explain(error: unknown, from: ScopedPath, to: ScopedPath): EngineError {
  const errno = errnoOf(error);
  if (errno === "EEXIST") return failure("ALREADY_EXISTS", to, "already exists");
  if (errno === "ENOTEMPTY") return failure("DIRECTORY_NOT_EMPTY", to, "is a directory that is not empty");
  if (errno === "ENOENT") return failure("NOT_FOUND", from, "does not exist");
  if (errno === "EINVAL") return failure("INVALID_PATH", to, `lies inside ${from.shown}`, "subtree");
  return ioError("move", from.shown, error, from.path);
}

function failure(
  code: "NOT_FOUND" | "ALREADY_EXISTS" | "DIRECTORY_NOT_EMPTY" | "NOT_DIRECTORY" | "INVALID_PATH",
  place: ScopedPath,
  what: string,
  reason?: string,
): EngineError {
  const details = { path: place.path, requested: place.shown, ...(reason === undefined ? {} : { reason }) };
  return new EngineError(code, `${place.shown} ${what}`, details);
}
