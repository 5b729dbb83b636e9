// The walk from a path's text to a place: links are resolved here, one component at a time and in order, each component
// opened without following, so that what was checked is what will be used.
import fs from "node:fs";
import path from "node:path";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import { Directory, closeEntry } from "./directory.ts";
import type { Entry } from "./directory.ts";
import { ScopedPath } from "./scoped-path.ts";
import { admits, deniedBy, entryDeniedBy, isWithin } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** As the kernel: more links than this on one way is a loop. */
const MAX_LINKS = 40;
/** Each `..` walks again from the top, and links can hold thousands of them: beyond this nobody means well. */
const MAX_OPENED = 5000;

export class Walk {
  readonly #scope: Scope;
  readonly #shown: string;
  readonly #follow: boolean;
  /** Components still to go, the next one last. */
  readonly #pending: string[];
  #directoryOnly: boolean;
  #directory: Directory;
  #links = 0;
  #opened = 0;

  constructor(scope: Scope, shown: string, base: string, follow: boolean) {
    const full = shown.startsWith("/") ? shown : `${base}/${shown}`;
    this.#scope = scope;
    this.#shown = shown;
    this.#follow = follow;
    this.#directoryOnly = meansDirectory(full);
    const { directory, rest } = this.#start(full, false);
    this.#directory = directory;
    this.#pending = rest.reverse();
  }

