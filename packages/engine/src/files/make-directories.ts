// Directories made one component at a time, each below a descriptor that was verified: never by a whole path.
import fs from "node:fs";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import type { Directory } from "../scope/directory.ts";
import { refuseReadOnly } from "../scope/scoped-path.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";

const DIRECTORY_MODE = 0o755; // the umask applies

/** Makes the directory. `created` is false when it was there already. */
export function makeDirectory(place: ScopedPath, options: { readonly recursive: boolean }): { created: boolean } {
  const { entry, path, shown } = place;
  const details = { path, requested: shown };
  if (entry?.kind === "directory") return { created: false };
  if (entry !== undefined) throw new EngineError("ALREADY_EXISTS", `${shown} exists and is not a directory`, details);
  if (place.missingParents.length > 0 && !options.recursive) {
    throw new EngineError("NOT_FOUND", `the parent directory of ${shown} does not exist`, details);
  }
  refuseReadOnly(place);
  using parent = makeParents(place);
  try {
    fs.mkdirSync(parent.at(place.name), { mode: DIRECTORY_MODE });
    parent.verify();
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return madeMeanwhile(parent, place);
    throw ioError("create directory", shown, error, path);
  }
  parent.sync();
  return { created: true };
}

/** The real parent of a place, made if need be. The caller disposes of it. */
export function makeParents(place: ScopedPath): Directory {
  let directory = place.parent.lend();
  for (const name of place.missingParents) {
    using outer = directory;
    directory = enterOrMake(outer, name, place);
    outer.sync();
  }
  return directory;
}

function enterOrMake(outer: Directory, name: string, place: ScopedPath): Directory {
  try {
    fs.mkdirSync(outer.at(name), { mode: DIRECTORY_MODE });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw ioError("create directories for", place.shown, error, place.path);
  }
  try {
    return outer.enter(name);
  } catch (error) {
    // Somebody put a file or a link there since we looked: it is not followed.
    if (errnoOf(error) === "ENOTDIR" || errnoOf(error) === "ELOOP") {
      const details = { path: place.path, requested: place.shown };
      throw new EngineError("NOT_DIRECTORY", `a part of ${place.shown} is not a directory`, details, error);
    }
    throw ioError("create directories for", place.shown, error, place.path);
  }
}

function madeMeanwhile(parent: Directory, place: ScopedPath): { created: boolean } {
  try {
    using made = parent.enter(place.name);
    return { created: made.path === "" };
  } catch (error) {
    const details = { path: place.path, requested: place.shown };
    throw new EngineError("ALREADY_EXISTS", `${place.shown} exists and is not a directory`, details, error);
  }
}
