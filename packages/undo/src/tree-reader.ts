// Reading below a tree through open folders: no link on the way is followed, so what is kept is the tree's own content, also
// when somebody puts a link in a folder's place meanwhile.
import fs from "node:fs";
import type { BigIntStats } from "node:fs";
import { bestWalkMode, Directory, openRealDirectory } from "@bosun/engine";
import { codeOf } from "@bosun/platform/errors";
import { decodePath, encodePath, nameOf, parentOf } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export type FileRead = { readonly bytes: Buffer; readonly stat: BigIntStats };

export class TreeReader implements Disposable {
  readonly #root: Directory;
  /** The folder that was asked for last: files come folder by folder. */
  #last: { readonly path: TreePath; readonly folder: Directory } | undefined;

  constructor(root: string) {
    this.#root = openRealDirectory(root, bestWalkMode);
  }

  /** Opened freshly; the caller disposes of it. Throws ENOENT, ENOTDIR or ELOOP. */
  openFolder(folder: TreePath): Directory {
    let directory = this.#root.lend();
    if (folder === "") return directory;
    for (const name of folder.split("/")) {
      using outer = directory;
      directory = outer.enter(name.isWellFormed() ? name : encodePath(name));
    }
    return directory;
  }

  /** The whole file and its stat before it was read; undefined when it is no file (any more) or changed while it was read. */
  readFile(file: TreePath, maxBytes: number): FileRead | undefined {
    return this.#attempt(file, (at) => {
      const fd = fs.openSync(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        return readStable(fd, maxBytes);
      } finally {
        fs.closeSync(fd);
      }
    });
  }

  readLink(link: TreePath): Buffer | undefined {
    return this.#attempt(link, (at) => fs.readlinkSync(at, { encoding: "buffer" }));
  }

  names(folder: TreePath): string[] {
    using directory = this.openFolder(folder);
    return fs.readdirSync(directory.self, { encoding: "buffer" }).map((name) => decodePath(name));
  }

  look(entry: TreePath): BigIntStats | undefined {
    return this.#attempt(entry, (at) => fs.lstatSync(at, { bigint: true }));
  }

  /** So that the next look walks from the top again. */
  forget(): void {
    this.#last?.folder[Symbol.dispose]();
    this.#last = undefined;
  }

  [Symbol.dispose](): void {
    this.forget();
    this.#root[Symbol.dispose]();
  }

  #attempt<T>(entry: TreePath, use: (at: string | Buffer) => T): T | undefined {
    try {
      return use(placeIn(this.#folderOf(entry), nameOf(entry)));
    } catch (error) {
      const code = codeOf(error);
      // Gone, replaced, or not for us to read: nothing that could be kept.
      if (/^(ENOENT|ENOTDIR|ELOOP|EACCES|EPERM|EINVAL|ENXIO|EISDIR)$/.test(code)) return undefined;
      throw error;
    }
  }

  #folderOf(entry: TreePath): Directory {
    const wanted = parentOf(entry);
    if (this.#last?.path !== wanted) {
      this.forget();
      this.#last = { path: wanted, folder: this.openFolder(wanted) };
    }
    return this.#last.folder;
  }
}

/** What node:fs takes for a name in that very folder. */
export function placeIn(folder: Directory, name: string): string | Buffer {
  return name.isWellFormed() ? folder.at(name) : folder.atBytes(encodePath(name));
}

function readStable(fd: number, maxBytes: number): FileRead | undefined {
  const stat = fs.fstatSync(fd, { bigint: true });
  if (!stat.isFile() || stat.size > maxBytes) return undefined;
  const bytes = Buffer.allocUnsafe(Number(stat.size));
  let got = 0;
  while (got < bytes.length) {
    const more = fs.readSync(fd, bytes, got, bytes.length - got, got);
    if (more === 0) break;
    got += more;
  }
  const after = fs.fstatSync(fd, { bigint: true });
  // Somebody writes it right now: the next scan reads it.
  if (after.ctimeNs !== stat.ctimeNs || after.size !== stat.size || got !== bytes.length) return undefined;
  return { bytes, stat };
}
