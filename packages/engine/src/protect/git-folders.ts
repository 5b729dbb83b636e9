// Where git would find a repository in some folders and up to three levels below: `.git` of any kind, and folders that
// look like a bare repository. Asked before and after commands, so unchanged folders are not listed again.
import fs from "node:fs";

const MAX_DEPTH = 3;
const MAX_FOLDERS = 400;
const MAX_LISTED_BYTES = 1024 * 1024;
/** See snapshot.ts: younger stamps prove nothing. */
const UNSETTLED_MS = 100;
const NOT_ENTERED = new Set(["node_modules", ".git"]);

/** The path of what git finds (latin1) → what is there, by which a replaced one is known. */
export type GitFolders = ReadonlyMap<string, GitIdentity>;

export type GitIdentity = {
  readonly ino: string;
  /** When it was made: inodes are used again. Empty where the file system does not say. */
  readonly born: string;
};

export function isSameGit(known: GitIdentity | undefined, now: GitIdentity): boolean {
  return known !== undefined && known.ino === now.ino && (known.born === "" || known.born === now.born);
}

type Listing = {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly isSettled: boolean;
  readonly folders: readonly string[];
  readonly bare: GitIdentity | undefined;
  readonly hasGit: boolean;
};

export class GitFolderSearch {
  readonly #roots: readonly string[];
  #known = new Map<string, Listing>();

  /** Paths in latin1. */
  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  find(): GitFolders {
    const found = new Map<string, GitIdentity>();
    const seen = new Map<string, Listing>();
    let level = [...this.#roots];
    for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
      const next: string[] = [];
      for (const folder of level) {
        if (seen.size >= MAX_FOLDERS) break;
        const listing = seen.has(folder) ? undefined : this.#list(folder);
        if (listing === undefined) continue;
        seen.set(folder, listing);
        if (listing.bare !== undefined) found.set(folder, listing.bare);
        if (listing.hasGit) note(found, `${folder}/.git`);
        next.push(...listing.folders);
      }
      level = next;
    }
    this.#known = seen;
    return found;
  }

  #list(folder: string): Listing | undefined {
    const stat = statAt(folder);
    if (stat?.isDirectory() !== true) return undefined;
    const { ino, mtimeNs, ctimeNs } = stat;
    const known = this.#known.get(folder);
    const isSame = known?.isSettled === true && known.ino === ino && known.ctimeNs === ctimeNs;
    if (isSame && known.mtimeNs === mtimeNs) return known;
    const names = stat.size > MAX_LISTED_BYTES ? [".git"] : namesIn(folder);
    const folders = names
      .filter((name) => !NOT_ENTERED.has(name))
      .map((name) => `${folder === "/" ? "" : folder}/${name}`)
      .filter((path) => statAt(path)?.isDirectory() === true);
    return {
      ino,
      mtimeNs,
      ctimeNs,
      isSettled: Date.now() - Number(ctimeNs / 1_000_000n) > UNSETTLED_MS,
      folders,
      bare: ["HEAD", "objects", "refs"].every((name) => names.includes(name)) ? identityOf(stat) : undefined,
      hasGit: names.includes(".git"),
    };
  }
}

function note(found: Map<string, GitIdentity>, path: string): void {
  const stat = statAt(path);
  if (stat !== undefined) found.set(path, identityOf(stat));
}

function identityOf({ ino, birthtimeNs, ctimeNs }: fs.BigIntStats): GitIdentity {
  // Where a file system does not know, the last change is given instead.
  return { ino: String(ino), born: birthtimeNs === ctimeNs ? "" : String(birthtimeNs) };
}

function statAt(path: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(Buffer.from(path, "latin1"), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(Buffer.from(folder, "latin1"), { encoding: "buffer" }).map((name) => name.toString("latin1"));
  } catch {
    return [];
  }
}
