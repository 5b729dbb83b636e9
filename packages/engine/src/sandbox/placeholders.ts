// Empty folders that hold the place of protected files while commands run, and go when none does: a mount needs something
// to stand on, and what is absent could otherwise be created. Folders, because nobody minds an empty one: git does not
// see it, and what copies or searches a tree walks through it. An empty file would be added and committed.
//
// Several servers may work in one folder. A mount is gone from a place that somebody else removes, so whoever needs one
// puts an empty folder with its name in: the place cannot be removed before the last has taken its name out again.
// An empty folder may be somebody's own or a place that is just being made or removed. Who finds one puts in a name that
// does not claim it; who then cannot remove the place makes that name a claim: the last one with a claim removes it.
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import path from "node:path";
import { errnoOf } from "../failure.ts";
import { asClaim, isClaim, isHolder, isOver, ownClaim, ownGuest } from "./holders.ts";

type Held = {
  users: number;
  /** Of the folder; undefined when there is something real at the place, or nothing can be made there. */
  readonly inode: number | undefined;
  /** Whether it is known to be there only for this. */
  readonly isPlace: boolean;
};

const held = new Map<string, Held>();
/** Every place that was ever needed here: other servers may hold it when we do not. */
const known = new Set<string>();
/** Each time somebody else has just removed it. */
const ATTEMPTS = 20;

export function knowsAnyPlace(): boolean {
  return known.size > 0;
}

/** Whether it is a place that is held, so that listings leave out what is nobody's. */
export function isHeldPlace(file: string): boolean {
  return known.has(file) && isPlace(file);
}

/** Makes the places and returns the way to let go of them. */
export function holdPlaces(files: readonly string[]): () => void {
  for (const file of files) {
    const entry = held.get(file) ?? enter(file);
    entry.users += 1;
    held.set(file, entry);
    known.add(file);
  }
  let released = false;
  return () => {
    if (released) return;
    released = true;
    for (const file of files) release(file);
  };
}

/** Whether what is there only holds the place, and for us, too. */
export function isOurPlace(file: string): boolean {
  if (held.get(file)?.isPlace !== true) return false;
  const names = namesIn(file);
  return Array.isArray(names) && names.includes(ownClaim()) && names.every(isHolder);
}

/** Whether what is there only holds the place, for us or for another server. */
export function isPlace(file: string): boolean {
  const names = namesIn(file);
  return Array.isArray(names) && names.some(isClaim) && names.every(isHolder);
}

/** A folder with nothing in it: somebody's own, or a place in the moment between its making and its first claim. */
export function isEmptyFolder(file: string): boolean {
  const names = namesIn(file);
  return Array.isArray(names) && names.every((name) => isHolder(name) && !isClaim(name));
}

function enter(file: string): Held {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const made = makeFolder(file);
    const names = namesIn(file);
    if (names === "gone" && made !== "impossible") continue;
    if (!Array.isArray(names) || !names.every(isHolder)) break;
    const isPlace = made === "made" || names.some(isClaim);
    if (makeFolder(path.join(file, isPlace ? ownClaim() : ownGuest())) === "impossible") {
      if (made === "made") remove(file); // a full disk: it would stay for good
      continue;
    }
    for (const name of names) if (isOver(path.join(file, name))) remove(path.join(file, name));
    return { users: 0, inode: inodeOf(file), isPlace };
  }
  return { users: 0, inode: undefined, isPlace: false };
}

// Only from the very folder we know: the person may have put a real file there meanwhile.
function release(file: string): void {
  const entry = held.get(file);
  if (entry === undefined) return;
  entry.users -= 1;
  if (entry.users > 0) return;
  held.delete(file);
  if (entry.inode === undefined || entry.inode !== inodeOf(file)) return;
  if (remove(path.join(file, ownClaim()))) removePlace(file);
  else remove(path.join(file, ownGuest()));
}

function removePlace(file: string): void {
  for (let attempt = 0; attempt < ATTEMPTS && !remove(file); attempt++) {
    const names = namesIn(file);
    if (!Array.isArray(names) || names.some((name) => isClaim(name) || !isHolder(name))) return;
    for (const name of names) if (rename(path.join(file, name), path.join(file, asClaim(name)))) return;
  }
}

function makeFolder(file: string): "made" | "exists" | "impossible" {
  try {
    mkdirSync(file, 0o755);
    return "made";
  } catch (error) {
    return errnoOf(error) === "EEXIST" ? "exists" : "impossible"; // then no command could make it either
  }
}

/** False when it is not there, or another server's name or somebody's file is in it. */
function remove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false; // it has just been taken out
  }
}

/** Of a folder: the number of one that was removed is soon another file's. */
function inodeOf(file: string): number | undefined {
  try {
    const found = lstatSync(file);
    return found.isDirectory() ? found.ino : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(file: string): string[] | "gone" | "no folder" {
  try {
    return lstatSync(file).isDirectory() ? readdirSync(file) : "no folder";
  } catch (error) {
    return errnoOf(error) === "ENOENT" ? "gone" : "no folder"; // or not ours to look into
  }
}
