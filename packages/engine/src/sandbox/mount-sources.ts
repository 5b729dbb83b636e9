// Descriptors of what is to be mounted: each opened component by component, following no link, from a folder that was
// checked. What is bound is then what was checked, whatever a name means by the time the mount is made.
import fs from "node:fs";
import { EngineError, errnoOf } from "../engine-error.ts";
import { holds } from "./boundary.ts";
import { idOf } from "./entry-stat.ts";
import { bytesOfPath } from "./path-text.ts";

// Not exported by node:fs: names a thing without opening it.
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const { O_DIRECTORY, O_NOFOLLOW } = fs.constants;

/** Nothing there, a link, or a part of a folder that we may not see, and so no command either. */
const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG"]);

export type Source = {
  readonly fd: number;
  readonly kind: "folder" | "file";
  /** `device:inode` */
  readonly id: string;
};

/** Opened sources, each once. They stay open until all are closed together. */
export class MountSources implements Disposable {
  readonly #open = new Map<string, Source>();
  readonly #roots: readonly string[];

  /** `roots`: the allowed folders. One that is gone, or is a link now, is not opened, and nothing in it. */
  constructor(roots: readonly string[]) {
    this.#roots = roots;
    try {
      for (const root of roots) this.#keep(root, undefined, root);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** undefined: it is not there, or a link stands there or on the way to it. */
  open(file: string): Source | undefined {
    const known = this.#open.get(file);
    if (known !== undefined) return known;
    const root = this.#roots.find((one) => holds(one, file));
    if (root === undefined) return this.#keep(file, undefined, file);
    const start = this.#open.get(root);
    return start === undefined ? undefined : this.#keep(file, start.fd, file.slice(root.length));
  }

  #keep(file: string, start: number | undefined, relative: string): Source | undefined {
    try {
      const source = openBelow(start, relative);
      if (source !== undefined) this.#open.set(file, source);
      return source;
    } catch (error) {
      if (ABSENT.has(errnoOf(error) ?? "")) return undefined;
      // Not known is not absent: what cannot be opened now could be left unprotected.
      throw new EngineError(
        "START_FAILED",
        `could not start command: ${file} could not be opened for its sandbox`,
        {
          reason: "sandbox",
          path: file,
          ...(errnoOf(error) === undefined ? {} : { errno: errnoOf(error) ?? "" }),
        },
        error,
      );
    }
  }

  [Symbol.dispose](): void {
    for (const { fd } of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }
}

/** From an open folder, or from `/`. Throws the system's error; undefined for what is neither a file nor a folder. */
function openBelow(start: number | undefined, relative: string): Source | undefined {
  const names = relative.split("/").filter((name) => name !== "");
  let fd = fs.openSync(start === undefined ? "/" : `/proc/self/fd/${start}`, O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (const [index, name] of names.entries()) {
    const folder = index < names.length - 1 ? O_DIRECTORY : 0;
    const at = Buffer.concat([Buffer.from(`/proc/self/fd/${fd}/`), bytesOfPath(name)]);
    try {
      const next = fs.openSync(at, O_PATH | O_NOFOLLOW | O_CLOEXEC | folder);
      fs.closeSync(fd);
      fd = next;
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }
  const stat = fs.fstatSync(fd, { bigint: true });
  if (stat.isDirectory() || stat.isFile()) return { fd, kind: stat.isDirectory() ? "folder" : "file", id: idOf(stat) };
  fs.closeSync(fd);
  return undefined;
}
