// Whose a change is: by the file system's own times and the windows in which calls ran. In doubt it is nobody's alone.
import type { Window } from "./records.ts";
import type { Certainty, Change } from "./states.ts";

export type TimedChange = Change & {
  /** When it was last changed, as far as that can be known. */
  readonly timeNs: bigint;
  /** The time is that of a folder above: it says only that the change was not later. */
  readonly isBound: boolean;
};

export type Attributed = {
  readonly certainty: Certainty;
  readonly windows: readonly Window[];
  readonly changes: readonly TimedChange[];
};

/** `windows`: all that were open at any time since the last scan. */
export function attribute(changes: readonly TimedChange[], windows: readonly Window[]): Attributed[] {
  const groups = new Map<string, { certainty: Certainty; windows: Set<Window>; changes: TimedChange[] }>();
  for (const change of changes) {
    const found = candidates(change, windows);
    // Whoever was there before may have changed it first: the state before the change is then the state before both.
    const involved = found.length === 0 ? [] : windows.filter(({ fromNs }) => fromNs <= change.timeNs);
    const certainty = certaintyOf(involved);
    const key = certainty === "window" ? `window ${involved[0]?.session}` : certainty;
    const group = groups.get(key) ?? { certainty, windows: new Set(), changes: [] };
    for (const window of involved) group.windows.add(window);
    group.changes.push(change);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => ({ ...group, windows: [...group.windows] }));
}

function candidates({ timeNs, isBound }: TimedChange, windows: readonly Window[]): Window[] {
  const open = windows.filter(({ fromNs, toNs }) => fromNs <= timeNs && (toNs === undefined || timeNs <= toNs));
  return open.length > 0 || !isBound ? open : windows.filter(({ fromNs }) => fromNs <= timeNs);
}

function certaintyOf(windows: readonly Window[]): Certainty {
  const [first] = windows;
  if (first === undefined) return "outside";
  const isAlone = windows.every(
    ({ session, kind }) => session === first.session && (kind === "command" || kind === "exact"),
  );
  return isAlone ? "window" : "shared";
}
