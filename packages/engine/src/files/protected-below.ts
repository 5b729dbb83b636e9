// Whether a directory tree holds something policy protects: deleting or moving the tree would get around the protection,
// since patterns are judged by path.
import fs from "node:fs";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import { joinPath } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { entryDeniedBy } from "../scope/scope.ts";
import type { Scope } from "../scope/scope.ts";
import { matchesPath } from "@bosun/platform/glob";
import { TimeSlices } from "../time-slices.ts";

/** Throws PATH_DENIED or READ_ONLY. Costs nothing without patterns. */
export async function refuseProtectedBelow(place: ScopedPath, signal?: AbortSignal): Promise<void> {
  const { scope, entry } = place;
  if (entry?.kind !== "directory" || scope.deny.length + scope.readOnly.length === 0) return;
  try {
    using top = place.parent.enter(place.name);
    await refuseIn(top, place, new TimeSlices(signal));
  } catch (error) {
    throw ioError("look into", place.shown, error, place.path);
  }
}

async function refuseIn(directory: Directory, place: ScopedPath, slices: TimeSlices): Promise<void> {
  for (const entry of entriesOf(directory)) {
    const real = joinPath(directory.path, entry.name);
    refuseProtected(place, real);
    if (entry.isDirectory()) {
      const inner = enterIfThere(directory, entry.name);
      if (inner !== undefined) {
        using below = inner;
        await refuseIn(below, place, slices);
      }
    }
    if (slices.due) await slices.pause();
    slices.check();
  }
}

function refuseProtected(place: ScopedPath, real: string): void {
  const { scope, shown } = place;
  const denied = entryDeniedBy(scope, real);
  const readOnly = denied ?? readOnlyEntry(scope, real);
  if (readOnly === undefined) return;
  const code = denied === undefined ? "READ_ONLY" : "PATH_DENIED";
  const message = `${shown} holds something that pattern "${readOnly}" protects`;
  throw new EngineError(code, message, { path: place.path, requested: shown, pattern: readOnly });
}

function readOnlyEntry(scope: Scope, real: string): string | undefined {
  return scope.readOnly.find((pattern) => matchesPath(pattern, real))?.source;
}

function entriesOf(directory: Directory): fs.Dirent[] {
  try {
    return fs.readdirSync(directory.self, { withFileTypes: true });
  } catch (error) {
    // What cannot be read cannot be emptied either: the operation itself will say so.
    if (errnoOf(error) === "EACCES") return [];
    throw error;
  }
}

/** Undefined when there is nothing below to protect. Any other failure refuses: what cannot be judged is not touched. */
function enterIfThere(directory: Directory, name: string): Directory | undefined {
  try {
    return directory.enter(name);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === "ENOENT" || errno === "ENOTDIR" || errno === "ELOOP") return undefined;
    throw error;
  }
}
