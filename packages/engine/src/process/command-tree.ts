// A command's whole tree of processes, also those that left its session, lost their parents or wiped their environment:
// found and ended.
import { takeSnapshot } from "./process-snapshot.ts";
import { tagsOf } from "./process-tags.ts";
import { pause } from "./timers.ts";
import { withDescendants } from "@bosun/platform/process-tree";
import type { ProcessRow } from "@bosun/platform/process-tree";
import type { TagTest } from "./process-tags.ts";

export type Tree = {
  /** The process we started. Its number is safe to signal only while `leaderAlive` holds: later it may be another's. */
  readonly leader: number;
  readonly leaderAlive: () => boolean;
  readonly tag: string;
  /** Leader and first child only hold a PID namespace: killing them ends all, and asking them to end would kill all. */
  readonly namespaced: boolean;
  /** On the clock of `performance.now`: what was seen earlier says nothing about it. */
  readonly startedAt: number;
};

// A tree that forks as fast as we kill is caught by the group kill, which is atomic; this bounds the rest.
const KILL_ROUNDS = 50;
const KILL_PAUSE_MS = 10;

/** Asks everything in the tree to end. */
export async function terminateTree(tree: Tree): Promise<void> {
  const members = await membersOf(tree);
  // Nothing inside carries the label yet: the sandbox is still being built, and there is nobody to ask.
  if (tree.namespaced && !members.some((row) => tagsOf(row.pid).includes(tree.tag))) {
    // The group, not the leader alone: bubblewrap's child goes on building without it, and makes again, in the person's folder
    // and empty, what is mounted on and was removed with the leader's end.
    if (tree.leaderAlive()) signal(-tree.leader, "SIGKILL");
    return;
  }
  const wholeGroup = !tree.namespaced && tree.leaderAlive();
  if (wholeGroup) signal(-tree.leader, "SIGTERM");
  for (const row of members) {
    if (wholeGroup && row.group === tree.leader) continue; // asked once already; a trap must not run twice
    // What holds the namespace has the variable, from us, but not the limit, which the shell inside sets.
    if (tree.namespaced && !tagsOf(row.pid).includes(tree.tag)) continue;
    signal(row.pid, "SIGTERM");
  }
}

/** Kills everything in the tree, until nothing of it is left. */
export async function killTree(tree: Tree): Promise<void> {
  await killUntilGone(async (notBefore) => {
    if (tree.leaderAlive()) signal(-tree.leader, "SIGKILL");
    return membersOf(tree, notBefore);
  });
}

/** Every live process that belongs to the tree. */
export async function membersOf(tree: Tree, notBefore = tree.startedAt): Promise<ProcessRow[]> {
  const roots = tree.leaderAlive() ? [tree.leader] : [];
  return findMembers(roots, (tag) => tag === tree.tag, notBefore);
}

/** Every live process that carries a matching tag, descends from one, or shares a live leader's group. */
export async function findMembers(
  leaders: readonly number[],
  matches: TagTest,
  notBefore: number,
): Promise<ProcessRow[]> {
  const { rows, byParent, labels } = await takeSnapshot(notBefore);
  const own = rows.filter((row) => leaders.includes(row.group) || labels(row.pid).some(matches));
  const members = withDescendants([...leaders, ...own.map(({ pid }) => pid)], byParent);
  return rows.filter((row) => members.has(row.pid));
}

/** Kills whatever carries a matching tag, until nothing does. */
export async function killTagged(matches: TagTest): Promise<void> {
  await killUntilGone((notBefore) => findMembers([], matches, notBefore));
}

// Gone is what two looks in a row do not find: a parent may end, and its child begin, while one look is taken.
async function killUntilGone(find: (notBefore: number) => Promise<ProcessRow[]>): Promise<void> {
  let empty = 0;
  for (let round = 0; round < KILL_ROUNDS && empty < 2; round++) {
    const members = await find(performance.now());
    empty = members.length === 0 ? empty + 1 : 0;
    // A leader with its group: what it started since we looked must not go on without it.
    for (const row of members) signal(row.pid === row.group ? -row.pid : row.pid, "SIGKILL");
    if (members.length > 0) await pause(KILL_PAUSE_MS);
  }
}

/** Asks whatever carries a matching limit to end, and says whether there was anything. */
export async function terminateTagged(matches: TagTest): Promise<boolean> {
  const members = await findMembers([], matches, performance.now());
  for (const row of members) if (tagsOf(row.pid).some(matches)) signal(row.pid, "SIGTERM");
  return members.length > 0;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ESRCH: gone. EPERM: it became another user (sudo); nothing we may do.
  }
}
