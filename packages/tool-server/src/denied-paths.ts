// Deny and read-only patterns → the real paths they cover now, for the sandbox, which can only hide what has a name.
// It looks once, at the start: what others create later under a denied name is hidden from the file tools alone.
import { readdirSync } from "node:fs";
import path from "node:path";
import { deniedBy, readOnlyBy } from "@bosun/engine";
import type { Scope } from "@bosun/engine";

/** Enough for large repositories. */
const MAX_ENTRIES = 200_000;
/** Trees that hold no secrets of the person's, only packages and objects: looking through them takes seconds. */
const PASSED_OVER = new Set(["node_modules", ".git"]);

export type CoveredPaths = {
  readonly denied: readonly string[];
  readonly readOnly: readonly string[];
  /** The tree was too large to be looked through to its end. */
  readonly complete: boolean;
};

/** A path as a pattern that means only itself. */
export function literalGlob(file: string): string {
  return file.replace(/[\\*?[\]{}!]/g, "\\$&");
}

export function coveredPaths(
  scope: Scope,
  patterns: { deny: readonly string[]; readOnly: readonly string[] },
): CoveredPaths {
  const denied = new Set<string>();
  const readOnly = new Set<string>();
  for (const pattern of patterns.deny) if (!hasWildcard(pattern)) denied.add(path.resolve(scope.workdir, pattern));
  for (const pattern of patterns.readOnly)
    if (!hasWildcard(pattern)) readOnly.add(path.resolve(scope.workdir, unescaped(pattern)));
  const wild = [...patterns.deny, ...patterns.readOnly].some(hasWildcard);
  if (!wild) return { denied: [...denied], readOnly: [...readOnly], complete: true };
  const pending = scope.roots.length === 0 ? [scope.workdir] : [...scope.roots];
  let looked = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of entriesOf(folder)) {
      looked += 1;
      const file = path.join(folder, entry.name);
      if (deniedBy(scope, file) !== undefined) denied.add(file);
      else if (readOnlyBy(scope, file) !== undefined) readOnly.add(file);
      else if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) pending.push(file);
    }
    if (looked > MAX_ENTRIES) return { denied: [...denied], readOnly: [...readOnly], complete: false };
  }
  return { denied: [...denied], readOnly: [...readOnly], complete: true };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // unreadable for us is unreadable for our commands
  }
}

function hasWildcard(pattern: string): boolean {
  return /(^|[^\\])[*?[{]/.test(pattern);
}

function unescaped(pattern: string): string {
  return pattern.replace(/\\(.)/g, "$1");
}
