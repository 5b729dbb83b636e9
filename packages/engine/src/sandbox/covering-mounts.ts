// What the mounts of a plan keep commands from, and whether they still do: a mount on a file is gone, for those who run as
// well, when somebody outside puts another in its place.
import type { Cover, LostPlace } from "../process/sandbox-words.ts";
import { identityAt, isSameEntry } from "./entry-identity.ts";
import { folderOf } from "./path-text.ts";
import type { EntryIdentity } from "./entry-identity.ts";
import type { Mount } from "./mount-plan.ts";
import type { Mountpoint, MountpointLocks } from "./mountpoint-locks.ts";

type Covered = LostPlace & {
  /** What was made to be mounted on; otherwise the identity of what was there. */
  readonly on: Mountpoint | EntryIdentity | undefined;
};

export class MountCover implements Cover {
  readonly folders: readonly string[];
  readonly #covered: readonly Covered[];
  readonly #locks: MountpointLocks;

  constructor(mounts: readonly Mount[], mountpoints: readonly Mountpoint[], locks: MountpointLocks) {
    const made = new Map(mountpoints.map((place) => [place.path, place]));
    this.#locks = locks;
    this.#covered = mounts.map((mount) => ({
      path: mount.at,
      isPutBack: "isPutBack" in mount && mount.isPutBack === true,
      on: made.get(mount.at) ?? identityAt(mount.at),
    }));
    this.folders = [...new Set(mounts.map(({ at }) => folderOf(at)))];
  }

  lost(): readonly LostPlace[] {
    return this.#covered.filter(({ path, on }) => {
      const now = identityAt(path);
      // Where nothing is there is nothing to see yet.
      if (on !== undefined && "path" in on) return now !== undefined && !this.#locks.isStill(on);
      return !isSameEntry(on, now);
    });
  }
}
