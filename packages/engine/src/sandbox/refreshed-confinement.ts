// A confinement whose rules cover different files over time: looked at again before a command, at most so often.
import type { Confinement } from "../process/sandbox-words.ts";
import type { Boundary } from "./boundary.ts";

// A walk over a large tree costs milliseconds; commands come in bursts.
const FRESH_MS = 2000;
/** A walk that took long is worth so many times its own time: commands must get on in between. */
const WORTH = 5;

export function refreshedConfinement(
  first: Confinement,
  boundary: Boundary,
  build: (boundary: Boundary) => Confinement,
  reread: () => Promise<Boundary>,
): Confinement {
  let current = first;
  let known = keyOf(boundary);
  // The first command has the files looked at: what it is given here may come from the rules' text alone.
  let readAt = -Infinity;
  let freshMs = FRESH_MS;
  let reading: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const startedAt = performance.now();
    const found = await reread();
    readAt = performance.now();
    freshMs = Math.max(FRESH_MS, (readAt - startedAt) * WORTH);
    const key = keyOf(found);
    if (key === known) return;
    known = key;
    const next = build(found);
    current.close?.();
    current = next;
  };
  return {
    ...first,
    prepare: async () => {
      if (performance.now() - readAt >= freshMs) {
        reading ??= look().finally(() => (reading = undefined));
        await reading;
      }
      await current.prepare?.();
    },
    wrap: (argv, options) => current.wrap(argv, options),
    get allowsPrestart() {
      return current.allowsPrestart ?? true;
    },
    get holdsPlaces() {
      return current.holdsPlaces === true;
    },
    close: () => current.close?.(),
    state: () => `${known} ${current.state?.() ?? ""}`,
    outside: (directory, scratch) => current.outside(directory, scratch),
    enter: () => current.enter?.() ?? (() => undefined),
    forget: (scratch) => current.forget?.(scratch),
  };
}

function keyOf({ denied, readOnly }: Boundary): string {
  return JSON.stringify([denied, readOnly]);
}
