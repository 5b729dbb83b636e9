// What folders held when they were last read for links: on the next search a look at each folder's stamp takes a fifth of
// the time of reading it. A folder's stamp changes whenever an entry of it is made, removed or renamed. For hints only:
// what is found through it is resolved through the scope before anybody acts on it.
import type { Dirent, Stats } from "node:fs";

/** What of a folder matters when links are looked for. */
export type Folder = {
  readonly directories: readonly string[];
  readonly links: readonly string[];
  readonly hasRules: boolean;
  /** Something stands where rules would. */
  readonly namesRules: boolean;
  readonly isRepository: boolean;
};

type Known = { readonly stamp: string; readonly folder: Folder };

// Stamps are as fine as a file system's clock, on some a second: what changed just now may change again unseen.
const SETTLED_MS = 1500;
/** Names kept in all; with more, everything is forgotten and learnt again. */
const MAX_NAMES = 100_000;

export class FolderCache {
  readonly #known = new Map<string, Known>();
  #names = 0;

  recall(path: string, stat: Stats): Folder | undefined {
    const known = this.#known.get(path);
    return known?.stamp === stampOf(stat) ? known.folder : undefined;
  }

  /** `stat` was taken before the entries were read: a change in between shows as another stamp. */
  keep(path: string, stat: Stats, entries: readonly Dirent[]): Folder {
    const folder = summaryOf(entries);
    const isSettled = Date.now() - Math.max(stat.mtimeMs, stat.ctimeMs) > SETTLED_MS;
    if (isSettled) this.#add(path, { stamp: stampOf(stat), folder });
    return folder;
  }

  #add(path: string, known: Known): void {
    const names = 1 + known.folder.directories.length + known.folder.links.length;
    if (this.#names + names > MAX_NAMES) {
      this.#known.clear();
      this.#names = 0;
    }
    // One that is replaced counts twice until then: the bound holds all the same.
    this.#names += names;
    if (names <= MAX_NAMES) this.#known.set(path, known);
  }
}

function summaryOf(entries: readonly Dirent[]): Folder {
  const directories: string[] = [];
  const links: string[] = [];
  let hasRules = false;
  let namesRules = false;
  let isRepository = false;
  for (const entry of entries) {
    if (entry.name === ".git") isRepository = true;
    else if (entry.name === ".gitignore") {
      namesRules = true;
      hasRules = entry.isFile();
    }
    if (entry.isDirectory()) directories.push(entry.name);
    else if (entry.isSymbolicLink()) links.push(entry.name);
  }
  return { directories, links, hasRules, namesRules, isRepository };
}

function stampOf({ dev, ino, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${mtimeMs}:${ctimeMs}`;
}
