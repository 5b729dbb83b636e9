// The file scope as a boundary: its roots, its rules as the real paths they cover now, and the policy files. The shell
// gets the same boundary as the file tools.
import { readdirSync } from "node:fs";
import path from "node:path";
import { EngineError } from "../failure.ts";
import { matchesGlob } from "../glob-pattern.ts";
import type { GlobPattern } from "../glob-pattern.ts";
import type { Scope } from "../scope.ts";
import type { Boundary, HeldPlace } from "./boundary.ts";

export type BoundaryOptions = {
  readonly network: boolean;
  readonly home: string;
  readonly path: string;
  readonly toolchains?: readonly string[];
  /** Policy, pins, audit, start-up files: unwritable whether they exist or not. */
  readonly protect?: readonly string[];
  /** What a person's own programs obey, as it is now. */
  readonly held?: readonly HeldPlace[];
};

// A rule that cannot be evaluated denies (threats.md): with more entries than this, commands are refused, not let loose.
const MOST_ENTRIES = 500_000;
const FOLDERS_PER_SLICE = 200;

/** Throws START_FAILED when rules with wildcards cannot be applied to this many files. */
export async function boundaryOf(scope: Scope, options: BoundaryOptions): Promise<Boundary> {
  const { protect = [], ...rest } = options;
  const wild = [...scope.deny, ...scope.readOnly].filter(hasWildcards);
  const found = wild.length === 0 ? { denied: [], readOnly: [] } : await walk(scope);
  return {
    ...rest,
    // All of a machine is no boundary: a root among others would be mounted over everything that is put in its place.
    writable: scope.roots.includes("/") ? [] : scope.roots,
    denied: [...new Set([...scope.deny.flatMap(literalPaths), ...found.denied])],
    readOnly: [...new Set([...scope.readOnly.flatMap(literalPaths), ...protect, ...found.readOnly])],
  };
}

/** Whether what the rules cover can change while the server runs. */
export function needsRereading(scope: Scope): boolean {
  return [...scope.deny, ...scope.readOnly].some(hasWildcards);
}

function literalPaths(pattern: GlobPattern): string[] {
  return pattern.alternatives.flatMap((segments) => {
    const names = segments.flatMap((segment) => (segment.kind === "literal" ? [segment.text] : []));
    return names.length === segments.length ? [names.join("/") || "/"] : [];
  });
}

function hasWildcards(pattern: GlobPattern): boolean {
  return pattern.alternatives.some((segments) => segments.some((segment) => segment.kind !== "literal"));
}

type Found = { readonly denied: string[]; readonly readOnly: string[] };

async function walk(scope: Scope): Promise<Found> {
  const found: Found = { denied: [], readOnly: [] };
  // Without roots only the working directory is searched: all of a machine cannot be, before every command.
  const queue = scope.roots.length === 0 ? [scope.workdir] : [...scope.roots];
  let entries = 0;
  let folders = 0;
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    folders += 1;
    if (folders % FOLDERS_PER_SLICE === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    for (const entry of entriesOf(folder)) {
      entries += 1;
      const file = path.join(folder, entry.name);
      if (scope.deny.some((pattern) => matchesGlob(pattern, file))) {
        found.denied.push(file);
        continue;
      }
      if (scope.readOnly.some((pattern) => matchesGlob(pattern, file))) found.readOnly.push(file);
      if (entry.isDirectory()) queue.push(file);
    }
    if (entries > MOST_ENTRIES) {
      const message = `could not start command: deny and read-only patterns cannot be applied to more than ${MOST_ENTRIES} files`;
      throw new EngineError("START_FAILED", message, { reason: "sandbox" });
    }
  }
  return found;
}

function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch {
    return []; // gone, or closed to us and so to commands too
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}
