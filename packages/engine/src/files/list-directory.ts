// Directories as people and programs look at them: a tree of two levels, or every entry below.
import fs from "node:fs";
import { firstEntriesOf, isHidden } from "./directory-entries.ts";
import type { NamedEntry } from "./directory-entries.ts";
import path from "node:path";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import { Directory } from "../scope/directory.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import type { Scope } from "../scope/scope.ts";
import { TimeSlices } from "../time-slices.ts";

export type TreeEntry = {
  readonly name: string;
  readonly kind: "file" | "directory" | "symlink";
  /** The text of a link. */
  readonly target?: string;
  /** What is in a directory, as deep as was asked. */
  readonly inside?: Tree | "unreadable";
};

export type Tree = {
  readonly entries: readonly TreeEntry[];
  /** Entries left out because of the cap. */
  readonly omitted: number;
};

export type TreeOptions = {
  readonly depth: number;
  /** In all. The top level comes first; what is left goes to its directories in order. */
  readonly maxEntries: number;
  /** Names left out at every level. */
  readonly hidden: readonly string[];
  readonly signal?: AbortSignal;
};

export type ListedEntry = { readonly path: string; readonly type: "file" | "dir" | "symlink"; readonly size: number };

export type Listing = {
  /** Depth-first, byte order; paths relative to the directory listed, with `/`. */
  readonly entries: readonly ListedEntry[];
  readonly truncated: boolean;
  /** Directories below that could not be read. */
  readonly unreadable: readonly string[];
};

export async function listTree(place: ScopedPath, options: TreeOptions): Promise<Tree> {
  using directory = openListed(place);
  const budget = { left: options.maxEntries, slices: new TimeSlices(options.signal) };
  try {
    return await treeOf(place.scope, directory, options.depth, options.hidden, budget);
  } catch (error) {
    throw ioError("list directory", place.shown, error, place.path);
  }
}

export async function listEntries(
  place: ScopedPath,
  options: { readonly recursive: boolean; readonly maxEntries: number; readonly signal?: AbortSignal },
): Promise<Listing> {
  using directory = openListed(place);
  const listing = { entries: [] as ListedEntry[], truncated: false, unreadable: [] as string[] };
  try {
    await collect(place.scope, directory, "", options, listing, new TimeSlices(options.signal));
  } catch (error) {
    throw ioError("list directory", place.shown, error, place.path);
  }
  return listing;
}

/** The directory at a place. Throws NOT_FOUND or NOT_DIRECTORY. */
export function openListed(place: ScopedPath): Directory {
  const { entry, path, shown } = place;
  const details = { path, requested: shown };
  if (entry === undefined) throw new EngineError("NOT_FOUND", `${shown} does not exist`, details);
  if (entry.kind !== "directory") throw new EngineError("NOT_DIRECTORY", `${shown} is not a directory`, details);
  try {
    return Directory.ofEntry(entry, place.parent, place.name);
  } catch (error) {
    throw ioError("list directory", shown, error, path);
  }
}

type Budget = { left: number; readonly slices: TimeSlices };

async function treeOf(
  scope: Scope,
  directory: Directory,
  depth: number,
  hidden: readonly string[],
  budget: Budget,
): Promise<Tree> {
  if (budget.slices.due) await budget.slices.pause();
  budget.slices.check();
  const { entries: found, left } = await firstEntriesOf(scope, directory, budget.slices, {
    most: budget.left,
    without: hidden,
  });
  const shown = found.map((entry) => describe(scope, directory, entry)).filter((entry) => entry !== undefined);
  budget.left -= shown.length;
  const entries: TreeEntry[] = [];
  for (const entry of shown) {
    if (entry.kind !== "directory" || depth <= 1) entries.push(entry);
    else entries.push({ ...entry, inside: await insideOf(scope, directory, entry.name, depth - 1, hidden, budget) });
  }
  return { entries, omitted: left };
}

async function insideOf(
  scope: Scope,
  directory: Directory,
  name: string,
  depth: number,
  hidden: readonly string[],
  budget: Budget,
): Promise<Tree | "unreadable"> {
  try {
    using inner = directory.enter(name);
    return await treeOf(scope, inner, depth, hidden, budget);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return "unreadable"; // or gone since: one directory must not spoil the rest
  }
}

function describe(scope: Scope, directory: Directory, entry: NamedEntry): TreeEntry | undefined {
  if (entry.kind === "directory") return { name: entry.name, kind: "directory" };
  if (entry.kind !== "symlink") return { name: entry.name, kind: "file" };
  const target = linkText(directory, entry.name);
  if (target === undefined) return { name: entry.name, kind: "symlink" };
  // The text of a link would name what must not be named.
  if (isHidden(scope, path.posix.resolve(directory.path, target))) return undefined;
  return { name: entry.name, kind: "symlink", target };
}

function linkText(directory: Directory, name: string): string | undefined {
  try {
    return directory.readLink(name);
  } catch {
    return undefined; // gone or replaced since the listing
  }
}

async function collect(
  scope: Scope,
  directory: Directory,
  prefix: string,
  options: { readonly recursive: boolean; readonly maxEntries: number },
  listing: { entries: ListedEntry[]; truncated: boolean; unreadable: string[] },
  slices: TimeSlices,
): Promise<void> {
  // One more than fits, to know that there are more.
  const most = options.maxEntries - listing.entries.length + 1;
  const { entries } = await firstEntriesOf(scope, directory, slices, { most });
  for (const entry of entries) {
    if (listing.entries.length >= options.maxEntries) {
      listing.truncated = true;
      return;
    }
    const relative = prefix + entry.name;
    listing.entries.push({ path: relative, type: typeOf(entry), size: sizeOf(directory, entry) });
    if (slices.due) await slices.pause();
    slices.check();
    if (!options.recursive || entry.kind !== "directory") continue;
    try {
      using inner = directory.enter(entry.name);
      await collect(scope, inner, `${relative}/`, options, listing, slices);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      listing.unreadable.push(relative);
    }
    if (listing.truncated) return;
  }
}

function typeOf(entry: NamedEntry): ListedEntry["type"] {
  if (entry.kind === "directory") return "dir";
  return entry.kind === "symlink" ? "symlink" : "file";
}

function sizeOf(directory: Directory, entry: NamedEntry): number {
  if (entry.kind !== "file" && entry.kind !== "symlink") return 0;
  try {
    return fs.lstatSync(directory.at(entry.name)).size;
  } catch {
    return 0; // gone since it was listed
  }
}
