// The sandbox of a server, described at once and built before the first command: looking for toolchains and trying it out
// is most of a server's start-up time, and many servers never run a command. What is described at once was remembered, or
// has just run a bare command; the proof that it keeps commands in comes before the first of them, or that one fails.
import { EngineError, chooseSandbox, describeSandbox, probeSandbox } from "@bosun/engine";
import type { Boundary, Confinement, Mechanism, Sandbox, SandboxOptions } from "@bosun/engine";
import type { Log } from "./log.ts";
import type { Remembered, SandboxMemory } from "./sandbox-memory.ts";

export type SandboxSearch = {
  /** The allowed folders: a mechanism may work in one place of a machine and not in another. */
  readonly place: string;
  readonly network: boolean;
  readonly memory: SandboxMemory;
  readonly log: Log;
};

/** What is known before anything was built, or can be found out in a few milliseconds. */
export async function expectSandbox({ place, network, memory }: SandboxSearch): Promise<Remembered | undefined> {
  const known = memory.recall(place);
  if (known !== undefined) return known;
  const probed = await probeSandbox(network);
  if (probed !== undefined) memory.remember(probed);
  return probed;
}

/** The sandbox that is expected, to be built when it is needed; tried out now when nothing can be expected. */
export async function openSandbox(
  boundary: Boundary,
  options: SandboxOptions,
  expected: Remembered | undefined,
  search: SandboxSearch,
): Promise<Sandbox> {
  const isLate = expected !== undefined && expected !== "unsure";
  // That none is there is no reason to refuse a start: somebody may have seen to it.
  if (isLate && (expected !== "none" || options.mode !== "require"))
    return lateSandbox(boundary, options, expected, search);
  const sandbox = await chooseSandbox(boundary, options);
  // Not even a bare command ran: then it is the machine, not the place.
  search.memory.remember(sandbox.mechanism, expected === undefined ? undefined : search.place);
  return sandbox;
}

function lateSandbox(boundary: Boundary, options: SandboxOptions, told: Mechanism, search: SandboxSearch): Sandbox {
  const { memory, place, log } = search;
  const build = async (): Promise<Confinement> => {
    const mechanisms = noWeakerThan(told);
    const now = (await options.reread?.()) ?? boundary;
    const wanted = { ...options, mode: "auto", ...(mechanisms === undefined ? {} : { mechanisms }) } as const;
    const { mechanism, confinement } = await chooseSandbox(now, wanted);
    if (mechanism === told) return confinement;
    memory.remember(mechanism === "none" ? "unsure" : mechanism, place);
    if (mechanism === "none")
      throw new EngineError(
        "START_FAILED",
        `could not start command: the sandbox (${told}) does not work; restart the server to look for another`,
        { reason: "sandbox" },
      );
    log("warn", "commands run in another sandbox than the start announced", { mechanism, announced: told });
    return confinement;
  };
  return {
    mechanism: told,
    confinement: lateConfinement(build),
    description: describeSandbox(told, boundary),
    attempts: [],
  };
}

/** What may take its place: all that was said of it must hold. Undefined: whatever works. */
function noWeakerThan(told: Mechanism): readonly Exclude<Mechanism, "none">[] | undefined {
  switch (told) {
    case "none":
      return undefined;
    case "landlock":
      return ["landlock", "bubblewrap", "namespaces"];
    case "namespaces":
      return ["namespaces", "bubblewrap"];
    default:
      return [told];
  }
}

function lateConfinement(build: () => Promise<Confinement>): Confinement {
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
    wrap: (argv, cwd, scratch, filterFd) => ready().wrap(argv, cwd, scratch, filterFd),
    openFilter: () => ready().openFilter?.(),
    outside: (directory, scratch) => ready().outside(directory, scratch),
    enter: () => ready().enter?.() ?? (() => undefined),
    forget: (scratch) => built?.forget?.(scratch),
    get namespaced() {
      return ready().namespaced;
    },
    get hidesSignals() {
      return ready().hidesSignals;
    },
    get state() {
      return ready().state;
    },
    get allowsSpares() {
      return ready().allowsSpares ?? true;
    },
    get holdsPlaces() {
      return ready().holdsPlaces === true;
    },
    get onlyStdio() {
      return ready().onlyStdio === true;
    },
  };
}