  /**
   * Where the walk begins: at a root, when the text goes through it by its real name, else at `/`. Nobody who is kept
   * inside the scope can write above a root, so seeing it in place is enough; it saves opening every directory above.
   */
  #start(full: string, mayEndThere: boolean): { readonly directory: Directory; readonly rest: string[] } {
    for (const anchor of this.#scope.anchors) {
      const { path: root } = anchor;
      if (!full.startsWith(root) || (full.length > root.length && full[root.length] !== "/")) continue;
      const rest = components(full.slice(root.length));
      // Unless the directory itself is wanted, one component must be left: a root is named by its parent.
      if ((rest.length === 0 && !mayEndThere) || !anchor.isStillThere()) continue;
      return { directory: anchor.lend(), rest };
    }
    return { directory: Directory.openRoot(this.#scope.walkMode), rest: components(full) };
  }

  toEnd(): ScopedPath {
    for (let name = this.#pending.pop(); name !== undefined; name = this.#pending.pop()) {
      if (name === "..") {
        this.#restart(path.posix.dirname(this.#directory.path));
        continue;
      }
      this.#refuseDenied(name);
      const place = this.#pending.length > 0 ? this.#pass(name) : this.#arrive(name);
      if (place !== undefined) return place;
    }
    return this.#arriveAtDirectory();
  }

  abandon(): void {
    this.#directory[Symbol.dispose]();
  }

  /** A component in the middle: a directory to enter, a link to follow, or the point from which nothing exists. */
  #pass(name: string): ScopedPath | undefined {
    try {
      this.#move(this.#directory.enter(name));
      return undefined;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === "ENOENT") return this.#arriveMissing(name);
      if (errno !== "ENOTDIR" && errno !== "ELOOP") throw this.#explain(error, name);
    }
    const link = this.#attempt(name, () => this.#directory.readLink(name));
    if (link === undefined) throw this.#fail("NOT_DIRECTORY", name, "file-on-the-way");
    this.#redirect(link, name);
    return undefined;
  }

  /** The last component. */
  #arrive(name: string): ScopedPath | undefined {
    const entry = this.#attempt(name, () => this.#directory.look(name));
    if (entry?.kind !== "symlink" || !(this.#follow || this.#directoryOnly)) return this.#place(name, [], entry);
    closeEntry(entry);
    const link = this.#attempt(name, () => this.#directory.readLink(name));
    if (link === undefined) throw this.#fail("CHANGED_ON_DISK", name, "changed");
    this.#redirect(link, name);
    return undefined;
  }

  #arriveMissing(name: string): ScopedPath {
    const rest = [name, ...this.#pending.toReversed()];
    this.#pending.length = 0;
    // The kernel would not find `missing/..` either; only plain names can be created.
    if (rest.includes("..")) {
      const failure = this.#fail("NOT_FOUND", rest.join("/"), "missing");
      // What is missing is named: what the rest comes to may well be there.
      throw failure.code === "NOT_FOUND" ? this.#fail("NOT_FOUND", name, "missing") : failure;
    }
    return this.#place(rest.at(-1) ?? name, rest.slice(0, -1), undefined);
  }

  /** The way ended in `..`, in `/` or in a link to one: name the directory we stand in by its own parent. */
  #arriveAtDirectory(): ScopedPath {
    const { path: here } = this.#directory;
    if (here === "/")
      return this.#place(
        ".",
        [],
        this.#attempt(".", () => this.#directory.look(".")),
      );
    this.#restart(path.posix.dirname(here));
    const name = path.posix.basename(here);
    this.#refuseDenied(name);
    return this.#place(
      name,
      [],
      this.#attempt(name, () => this.#directory.look(name)),
    );
  }

  #place(name: string, missingParents: readonly string[], entry: Entry | undefined): ScopedPath {
    const real = name === "." ? "/" : path.posix.join(this.#directory.path, ...missingParents, name);
    try {
      this.#judge(real);
      this.#verifyDescriptor(entry, real);
      if (this.#directoryOnly && entry !== undefined && entry.kind !== "directory") {
        throw this.#fail("NOT_DIRECTORY", name, "not-a-directory");
      }
    } catch (error) {
      closeEntry(entry);
      throw error;
    }
    return new ScopedPath({
      scope: this.#scope,
      path: real,
      shown: this.#shown,
      parent: this.#directory,
      missingParents,
      name,
      entry,
      directoryOnly: this.#directoryOnly,
    });
  }

  /** Follows a link by walking its text from where the link stands: `a/link/../b` is relative to the link's target. */
  #redirect(link: string, name: string): void {
    this.#links += 1;
    if (this.#links > MAX_LINKS) throw this.#fail("LINK_LOOP", name, "link-loop");
    if (this.#pending.length === 0 && meansDirectory(link)) this.#directoryOnly = true;
    if (link.startsWith("/")) this.#restart("/");
    this.#pending.push(...components(link).toReversed());
  }

  /** Walks to a real directory again from the top, following nothing: after `..` or an absolute link. */
  #restart(real: string): void {
    const { directory, rest } = this.#start(real, true);
    const pending = this.#pending.splice(0, Infinity, ...rest.reverse());
    this.#move(directory);
    for (let name = this.#pending.pop(); name !== undefined; name = this.#pending.pop()) {
      const next = name;
      this.#move(this.#attempt(next, () => this.#directory.enter(next)));
    }
    this.#pending.push(...pending);
  }

  #move(next: Directory): void {
    this.#directory[Symbol.dispose]();
    this.#directory = next;
    this.#opened += 1;
    if (this.#opened > MAX_OPENED) throw this.#fail("INVALID_PATH", "", "too-long");
  }

  #refuseDenied(name: string): void {
    if (this.#scope.deny.length === 0) return;
    const here = path.posix.join(this.#directory.path, name);
    // Every step is judged, not only the end: else `secret/../x` would tell whether `secret` exists.
    if (entryDeniedBy(this.#scope, here) !== undefined) throw this.#fail("NOT_FOUND", name, "denied");
  }

  /** The two refusals of policy, allow before deny. */
  #judge(real: string): void {
    const details = { path: real, requested: this.#shown };
    if (!admits(this.#scope, real)) {
      throw new EngineError("OUTSIDE_SCOPE", `${this.#shown} is outside the allowed directories`, details);
    }
    const pattern = deniedBy(this.#scope, real);
    if (pattern !== undefined) {
      throw new EngineError("PATH_DENIED", `${this.#shown} matches deny pattern "${pattern}"`, { ...details, pattern });
    }
  }

  /** What we hold must still be where we judged it to be, or be at a place that policy permits as well. */
  #verifyDescriptor(entry: Entry | undefined, real: string): void {
    if (this.#scope.walkMode !== "descriptors" || entry?.fd === undefined) return;
    // Straight below the only root there is no directory on the way that could have been moved elsewhere meanwhile.
    const [root, ...others] = this.#scope.roots;
    if (others.length === 0 && root === this.#directory.path) return;
    const now = fs.readlinkSync(`/proc/self/fd/${entry.fd}`);
    if (now === real) return;
    if (now.endsWith(" (deleted)")) {
      throw new EngineError("NOT_FOUND", `${this.#shown} does not exist`, { path: real, requested: this.#shown });
    }
    if (now.startsWith("/")) this.#judge(now);
  }

  #attempt<T>(name: string, use: () => T): T {
    try {
      return use();
    } catch (error) {
      throw this.#explain(error, name);
    }
  }

  #explain(error: unknown, name: string): EngineError {
    if (error instanceof EngineError) return error;
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno === "ENOENT") return this.#fail("NOT_FOUND", name, "missing");
    if (errno === "ENOTDIR") return this.#fail("NOT_DIRECTORY", name, "file-on-the-way");
    if (errno === "ELOOP") return this.#fail("LINK_LOOP", name, "link-loop");
    if (errno === "ENAMETOOLONG") return this.#fail("INVALID_PATH", name, "too-long");
    const refusal = this.#fail("IO_ERROR", name, "io");
    return refusal.code === "IO_ERROR" ? ioError("open", this.#shown, error, refusal.details.path) : refusal;
  }

  /**
   * A failure on the way, unless policy forbids the place anyway: then only that is said, so that an answer never tells
   * what exists outside or behind a deny pattern.
   */
  #fail(code: keyof typeof FAILURES, name: string, reason: string): EngineError {
    const here = path.posix.join(this.#directory.path, name);
    const real = path.posix.join(here, ...this.#pending.toReversed());
    try {
      if (!this.#scope.roots.some((root) => isWithin(here, root))) this.#judge(here);
      this.#judge(real);
    } catch (error) {
      if (error instanceof EngineError) return error;
      throw error;
    }
    return new EngineError(code, `${this.#shown} ${FAILURES[code]}`, { path: real, requested: this.#shown, reason });
  }
}

const FAILURES = {
  NOT_FOUND: "does not exist",
  NOT_DIRECTORY: "is not a directory, or a part of it is not",
  LINK_LOOP: "leads through too many symbolic links",
  INVALID_PATH: "is too long, or has a name that is",
  CHANGED_ON_DISK: "changed while it was being opened",
  IO_ERROR: "could not be opened",
} as const;

function components(text: string): string[] {
  return text.split("/").filter((part) => part !== "" && part !== ".");
}

function meansDirectory(text: string): boolean {
  return /(^|\/)\.{0,2}$/.test(text);
}
