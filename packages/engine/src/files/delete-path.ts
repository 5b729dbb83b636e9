// Deleting: a link is unlinked, never followed; a tree is emptied through descriptors, so that swapping a directory for a
// link meanwhile leads nowhere.
import fs from "node:fs";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import type { Directory } from "../scope/directory.ts";
import { refuseHolding, refuseReadOnly } from "../scope/scoped-path.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { holdsRoot } from "../scope/scope.ts";
import { TimeSlices } from "../time-slices.ts";
import { temporaryName } from "./atomic-write.ts";
import { withTwoLocks } from "./file-locks.ts";
import { refuseProtectedBelow } from "./protected-below.ts";

/** Each level holds a descriptor: deeper trees are moved up to the top before they are entered. */
const MAX_DEPTH = 64;

export type DeleteOptions = { readonly recursive: boolean; readonly signal?: AbortSignal };

/** `place` must have been resolved with `follow: false`. */
export async function deletePath(
  place: ScopedPath,
  options: DeleteOptions,
): Promise<{ deleted: "file" | "directory" }> {
  const { entry, path, shown } = place;
  const details = { path, requested: shown };
  if (holdsRoot(place.scope, path)) {
    throw new EngineError("INVALID_PATH", "an allowed directory itself cannot be deleted", {
      ...details,
      reason: "root",
    });
  }
  if (entry === undefined) throw new EngineError("NOT_FOUND", `${shown} does not exist`, details);
  refuseReadOnly(place);
  refuseHolding(place);
  return withTwoLocks(place, place, async () => {
    try {
      if (entry.kind !== "directory") {
        fs.unlinkSync(place.parent.at(place.name));
        return { deleted: "file" };
      }
      if (options.recursive) {
        await refuseProtectedBelow(place, options.signal);
        await emptyDirectory(place.parent, place.name, new TimeSlices(options.signal));
      }
      fs.rmdirSync(place.parent.at(place.name));
      return { deleted: "directory" };
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOENT") throw new EngineError("NOT_FOUND", `${shown} does not exist`, details, error);
      if (errno === "ENOTEMPTY" || errno === "EEXIST") {
        throw new EngineError("DIRECTORY_NOT_EMPTY", `${shown} is not empty`, details, error);
      }
      throw ioError("delete", shown, error, path);
    }
  });
}

/** Removes everything in the named directory, not the directory itself. */
export async function emptyDirectory(parent: Directory, name: string, slices: TimeSlices): Promise<void> {
  using top = parent.enter(name);
  const removal: Removal = { top, slices, movedUp: false };
  do {
    removal.movedUp = false;
    await emptyLevel(removal, top, 1);
  } while (removal.movedUp);
}

type Removal = { readonly top: Directory; readonly slices: TimeSlices; movedUp: boolean };

async function emptyLevel(removal: Removal, directory: Directory, depth: number): Promise<void> {
  const { slices } = removal;
  // Bytes, since names need not be UTF-8. Bun gives no types with them, so unlinking tells what is a directory.
  for (const name of fs.readdirSync(directory.self, { encoding: "buffer" })) {
    if (!unlink(directory.atBytes(name))) await removeTree(removal, directory, name, depth);
    if (slices.due) await slices.pause();
    slices.check();
  }
}

async function removeTree(removal: Removal, directory: Directory, name: Buffer, depth: number): Promise<void> {
  if (depth >= MAX_DEPTH) {
    fs.renameSync(directory.atBytes(name), removal.top.at(temporaryName()));
    removal.movedUp = true;
    return;
  }
  let inner: Directory;
  try {
    inner = directory.enter(name);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT") return;
    // No longer a directory: whatever was put there is unlinked like any entry.
    if ((errno === "ENOTDIR" || errno === "ELOOP") && unlink(directory.atBytes(name))) return;
    throw error;
  }
  using below = inner;
  await emptyLevel(removal, below, depth + 1);
  fs.rmdirSync(directory.atBytes(name));
}

/** False when it is a directory. */
function unlink(at: Buffer): boolean {
  try {
    fs.unlinkSync(at);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT") return true;
    if (errno === "EISDIR" || (errno === "EPERM" && fs.lstatSync(at).isDirectory())) return false;
    throw error;
  }
}
