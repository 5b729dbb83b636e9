// A place that was resolved a while ago, just before it is used: time has passed since it was judged, so it must be seen
// again that its path still leads to it.
import { EngineError } from "../engine-error.ts";
import type { Entry } from "./directory.ts";
import { resolveInScope } from "./resolve-path.ts";
import { ScopedPath } from "./scoped-path.ts";

/**
 * The same place as it is now, for the caller to dispose of. Throws CHANGED_ON_DISK when the path that was judged leads
 * elsewhere by now, when what is there was moved away, or when something else has taken its place. What the file holds may
 * have changed, and folders that were missing may have been made.
 */
export function unchangedPlace(place: ScopedPath): ScopedPath {
  const fresh = walkAgain(place);
  if (place.parent.isInPlace() && fresh.path === place.path && isSameEntry(fresh.entry, place.entry)) {
    // The descriptors are the new one's from here on.
    return new ScopedPath({ ...fresh, shown: place.shown, directoryOnly: place.directoryOnly });
  }
  fresh[Symbol.dispose]();
  throw changedSince(place);
}

/** The judged path has no link in it: wherever the walk meets one now, it arrives at another path, or nowhere. */
function walkAgain(place: ScopedPath): ScopedPath {
  try {
    return resolveInScope(place.scope, place.path, { follow: false });
  } catch (error) {
    throw error instanceof EngineError ? changedSince(place, error) : error;
  }
}

function isSameEntry(now: Entry | undefined, then: Entry | undefined): boolean {
  return now?.stat.dev === then?.stat.dev && now?.stat.ino === then?.stat.ino && now?.kind === then?.kind;
}

function changedSince({ path, shown }: ScopedPath, cause?: unknown): EngineError {
  const message = `${shown} was moved, made or replaced after the question about it was asked; nothing was done. Call again to be asked about what is there now`;
  return new EngineError("CHANGED_ON_DISK", message, { path, requested: shown }, cause);
}
