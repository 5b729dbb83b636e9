// The gitlinks of an index: the folders in which a person's `git status` runs git once more, obeying the configuration of the
// repository that is there. An agent can add one at any depth, so they are found from the index and not by looking around.
import fs from "node:fs";
import { bytesOfPath, entryIn, folderOf, textOfPath } from "../sandbox/path-text.ts";
import { readIndex } from "./git-index-format.ts";
import type { ObjectIdBytes, SharedIndexLink } from "./git-index-format.ts";
import { isUnchanged, stampOf } from "./stamp.ts";
import type { Stamp } from "./stamp.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

/** An index of half a million files. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const MAX_GITLINKS = 1_000;
/** With the three sides of a conflict. */
const MAX_GITLINK_ENTRIES = 3 * MAX_GITLINKS;
/** The system opens no longer path. */
const MAX_PATH_BYTES = 4_095;

const TYPE = 0o170000;
const GITLINK = 0o160000;
const FOLDER = 0o040000;

export type GitlinkOptions = {
  /** Of the repository, where known: 20 for sha1, 32 for sha256. Otherwise both are tried. */
  readonly objectIdBytes?: ObjectIdBytes;
};

export type Gitlinks = {
  readonly paths: readonly string[];
  /** False when there are or may be others: above the limit, with a path that was dropped, or in a folder that a sparse index leaves out. */
  readonly isComplete: boolean;
  /** The file that a split index takes most entries from. */
  readonly sharedIndex: string | undefined;
};

/** Paths below the top of the work tree, as text that keeps every byte; undefined when it is not known. Never throws. */
export function gitlinksOf(indexFile: string, options: GitlinkOptions = {}): readonly string[] | undefined {
  return readGitlinks(indexFile, options)?.paths;
}

/** The same, and whether that is all. */
export function readGitlinks(indexFile: string, options: GitlinkOptions = {}): Gitlinks | undefined {
  try {
    const bytes = readRegularFile(indexFile);
    if (bytes === undefined) return { paths: [], isComplete: true, sharedIndex: undefined };
    if (options.objectIdBytes !== undefined) return parse(bytes, indexFile, options.objectIdBytes);
    // Bytes can be made that are an index with either size, and which of them git takes is up to a file that an agent may write.
    const short = parse(bytes, indexFile, 20);
    const long = parse(bytes, indexFile, 32);
    if (short === undefined || long === undefined) return short ?? long;
    return { ...short, paths: [...new Set([...short.paths, ...long.paths])].slice(0, MAX_GITLINKS), isComplete: false };
  } catch {
    return undefined; // larger than is read, or no index
  }
}

/** Keeps what was read of each index as long as the index is the same, by one lstat (two for a split index). */
export class GitlinkFinder {
  #known = new Map<string, Known>();
  #found: readonly string[] = [];
  #unknown: readonly string[] = [];

