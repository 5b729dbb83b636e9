// A boundary as the file tree a command will see: what is mounted where, in order, parents before children. Every
// mechanism with a mount namespace builds this same tree.
import { lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { heldBy, holds } from "./boundary.ts";
import { creationIn, entriesToKeep } from "./creation.ts";
import { isEmptyFolder, isPlace } from "./placeholders.ts";
import { findToolchains } from "./toolchains.ts";
import type { Boundary } from "./boundary.ts";

export type Mount =
  | { readonly kind: "readable" | "writable"; readonly at: string }
  | { readonly kind: "link"; readonly at: string; readonly to: string }
  /** An empty folder of its own, writable, gone with the command. */
  | { readonly kind: "fresh"; readonly at: string }
  /** Something nobody can read or write in place of a file or folder. */
  | { readonly kind: "hidden-file" | "hidden-folder"; readonly at: string }
  /** An empty folder that stays empty, in place of what is not there: whatever somebody puts there meanwhile. */
  | { readonly kind: "absent"; readonly at: string }
  /** The session's temporary folder. */
  | { readonly kind: "scratch"; readonly at: string };

export type View = {
  readonly mounts: readonly Mount[];
  /** Everything outside is there, writable; mounts only take away. */
  readonly unscoped: boolean;
  /** Must be an empty folder while a command runs, or it could be created. */
  readonly placeholders: readonly string[];
  /** Whether these may be there a little longer: what somebody else makes is not to be in their way. */
  readonly mayLinger: boolean;
};

export const SCRATCH = "/tmp";

export function viewOf(boundary: Boundary): View {
  const unscoped = boundary.writable.length === 0;
  const toolchains = findToolchains(boundary.home, boundary.path, boundary.toolchains);
  const base: Mount[] = unscoped ? [] : scopedBase(boundary, toolchains.visible);
  const placeholders: string[] = [];
  const taken: Mount[] = [];
  const reachable = (file: string): boolean => unscoped || heldBy(boundary.writable, file);
  const kept: Mount[] = [];
  let mayLinger = true;
  const keepAbsent = (file: string, isPolicy: boolean): void => {
    if (!reachable(file)) return;
    const folder = path.dirname(file);
    const creation = creationIn(folder);
    if (creation === "open") {
      placeholders.push(file);
      mayLinger &&= isPolicy;
      taken.push({ kind: "absent", at: file });
    } else if (creation === "closed") {
      taken.push({ kind: "readable", at: folder });
      kept.push(...entriesToKeep(folder).map((at): Mount => ({ kind: "writable", at })));
    }
  };
  // It may be a place that another server is about to remove: with our name in it, it stays.
  const keepEmpty = (folder: string): void => {
    if (reachable(folder) && isEmptyFolder(folder) && creationIn(path.dirname(folder)) === "open")
      placeholders.push(folder);
  };
  for (const file of boundary.readOnly) {
    const there = nearest(file);
    if (there.isFolder) keepEmpty(there.path);
    if (!there.exists) keepAbsent(there.path, there.path === file);
    else if (unscoped || heldBy([...boundary.writable, ...toolchains.visible], file))
      taken.push({ kind: "readable", at: file });
  }
  for (const file of [...boundary.denied, ...(unscoped ? [] : toolchains.secrets)]) {
    const there = nearest(file);
    if (there.isFolder) keepEmpty(there.path);
    if (!there.exists) keepAbsent(there.path, false);
    else taken.push({ kind: there.isFolder ? "hidden-folder" : "hidden-file", at: there.path });
  }
  const held = taken.flatMap(({ at }) => foldersAbove(at, unscoped ? ["/"] : boundary.writable));
  const mounts = inOrder([...base, ...held, ...kept, ...taken]);
  return { mounts, unscoped, placeholders: [...new Set(placeholders)], mayLinger };
}

// A mount point itself cannot be renamed, but a folder that holds one can: with it a protected file would be moved away, and
// another one made in its place. So every folder on the way down from an allowed one becomes a mount point, too.
function foldersAbove(protectedPath: string, roots: readonly string[]): Mount[] {
  const folders: Mount[] = [];
  for (
    let at = path.dirname(protectedPath);
    at !== "/" && !roots.includes(at) && heldBy(roots, at);
    at = path.dirname(at)
  ) {
    folders.push({ kind: "writable", at });
  }
  return folders;
}

function scopedBase(boundary: Boundary, visible: readonly string[]): Mount[] {
  const mounts: Mount[] = [
    { kind: "scratch", at: SCRATCH },
    { kind: "link", at: "/var/tmp", to: SCRATCH },
    { kind: "fresh", at: boundary.home },
  ];
  for (const at of visible) {
    if (at === boundary.home) continue;
    const link = linkTarget(at);
    if (link === undefined) mounts.push({ kind: "readable", at });
    else mounts.push({ kind: "link", at, to: link });
  }
  for (const at of boundary.writable) mounts.push({ kind: "writable", at });
  // A home folder that is itself allowed is not fresh.
  return mounts.filter((mount) => mount.kind !== "fresh" || !heldBy(boundary.writable, mount.at));
}

// Parents first; at the same place the later one in the list wins, and a hidden place swallows what lies in it.
function inOrder(mounts: readonly Mount[]): Mount[] {
  const byPlace = new Map(mounts.map((mount) => [mount.at, mount]));
  const hidden = mounts.filter((mount) => mount.kind.startsWith("hidden")).map((mount) => mount.at);
  return [...byPlace.values()]
    .filter((mount) => !hidden.some((folder) => folder !== mount.at && holds(folder, mount.at)))
    .sort((a, b) => depth(a.at) - depth(b.at));
}

function depth(file: string): number {
  return file === "/" ? 0 : file.split("/").length - 1;
}

// What does not exist is kept from existing at its first missing component.
// What only holds a place counts as absent.
function nearest(file: string): { path: string; exists: boolean; isFolder: boolean } {
  let missing: string | undefined;
  for (let at = file; ; at = path.dirname(at)) {
    try {
      const isFolder = lstatSync(at).isDirectory();
      if (isFolder && isPlace(at)) throw new Error("absent");
      return missing === undefined
        ? { path: file, exists: true, isFolder }
        : { path: missing, exists: false, isFolder: false };
    } catch {
      missing = at;
    }
    if (at === "/") return { path: file, exists: false, isFolder: false };
  }
}

// /bin is a link to usr/bin on most systems: shown as the link it is.
function linkTarget(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}
