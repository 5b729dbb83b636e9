// One writer per real file at a time, across all clients of this process.
import { lookAgain, refuseReadOnly } from "../scope/scoped-path.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";

const tails = new Map<string, Promise<void>>();

/** Runs `work`, which writes, when nobody else works on that file, with the place as it is then. */
export async function withFileLock<T>(place: ScopedPath, work: (fresh: ScopedPath) => Promise<T>): Promise<T> {
  refuseReadOnly(place);
  return withLock(`path:${place.path}`, async () => {
    using fresh = lookAgain(place);
    const stat = fresh.entry?.stat;
    // Two names of one inode: written in place, so they need one lock. Taken second by everybody, so no circle can form.
    // Awaited here: `using` would give the descriptors back before the work is done.
    if (stat === undefined || stat.nlink < 2n || fresh.entry?.kind !== "file") return await work(fresh);
    return await withLock(`inode:${stat.dev}:${stat.ino}`, () => work(fresh));
  });
}

/** Both places, always in the same order. */
export async function withTwoLocks<T>(one: ScopedPath, other: ScopedPath, work: () => Promise<T>): Promise<T> {
  const [first, second] = one.path < other.path ? [one.path, other.path] : [other.path, one.path];
  if (first === second) return withLock(`path:${first}`, work);
  return withLock(`path:${first}`, () => withLock(`path:${second}`, work));
}

async function withLock<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = tails.get(key);
  const { promise: done, resolve: release } = Promise.withResolvers<void>();
  tails.set(key, done);
  await before;
  try {
    return await work();
  } finally {
    release();
    if (tails.get(key) === done) tails.delete(key);
  }
}
