// A confinement whose rules cover different files over time: looked at again before a command, at most so often.
import type { Confinement } from "../process/confinement.ts";
import type { Boundary } from "./boundary.ts";

// A walk over a large tree costs milliseconds; commands come in bursts.
const FRESH_MS = 2000;

export function rereadingConfinement(
  first: Confinement,
  boundary: Boundary,
  build: (boundary: Boundary) => Confinement,
  reread: () => Promise<Boundary>,
): Confinement {
  let current = first;
  let known = keyOf(boundary);
  let readAt = performance.now();
  let reading: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    const found = await reread();
    readAt = performance.now();
    const key = keyOf(found);
    if (key === known) return;
    known = key;
    current = build(found);
  };
  return {
    ...first,
    prepare: async () => {
      if (performance.now() - readAt >= FRESH_MS) {
        reading ??= look().finally(() => (reading = undefined));
        await reading;
      }
      await current.prepare?.();
    },
    wrap: (argv, cwd, scratch, filterFd) => current.wrap(argv, cwd, scratch, filterFd),
    openFilter: () => current.openFilter?.(),
    get allowsSpares() {
      return current.allowsSpares ?? true;
    },
    get holdsPlaces() {
      return current.holdsPlaces === true;
    },
    state: () => `${known} ${current.state?.() ?? ""}`,
    outside: (directory, scratch) => current.outside(directory, scratch),
    enter: () => current.enter?.() ?? (() => undefined),
    forget: (scratch) => current.forget?.(scratch),
  };
}

function keyOf({ denied, readOnly }: Boundary): string {
  return JSON.stringify([denied, readOnly]);
}
