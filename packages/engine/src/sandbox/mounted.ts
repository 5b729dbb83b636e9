// What all confinements with a mount namespace share: the view, kept up to date, and which directories exist inside.
import { lstatSync } from "node:fs";
import path from "node:path";
import type { Confinement } from "../process/confinement.ts";
import { holds } from "./boundary.ts";
import { holdPlaces, isOurPlace } from "./placeholders.ts";
import { SCRATCH, viewOf } from "./view.ts";
import type { Boundary } from "./boundary.ts";
import type { View } from "./view.ts";

export type Assemble = (
  view: View,
  argv: readonly string[],
  cwd: string,
  scratch: string,
  filterFd: number | undefined,
) => string[];

export function mountedConfinement(boundary: Boundary, assemble: Assemble): Confinement {
  let view = viewOf(boundary);
  let state = stateOf(view);
  return {
    // Before each command: what a mount stands on may have been removed, made or replaced since the last.
    prepare: async () => {
      if (stateOf(view) === state) return;
      view = viewOf(boundary);
      state = stateOf(view);
    },
    wrap: (argv, cwd, scratch, filterFd) => assemble(view, argv, cwd, scratch, filterFd),
    outside: (directory, scratch) => outside(view, directory, scratch),
    enter: () => holdPlaces(view.placeholders),
    state: () => state,
    get allowsSpares() {
      return view.mayLinger;
    },
    get holdsPlaces() {
      return view.placeholders.length > 0;
    },
    namespaced: true,
    hidesSignals: true,
  };
}

// A mount stays on the file it was made on: when another takes its place (an editor saves by renaming), the mount is gone
// from that name.
function stateOf(view: View): string {
  return view.mounts
    .map((mount) => (mount.kind === "link" || mount.kind === "fresh" || isOurPlace(mount.at) ? "" : inodeOf(mount.at)))
    .join();
}

function inodeOf(file: string): string {
  try {
    const { dev, ino } = lstatSync(file);
    return `${dev}:${ino}`;
  } catch {
    return "";
  }
}

/** Where a directory seen inside lies outside. */
function outside(view: View, directory: string, scratch: string): string | undefined {
  const over = view.mounts.findLast((mount) => holds(mount.at, directory));
  if (over === undefined) return view.unscoped ? directory : undefined;
  switch (over.kind) {
    case "readable":
    case "writable":
      return directory;
    case "scratch":
      return path.join(scratch, path.relative(SCRATCH, directory));
    case "link":
      return directory === over.at ? undefined : directory;
    default:
      return undefined; // hidden, or gone with the command that made it
  }
}
