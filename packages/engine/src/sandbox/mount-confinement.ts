// What all confinements with a mount namespace share: the mount plan, kept up to date, and which directories exist inside.
import path from "node:path";
import type { Confinement, Wrapped, WrapOptions } from "../process/sandbox-words.ts";
import { heldBy, holds } from "./boundary.ts";
import { MountPlan, SCRATCH } from "./mount-plan.ts";
import { findToolchains } from "./toolchains.ts";
import type { Boundary, HeldPlace } from "./boundary.ts";
import type { MountpointLocks } from "./mountpoint-locks.ts";

export type Assemble = (plan: MountPlan, argv: readonly string[], options: WrapOptions) => Wrapped;

export type MountedOptions = {
  readonly locks: MountpointLocks;
  /** Asked before each command: repositories come and go. The same list means that nothing changed. */
  readonly findHeld?: (() => readonly HeldPlace[]) | undefined;
};

export function mountConfinement(
  boundary: Boundary,
  { locks, findHeld = () => boundary.held ?? [] }: MountedOptions,
  assemble: Assemble,
): Confinement {
  // Once: what is shown of the machine does not change because of what commands do.
  const toolchains = findToolchains(boundary);
  let held = findHeld();
  let plan = new MountPlan(boundary, held, toolchains, locks);
  let state = plan.state();
  return {
    // Before each command: what a mount stands on may have been removed, made or replaced since the last.
    prepare: async () => {
      const now = findHeld();
      if (now === held && plan.state() === state) return;
      const next = new MountPlan(boundary, now, toolchains, locks);
      plan[Symbol.dispose]();
      [held, plan, state] = [now, next, next.state()];
    },
    wrap: (argv, options) => {
      const open = options.open ?? [];
      if (open.length === 0) return { ...assemble(plan, argv, options), cover: plan.cover };
      // A plan of its own: folders above an open place must not be mount points, or it could not be removed.
      const closed = held.filter((place) => !heldBy(open, place.path));
      const own = new MountPlan(boundary, closed, toolchains, locks);
      const wrapped = assemble(own, argv, options);
      const release = (): void => {
        wrapped.release();
        own[Symbol.dispose]();
      };
      return { ...wrapped, cover: own.cover, release };
    },
    outside: (directory, scratch) => {
      // An allowed folder that is gone, or a link now: what stands at its name inside is not it.
      const root = boundary.writable.find((one) => holds(one, directory));
      const isMissing = root !== undefined && !plan.mounts.some((mount) => mount.at === root);
      return isMissing ? undefined : outside(plan, directory, scratch);
    },
    enter: () => locks.hold(plan.mountpoints),
    close: () => plan[Symbol.dispose](),
    state: () => state,
    get allowsPrestart() {
      return plan.mayLinger;
    },
    get holdsPlaces() {
      return plan.mountpoints.length > 0;
    },
    namespaced: true,
    hidesSignals: true,
  };
}

/** Where a directory seen inside lies outside. */
function outside(plan: MountPlan, directory: string, scratch: string): string | undefined {
  const over = plan.mounts.findLast((mount) => holds(mount.at, directory));
  if (over === undefined) return plan.unscoped ? directory : undefined;
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
