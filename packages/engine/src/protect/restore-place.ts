// A place as it was: built beside, synced and renamed in, below a folder whose identity was checked. What stands there
// is moved aside, never deleted and never written through.
import fs from "node:fs";
import { errnoOf } from "../engine-error.ts";
import { temporaryName } from "../files/atomic-write.ts";
import { renameToFree } from "../files/rename.ts";
import type { Directory } from "../scope/directory.ts";
import type { KeptVersionSlot } from "./quarantine.ts";
import type { KeptContents } from "./content-before.ts";
import { stateAt } from "./folder-states.ts";
import { bytesOf, entered, statOf } from "./place-state.ts";
import type { FileState, FolderState, PlaceState } from "./place-state.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;
/** Setuid and setgid are not for what we write. */
const PLAIN_BITS = 0o1777;
const FOLDER_MODE = 0o755;
/** Somebody may be writing there at the same time. */
const ATTEMPTS = 5;

export type RestoreTools = {
  readonly contents: KeptContents;
  readonly aside: KeptVersionSlot;
  /** Names in front of a place's own, for where its version lies aside. */
  readonly prefix: readonly string[];
  /** How often may still be waited for the disk. Hundreds of files would hold up every other call; what a crash then loses
   * of them is still kept in the journal. */
  readonly syncs: { left: number };
};

const MAX_SYNCS = 32;

export function restoreTools(tools: Omit<RestoreTools, "syncs">): RestoreTools {
  return { ...tools, syncs: { left: MAX_SYNCS } };
}

/** Why a state cannot be made: its content was not kept. */
export class NotKept extends Error {}

/** Makes the place at `parts` below `top` that state; gives where what stood there went. */
export function restoreState(
  top: Directory,
  parts: readonly string[],
  state: PlaceState,
  tools: RestoreTools,
): string | undefined {
  refuseNotKept(state, tools.contents);
  const name = parts.at(-1) ?? "";
  const inner = parentOf(top, parts.slice(0, -1), state.kind !== "absent", tools);
  if (inner === undefined) return undefined;
  using parent = inner;
  const setAside = (): string | undefined => tools.aside.take(parent, name, [...tools.prefix, ...parts], top);
  if (state.kind === "absent") {
    const aside = setAside();
    if (maySync(tools)) parent.sync();
    return aside;
  }
  const temporary = temporaryName();
  try {
    build(parent, temporary, state, tools);
    let aside: string | undefined;
    for (let attempt = 1; ; attempt += 1) {
      aside = setAside() ?? aside;
      try {
        renameToFree(parent.at(temporary), parent.atBytes(bytesOf(name)), state.kind === "folder");
        if (maySync(tools)) parent.sync();
        return aside;
      } catch (error) {
        const isTaken = errnoOf(error) === "EEXIST" || errnoOf(error) === "ENOTEMPTY";
        if (!isTaken || attempt === ATTEMPTS) throw error;
      }
    }
  } catch (error) {
    remove(parent, temporary);
    throw error;
  }
}

/** Gives a folder its mode again. */
export function restoreMode(top: Directory, parts: readonly string[], state: FolderState, tools: RestoreTools): void {
  using parent = parentOf(top, parts, false, tools);
  if (parent !== undefined) fs.chmodSync(parent.self, state.mode & PLAIN_BITS);
}

/** Removes folders that are empty now and were not there before. */
export function removeEmptyFolders(top: Directory, parts: readonly string[], before: FolderState): void {
  for (let length = parts.length - 1; length > 0; length -= 1) {
    const folder = parts.slice(0, length);
    if (stateAt(before, folder) !== undefined) return;
    using parent = opened(top, folder.slice(0, -1));
    if (parent === undefined) return;
    try {
      fs.rmdirSync(parent.atBytes(bytesOf(folder.at(-1) ?? "")));
    } catch {
      return; // something else is in it, or it is gone
    }
  }
}

function opened(top: Directory, parts: readonly string[]): Directory | undefined {
  let directory: Directory | undefined = top.lend();
  for (const name of parts) {
    using outer: Directory = directory;
    directory = entered(outer, name);
    if (directory === undefined) return undefined;
  }
  return directory;
}

/** The folder that holds a place; made, and freed of what is no folder, if the place is to be there. */
function parentOf(top: Directory, parts: readonly string[], make: boolean, tools: RestoreTools): Directory | undefined {
  let directory = top.lend();
  for (const [index, name] of parts.entries()) {
    using outer = directory;
    let inner = entered(outer, name);
    if (inner === undefined) {
      if (!make) return undefined;
      tools.aside.take(outer, name, [...tools.prefix, ...parts.slice(0, index + 1)], top);
      fs.mkdirSync(outer.atBytes(bytesOf(name)), { mode: FOLDER_MODE });
      inner = outer.enter(bytesOf(name));
    }
    directory = inner;
  }
  return directory;
}

function build(parent: Directory, name: string, state: PlaceState, tools: RestoreTools): void {
  if (state.kind === "file") buildFile(parent, name, state, tools);
  else if (state.kind === "link") fs.symlinkSync(bytesOf(state.target), parent.atBytes(bytesOf(name)));
  else if (state.kind === "folder") {
    fs.mkdirSync(parent.atBytes(bytesOf(name)), { mode: 0o700 });
    using inner = parent.enter(bytesOf(name));
    for (const [entry, below] of state.entries) build(inner, entry, below, tools);
    fs.chmodSync(inner.self, state.rule === undefined ? FOLDER_MODE : state.mode & PLAIN_BITS);
  }
}

function maySync({ syncs }: RestoreTools): boolean {
  return (syncs.left -= 1) >= 0;
}

function buildFile(parent: Directory, name: string, state: FileState, tools: RestoreTools): void {
  const content = state.content && tools.contents.read(state.content.sha256);
  if (content === undefined) throw new NotKept("its content was not kept");
  const fd = fs.openSync(parent.atBytes(bytesOf(name)), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let done = 0; done < content.length;) done += fs.writeSync(fd, content, done, content.length - done, done);
    try {
      fs.fchownSync(fd, ...state.owner);
    } catch {
      // only root may give a file away
    }
    fs.fchmodSync(fd, state.mode & PLAIN_BITS);
    if (maySync(tools)) fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Before anything is moved: what could only half be put back stays as it is. */
function refuseNotKept(state: PlaceState, contents: KeptContents): void {
  if (state.kind === "other") throw new NotKept("it is neither file, folder nor link");
  if (state.kind === "file" && (state.content === undefined || !contents.has(state.content.sha256)))
    throw new NotKept("its content was too large to be kept");
  if (state.kind === "folder") {
    if (!state.isWhole) throw new NotKept("it held more than is kept");
    for (const inner of state.entries.values()) refuseNotKept(inner, contents);
  }
}

function remove(parent: Directory, name: string): void {
  if (statOf(parent, name) === undefined) return;
  fs.rmSync(parent.at(name), { recursive: true, force: true });
}
