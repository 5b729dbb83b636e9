// The short way to a regular file that is named by its real path below a root: what nearly every read asks for.
// Each name is opened without following, below a directory held open, and what was opened must say itself that it is at
// that path. Anything unusual (a link, a missing part, a denied place, no regular file) is left to the resolver, which
// walks the whole way and finds the words for it.
import fs from "node:fs";
import { deniedBy } from "../scope/scope.ts";
import type { Scope } from "../scope/scope.ts";
import type { Directory } from "../scope/directory.ts";
import { OpenFile } from "./open-file.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
/** `//`, `/./`, `/../`, or such an end: then the text is not the real path. */
const UNUSUAL = /\/\.{0,2}(?:\/|$)/;

/** The file, or undefined when the resolver has to judge. */
export function openDirectly(scope: Scope, requested: string, base: string): OpenFile | undefined {
  const full = requested.startsWith("/") ? requested : `${base}/${requested}`;
  const anchor = anchorOf(scope, full);
  if (anchor === undefined || UNUSUAL.test(full) || !full.isWellFormed()) return undefined;
  if (deniedBy(scope, full) !== undefined) return undefined;
  let fd: number | undefined;
  try {
    // Looked at before it is opened: opening a FIFO wakes its writer, and opening a device can do anything.
    const named = fs.lstatSync(full, LOOK);
    if (named?.isFile() !== true) return undefined;
    const relative = full.slice(anchor.path.length + 1);
    fd = openBelow(anchor, relative);
    const stat = fs.fstatSync(fd, STAT);
    // The name leads to what we hold: so the root is still in its place, too.
    if (!stat.isFile() || !isExactly(named.ino, stat.ino) || !isExactly(named.dev, stat.dev)) return undefined;
    // Straight below the root there is no directory on the way that could have been moved elsewhere meanwhile.
    if (relative.includes("/") && fs.readlinkSync(`/proc/self/fd/${fd}`) !== full) return undefined;
    const file = new OpenFile(fd, { path: full, shown: requested }, stat);
    fd = undefined;
    return file;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

const STAT = { bigint: true } as const;
// Without bigint: it is made for every read, and half as large. Numbers that would not be exact are left to the resolver.
const LOOK = { throwIfNoEntry: false } as const;

function isExactly(number: number, exact: bigint): boolean {
  return Number.isSafeInteger(number) && number === Number(exact);
}

function anchorOf({ anchors, walkMode }: Scope, full: string): Directory | undefined {
  if (walkMode !== "descriptors") return undefined;
  for (const anchor of anchors) {
    if (full.startsWith(anchor.path) && full[anchor.path.length] === "/") return anchor;
  }
  return undefined;
}

function openBelow(anchor: Directory, relative: string): number {
  const slash = relative.lastIndexOf("/");
  if (slash < 0) return fs.openSync(anchor.at(relative), READ);
  let directory = anchor.lend();
  for (const name of relative.slice(0, slash).split("/")) {
    using outer = directory;
    directory = outer.enter(name);
  }
  using parent = directory;
  return fs.openSync(parent.at(relative.slice(slash + 1)), READ);
}
