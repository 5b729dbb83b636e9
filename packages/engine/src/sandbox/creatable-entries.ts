// Whether a command could make a new entry in a folder: what is absent needs protection only where it could be made.
import { accessSync, constants, lstatSync } from "node:fs";
import { errnoOf } from "../engine-error.ts";
import { entryIn, fsPath } from "./path-text.ts";
import { readFolder } from "./read-folder.ts";

/** `closed`: not now, but the folder is ours, and a command may open it by changing its mode. */
export type Creation = "open" | "closed" | "impossible";

// A folder beyond this has its other entries read-only: stricter than the file tools, never looser.
const MOST_ENTRIES = 512;

export function creationIn(folder: string): Creation {
  try {
    accessSync(fsPath(folder), constants.W_OK);
    return "open";
  } catch (error) {
    // A file system that is read-only stays so without capabilities; another's folder keeps its mode.
    if (errnoOf(error) !== "EACCES") return "impossible";
    return lstatSync(fsPath(folder)).uid === process.getuid?.() ? "closed" : "impossible";
  }
}

/** What is in a folder and stays writable when the folder itself is made read-only. Links stay links. */
export function entriesToKeep(folder: string): string[] {
  const entries = readFolder(folder).filter(({ kind }) => kind !== "link");
  return entries.slice(0, MOST_ENTRIES).map(({ name }) => entryIn(folder, name));
}
