// The file scope as a boundary: its roots, its rules as the real paths they cover now, and the policy files. The shell
// gets the same boundary as the file tools.
import { EngineError } from "../engine-error.ts";
import { matchesPath } from "@bosun/platform/glob";
import type { PathGlob } from "@bosun/platform/glob";
import type { Scope } from "../scope/scope.ts";
import { entryStat } from "./entry-stat.ts";
import { entryIn } from "./path-text.ts";
import { readFolder } from "./read-folder.ts";
import type { Boundary, HeldPlace } from "./boundary.ts";

export type BoundaryOptions = {
  readonly network: boolean;
  readonly home: string;
  readonly path: string;
  /** Policy, pins, audit: unwritable where they exist. What is made in their place later is not honoured. */
  readonly protect?: readonly string[];
  readonly held?: readonly HeldPlace[];
};

// A rule that cannot be evaluated denies: with more entries than this, commands are refused, not let loose.
const MOST_ENTRIES = 5_000_000;
/** Looked at before others get their turn: a few milliseconds. */
const ENTRIES_PER_SLICE = 2000;

/** Throws START_FAILED when rules with wildcards cannot be applied to this many files. */
export async function boundaryOf(scope: Scope, options: BoundaryOptions): Promise<Boundary> {
  const boundary = literalBoundaryOf(scope, options);
  if (!needsRefresh(scope)) return boundary;
  const { denied, readOnly } = await walk(scope);
  return {
    ...boundary,
    denied: [...new Set([...boundary.denied, ...denied])],
    readOnly: [...new Set([...boundary.readOnly, ...readOnly])],
  };
}

/** The boundary as far as it can be said without looking at the files: what rules with wildcards cover is missing. */
export function literalBoundaryOf(scope: Scope, options: BoundaryOptions): Boundary {
  const { protect = [], ...rest } = options;
  return {
    ...rest,
    // All of a machine is no boundary: a root among others would be mounted over everything that is put in its place.
    writable: scope.roots.includes("/") ? [] : scope.roots,
    denied: [...new Set(scope.deny.flatMap(literalPaths))],
    readOnly: [...new Set([...scope.readOnly.flatMap(literalPaths), ...protect])].filter(
      (file) => !protect.includes(file) || entryStat(file) !== undefined,
    ),
  };
}

/** Whether what the rules cover can change while the server runs. */
export function needsRefresh(scope: Scope): boolean {
  return [...scope.deny, ...scope.readOnly].some(hasWildcards);
}

function literalPaths(pattern: PathGlob): string[] {
  return pattern.alternatives.flatMap((segments) => {
    const names = segments.flatMap((segment) => (segment.kind === "literal" ? [segment.text] : []));
    return names.length === segments.length ? [names.join("/") || "/"] : [];
  });
}

function hasWildcards(pattern: PathGlob): boolean {
  return pattern.alternatives.some((segments) => segments.some((segment) => segment.kind !== "literal"));
}

type Found = { readonly denied: string[]; readonly readOnly: string[] };

async function walk(scope: Scope): Promise<Found> {
  const found: Found = { denied: [], readOnly: [] };
  // Without roots only the working directory is searched: all of a machine cannot be, before every command.
  const queue = scope.roots.length === 0 ? [scope.workdir] : [...scope.roots];
  let entries = 0;
  let slice = 0;
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const { name, kind } of readFolder(folder)) {
      entries += 1;
      slice += 1;
      if (slice > ENTRIES_PER_SLICE) {
        slice = 0;
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      const file = entryIn(folder, name);
      if (scope.deny.some((pattern) => matchesPath(pattern, file))) {
        found.denied.push(file);
        continue;
      }
      if (scope.readOnly.some((pattern) => matchesPath(pattern, file))) found.readOnly.push(file);
      if (kind === "folder") queue.push(file);
    }
    slice += 1;
    if (entries > MOST_ENTRIES) {
      const message = `could not start command: deny and read-only patterns with wildcards cannot be applied to more than ${MOST_ENTRIES} files; name the places in full, or allow fewer folders`;
      throw new EngineError("START_FAILED", message, { reason: "sandbox" });
    }
  }
  return found;
}
