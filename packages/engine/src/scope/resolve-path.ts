// A requested path → an open, verified place inside the scope, or the reason why not.
import path from "node:path";
import { EngineError, errnoOf, ioError } from "../engine-error.ts";
import { refuseReadOnly } from "./scoped-path.ts";
import type { ScopedPath } from "./scoped-path.ts";
import { Walk } from "./path-walk.ts";
import type { Scope } from "./scope.ts";

/** PATH_MAX; a longer text could not be opened by anyone. */
const MAX_PATH_BYTES = 4096;

export type ResolveOptions = {
  /** Where a relative path starts: the session's directory. Default: the scope's workdir. */
  readonly base?: string;
  /** Whether a link as the last component is followed. Default true; deleting and moving act on the link itself. */
  readonly follow?: boolean;
  /** Whether it will be written: then read-only patterns refuse it here already, not only when it comes to writing. */
  readonly writing?: boolean;
};

export function resolveInScope(scope: Scope, requested: string, options: ResolveOptions = {}): ScopedPath {
  checkText(requested);
  const place = walkTo(scope, requested, options);
  if (options.writing !== true) return place;
  try {
    refuseReadOnly(place);
    // As written, too: a protected name may be a link to somewhere else.
    const written = path.posix.resolve(options.base ?? scope.workdir, requested);
    scope.protection?.refuseChange({ path: written, foldCase: scope.foldCase });
    return place;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

function walkTo(scope: Scope, requested: string, options: ResolveOptions): ScopedPath {
  let walk: Walk | undefined;
  try {
    walk = new Walk(scope, requested, options.base ?? scope.workdir, options.follow ?? true);
    return walk.toEnd();
  } catch (error) {
    walk?.abandon();
    throw errnoOf(error) === undefined ? error : ioError("open", requested, error);
  }
}

/** Refuses text that no file system would take as one thinks. Everything else is literal: no `~`, no `%2e`. */
function checkText(requested: string): void {
  const refuse = (reason: string, why: string) => {
    throw new EngineError("INVALID_PATH", `invalid path: ${why}`, { requested, reason });
  };
  if (requested === "") refuse("empty", "it is empty");
  if (requested.includes("\0")) refuse("nul", "it contains a NUL character");
  if (!requested.isWellFormed()) refuse("surrogate", "it contains an unpaired surrogate");
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(requested)) refuse("url", "it is a URL, not a path");
  if (Buffer.byteLength(requested) >= MAX_PATH_BYTES) refuse("too-long", "it is too long");
}