  /** Absolute paths of all gitlinks, each once; the very same array as long as they are the same. */
  find(gitDirs: readonly { readonly top: string; readonly gitDir: string }[]): readonly string[] {
    const seen = new Map<string, Known>();
    const unknown = new Set<string>();
    let isSame = true;
    for (const { top, gitDir } of gitDirs) {
      const key = `${top}\0${gitDir}`;
      if (seen.has(key)) continue;
      const before = this.#known.get(key);
      const now = look(top, entryIn(gitDir, "index"), before);
      if (now.paths !== before?.paths) isSame = false;
      if (!now.isComplete) unknown.add(gitDir);
      seen.set(key, now);
    }
    if (!isSame || seen.size !== this.#known.size) {
      const found = [...new Set([...seen.values()].flatMap(({ paths }) => paths))];
      if (!isEqual(found, this.#found)) this.#found = found;
    }
    this.#known = seen;
    this.#unknown = [...unknown];
    return this.#found;
  }

  /** The git folders of the last call whose index could not be read, or not whole: more gitlinks than were given may be there. */
  get unknown(): readonly string[] {
    return this.#unknown;
  }
}

type Known = {
  readonly stamp: Stamp;
  readonly shared: { readonly file: string; readonly stamp: Stamp } | undefined;
  readonly paths: readonly string[];
  readonly isComplete: boolean;
};

function look(top: string, indexFile: string, before: Known | undefined): Known {
  const stamp = stampOf(indexFile);
  if (before !== undefined && isUnchanged(before.stamp, stamp)) {
    const { shared } = before;
    // git does not check a shared index against its name: its content can change while the index stays.
    if (shared === undefined || isUnchanged(shared.stamp, stampOf(shared.file))) return before;
  }
  const first = readGitlinks(indexFile);
  const file = first?.sharedIndex;
  if (file === undefined) return known(top, { stamp, shared: undefined, read: first }, before);
  // Its name is only known now, and its stamp must be older than what was read.
  const shared = { file, stamp: stampOf(file) };
  const second = readGitlinks(indexFile);
  return known(top, { stamp, shared, read: second?.sharedIndex === file ? second : undefined }, before);
}

function known(
  top: string,
  now: { stamp: Stamp; shared: Known["shared"]; read: Gitlinks | undefined },
  before: Known | undefined,
): Known {
  const { stamp, shared, read } = now;
  // What was known is still the best guess while an index cannot be read.
  const paths = read?.paths.map((path) => entryIn(top, path)) ?? before?.paths ?? [];
  const isSame = before !== undefined && isEqual(paths, before.paths);
  return {
    // Read again next time: a shared index that is missing can appear while the index stays.
    stamp: read === undefined ? { ...stamp, unsure: true } : stamp,
    shared,
    paths: isSame ? before.paths : paths,
    isComplete: read?.isComplete ?? false,
  };
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((path, at) => path === other[at]);
}

function parse(bytes: Buffer, indexFile: string, idBytes: ObjectIdBytes): Gitlinks | undefined {
  try {
    const found = new FoundGitlinks();
    // Of entries without a name: they come first, and take theirs from the shared index.
    const replacing: number[] = [];
    const { link } = readIndex(bytes, idBytes, ({ position, mode, name }) => {
      if (name.length > 0) found.add(mode, name);
      else if (position === replacing.length) replacing.push(mode);
      else throw new RangeError("an entry without a name");
    });
    if (link === undefined) {
      if (replacing.length > 0) throw new RangeError("an entry without a name");
      return found.result(undefined);
    }
    const sharedIndex = entryIn(folderOf(indexFile), `sharedindex.${link.id}`);
    addShared(found, { file: sharedIndex, link, idBytes, replacing });
    return found.result(sharedIndex);
  } catch {
    return undefined; // not an index, or not one with ids of that size
  }
}

type Shared = {
  readonly file: string;
  readonly link: SharedIndexLink;
  readonly idBytes: ObjectIdBytes;
  readonly replacing: readonly number[];
};

function addShared(found: FoundGitlinks, { file, link, idBytes, replacing }: Shared): void {
  const bytes = readRegularFile(file);
  if (bytes === undefined) throw new RangeError("no shared index");
  const { deleted, replaced } = link.changes(bytes.readUInt32BE(8));
  if (replaced.length !== replacing.length) throw new RangeError("another number of replaced entries");
  const gone = new Set(deleted);
  const modes = new Map(replaced.map((position, at) => [position, replacing[at]]));
  // A link to yet another shared index is not followed: git does not, either.
  readIndex(bytes, idBytes, ({ position, mode, name }) => {
    if (!gone.has(position)) found.add(modes.get(position) ?? mode, name);
  });
}

class FoundGitlinks {
  readonly #paths = new Set<string>();
  #entries = 0;
  #isComplete = true;

  add(mode: number, name: Buffer): void {
    const type = mode & TYPE;
    if (type === FOLDER) this.#isComplete = false;
    if (type !== GITLINK) return;
    this.#entries += 1;
    const plain = this.#entries > MAX_GITLINK_ENTRIES || name.length > MAX_PATH_BYTES ? undefined : plainName(name);
    if (plain === undefined) {
      this.#isComplete = false;
      return;
    }
    const path = textOfPath(plain);
    if (this.#paths.has(path)) return; // once per side of a conflict
    if (this.#paths.size < MAX_GITLINKS) this.#paths.add(path);
    else this.#isComplete = false;
  }

  result(sharedIndex: string | undefined): Gitlinks {
    return { paths: [...this.#paths], isComplete: this.#isComplete, sharedIndex };
  }
}

/** As git will look for it: it writes no `.`, `..` or empty components, but obeys them when somebody else did. Undefined when it
 * leads out of the work tree. */
function plainName(name: Buffer): Buffer | undefined {
  const text = name.toString("latin1");
  if (text.startsWith("/")) return undefined;
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? undefined : Buffer.from(parts.join("/"), "latin1");
}

/** Undefined when there is none. Throws when it is something else than a regular file of that size. */
function readRegularFile(file: string): Buffer | undefined {
  const path = bytesOfPath(file);
  const there = fs.lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  // Looked at before it is opened: opening a device can do anything.
  if (!there.isFile()) throw new RangeError("not a file");
  const fd = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile() || stat.size > MAX_INDEX_BYTES) throw new RangeError("not a file, or too large");
    const bytes = Buffer.alloc(stat.size);
    let filled = 0;
    while (filled < bytes.length) {
      const got = fs.readSync(fd, bytes, filled, bytes.length - filled, filled);
      if (got === 0) break;
      filled += got;
    }
    return bytes.subarray(0, filled);
  } finally {
    fs.closeSync(fd);
  }
}
