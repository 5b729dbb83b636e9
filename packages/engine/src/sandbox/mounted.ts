// What all confinements with a mount namespace share: options per mount, built once per session, and which directories
// exist inside.
import { lstatSync } from "node:fs";
import path from "node:path";
import type { Confinement } from "../process/confinement.ts";
import { holds } from "./boundary.ts";
import { Placeholders } from "./placeholders.ts";
import { SCRATCH } from "./view.ts";
import type { Mount, View } from "./view.ts";

export type Assemble = (mounts: readonly string[], argv: readonly string[], cwd: string, scratch: string) => string[];

export function mountedConfinement(
  view: View,
  assemble: Assemble,
  optionsFor: (mount: Mount, scratch: string) => readonly string[],
): Confinement {
  const placeholders = new Placeholders();
  const bySession = new Map<string, readonly string[]>();
  const optionsOf = (scratch: string): readonly string[] => {
    const known = bySession.get(scratch);
    if (known !== undefined) return known;
    const options = view.mounts.flatMap((mount) => optionsFor(mount, scratch));
    bySession.set(scratch, options);
    return options;
  };
  return {
    wrap: (argv, cwd, scratch) => assemble(optionsOf(scratch), argv, cwd, scratch),
    outside: (directory, scratch) => outside(view, directory, scratch),
    enter: () => placeholders.hold(view.placeholders),
    forget: (scratch) => void bySession.delete(scratch),
    state: () => stateOf(view),
    // A place held for an absent file would be there for as long as a shell waits: too long for somebody's folder.
    allowsSpares: view.placeholders.length === 0,
    namespaced: true,
    hidesSignals: true,
  };
}

// A mount stays on the file it was made on: when another takes its place (an editor saves by renaming), the mount is gone
// from that name.
function stateOf(view: View): string {
  return view.mounts.map((mount) => (mount.kind === "link" ? "" : inodeOf(mount.at))).join();
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
