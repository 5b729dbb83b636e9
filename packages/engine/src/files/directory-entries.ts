// What a directory holds, as far as policy lets anybody know: denied and ignored entries are left out, not marked.
import fs from "node:fs";
import { compareBytes } from "./byte-order.ts";
import { firstInSlices, sortInSlices } from "./sort-in-slices.ts";
import { closeEntry, joinPath } from "../scope/directory.ts";
import type { Directory, EntryKind } from "../scope/directory.ts";
import { entryDeniedBy, isIgnored } from "../scope/scope.ts";
import { hasOwnMountpoints, isOwnMountpoint } from "../sandbox/mountpoint-locks.ts";
import type { Scope } from "../scope/scope.ts";
import type { TimeSlices } from "../time-slices.ts";

/** A directory this big takes long enough to read that others should not wait for it. */
export const BIG_DIRECTORY_BYTES = 256 * 1024;

export type NamedEntry = { readonly name: string; readonly kind: EntryKind };

/** In byte order of names. Throws the system's error when the directory cannot be read. */
export async function entriesOf(scope: Scope, directory: Directory, slices: TimeSlices): Promise<NamedEntry[]> {
  return sortInSlices(await visibleEntries(scope, directory, [], slices), byName, slices);
}

export type FirstEntries = {
  readonly entries: NamedEntry[];
  /** How many more there are. */
  readonly left: number;
};

/** The first `most` in byte order, without the names given. Throws like `entriesOf`. */
export async function firstEntriesOf(
  scope: Scope,
  directory: Directory,
  slices: TimeSlices,
  { most, without = [] }: { readonly most: number; readonly without?: readonly string[] },
): Promise<FirstEntries> {
  const all = await visibleEntries(scope, directory, without, slices);
  const entries = await firstInSlices(all, most, byName, slices);
  return { entries, left: all.length - entries.length };
}

async function visibleEntries(
  scope: Scope,
  directory: Directory,
  without: readonly string[],
  slices: TimeSlices,
): Promise<NamedEntry[]> {
  const big = fs.fstatSync(directory.fd).size > BIG_DIRECTORY_BYTES;
  const found = big
    ? await fs.promises.readdir(directory.self, { withFileTypes: true })
    : fs.readdirSync(directory.self, { withFileTypes: true });
  directory.verify();
  const filtered = scope.deny.length + scope.ignore.length > 0 || hasOwnMountpoints();
  const entries: NamedEntry[] = [];
  for (const entry of found) {
    if (big && slices.due) await slices.pause();
    if (without.includes(entry.name)) continue;
    if (filtered && isHidden(scope, joinPath(directory.path, entry.name))) continue;
    entries.push({ name: entry.name, kind: kindOfDirent(entry) ?? kindByLooking(directory, entry.name) });
  }
  return entries;
}

function byName(a: NamedEntry, b: NamedEntry): number {
  return compareBytes(a.name, b.name);
}

/** For an entry whose parents are not hidden themselves. */
export function isHidden(scope: Scope, realPath: string): boolean {
  return isOwnMountpoint(realPath) || entryDeniedBy(scope, realPath) !== undefined || isIgnored(scope, realPath);
}

export function kindOfDirent(entry: fs.Dirent): EntryKind | undefined {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symlink";
  const known = entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
  return known ? "special" : undefined;
}

/** Some file systems do not say in the listing. */
export function kindByLooking(directory: Directory, name: string): EntryKind {
  try {
    const entry = directory.look(name);
    closeEntry(entry);
    return entry?.kind ?? "special";
  } catch {
    return "special"; // gone, or not ours to look at: nothing to open
  }
}
