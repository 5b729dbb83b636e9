// A confinement that is built for the first command: all of them wait for it. What failed is tried again with the next one.
import { EngineError } from "@bosun/engine";
import type { Confinement } from "@bosun/engine";

export function deferredConfinement(build: () => Promise<Confinement>): Confinement {
  let built: Confinement | undefined;
  let building: Promise<void> | undefined;
  const buildOnce = async (): Promise<void> => {
    try {
      built = await build();
    } finally {
      building = undefined;
    }
  };
  const ready = (): Confinement => {
    if (built === undefined) throw new EngineError("START_FAILED", "could not start command: the sandbox is not ready");
    return built;
  };
  return {
    async prepare() {
      if (built === undefined) await (building ??= buildOnce());
      await ready().prepare?.();
    },
    wrap: (argv, options) => ready().wrap(argv, options),
    outside: (directory, scratch) => ready().outside(directory, scratch),
    enter: () => ready().enter?.() ?? (() => undefined),
    forget: (scratch) => built?.forget?.(scratch),
    close: () => built?.close?.(),
    get namespaced() {
      return ready().namespaced;
    },
    get hidesSignals() {
      return ready().hidesSignals;
    },
    get state() {
      return ready().state;
    },
    get allowsPrestart() {
      return ready().allowsPrestart ?? true;
    },
    get holdsPlaces() {
      return ready().holdsPlaces === true;
    },
    get onlyStdio() {
      return ready().onlyStdio === true;
    },
  };
}
