// A place inside the scope, open and verified: what every file function takes instead of a path.
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import { closeEntry } from "./directory.ts";
import type { Directory, Entry } from "./directory.ts";
import { readOnlyBy } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** A real place inside the scope, held open. Only the resolver makes one; dispose of it (`using`). */
export class ScopedPath implements Disposable {
  readonly scope: Scope;
  /** Canonical and absolute. For surfaces that may show it. */
  readonly path: string;
  /** As the caller wrote it. */
  readonly shown: string;
  /** The deepest directory on the way that exists. */
  readonly parent: Directory;
  /** Directories to make below `parent` before `name` can be; empty when `parent` is the parent. */
  readonly missingParents: readonly string[];
  readonly name: string;
  /** What is there now, or undefined. */
  readonly entry: Entry | undefined;
  /** The text ended in a slash: only a directory will do. */
  readonly directoryOnly: boolean;
  /** Also makes the type nominal: an object that merely looks like one is none. */
  #open = true;

  /** For the walk alone. */
  constructor(parts: Omit<ScopedPath, typeof Symbol.dispose>) {
    this.scope = parts.scope;
    this.path = parts.path;
    this.shown = parts.shown;
    this.parent = parts.parent;
    this.missingParents = parts.missingParents;
    this.name = parts.name;
    this.entry = parts.entry;
    this.directoryOnly = parts.directoryOnly;
  }

  [Symbol.dispose](): void {
    // A descriptor closed twice would be somebody else's by then.
    if (!this.#open) return;
    this.#open = false;
    closeEntry(this.entry);
    this.parent[Symbol.dispose]();
  }
}

/** The same place, looked at again: after waiting for a lock, what is there may be another file. */
export function lookAgain(place: ScopedPath): ScopedPath {
  try {
    const entry = place.missingParents.length > 0 ? undefined : place.parent.look(place.name);
    // The resolver had followed every link it was asked to: a new one was put there since.
    if (entry?.kind === "symlink" && place.entry?.kind !== "symlink") {
      closeEntry(entry);
      throw new EngineError("CHANGED_ON_DISK", `${place.shown} was replaced by a link meanwhile`, {
        path: place.path,
        requested: place.shown,
      });
    }
    return new ScopedPath({ ...place, parent: place.parent.lend(), entry });
  } catch (error) {
    throw errnoOf(error) === undefined ? error : ioError("stat", place.shown, error, place.path);
  }
}

/** Throws READ_ONLY when a pattern protects the place from writing, PROTECTED when a person's own programs obey it. */
export function refuseReadOnly(place: ScopedPath): void {
  const { protection, foldCase } = place.scope;
  protection?.refuseChange({ path: place.path, foldCase });
  refuseHeldFile(place);
  const pattern = readOnlyBy(place.scope, place.path);
  if (pattern === undefined) return;
  const { path, shown } = place;
  throw new EngineError("READ_ONLY", `${shown} is read-only (pattern "${pattern}")`, {
    path,
    requested: shown,
    pattern,
  });
}

/** Throws PROTECTED when what is there is a protected file under another name. */
export function refuseHeldFile({ scope, entry }: ScopedPath): void {
  if (entry !== undefined) scope.protection?.refuseSameFile(entry.stat);
}

/** Throws PROTECTED when a protected place would go with it. */
export function refuseHolding({ scope, path }: ScopedPath): void {
  scope.protection?.refuseRemoval({ path, foldCase: scope.foldCase });
}
