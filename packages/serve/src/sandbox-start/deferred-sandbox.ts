// The sandbox of a server, described at once and built before the first command: looking for toolchains and trying it out
// is most of a server's start-up time, and many servers never run a command. What is described at once was remembered, or
// has just run a bare command; the proof that it keeps commands in comes before the first of them, or that one fails.
import { EngineError, chooseSandbox, describeSandbox, probeSandbox } from "@bosun/engine";
import type { Boundary, Confinement, Mechanism, Sandbox, SandboxOptions } from "@bosun/engine";
import { deferredConfinement } from "./deferred-confinement.ts";
import type { Log } from "@bosun/platform/log";
import type { Remembered, SandboxMemory } from "./probe-cache.ts";

export type Search = {
  /** The allowed folders: a mechanism may work in one place of a machine and not in another. */
  readonly place: string;
  readonly network: boolean;
  readonly memory: SandboxMemory;
  readonly log: Log;
};

export type OpeningSandbox = {
  /** For commands, which wait until it is built. */
  readonly confinement: Confinement;
  /** For what is said of it. Rejects when one is required and there is none. */
  readonly announced: Promise<Sandbox>;
};

/** Begins to look for a sandbox, beside whatever the caller does next; it is opened when its boundary is known. */
export function searchSandbox(search: Search): {
  open(boundary: Boundary, options: SandboxOptions): OpeningSandbox;
} {
  const expecting = expectSandbox(search);
  return {
    open(boundary, options) {
      const settled = settle(boundary, options, expecting, search);
      const confinement = deferredConfinement(async () => (await settled).build());
      const announced = settled.then(({ mechanism, attempts }): Sandbox => {
        return { mechanism, attempts, confinement, description: describeSandbox(mechanism, boundary) };
      });
      return { confinement, announced };
    },
  };
}

/** What is remembered, or can be found out in a few milliseconds. */
async function expectSandbox({ place, network, memory }: Search): Promise<Remembered | undefined> {
  const known = memory.recall(place);
  if (known !== undefined) return known;
  const probed = await probeSandbox(network);
  if (probed !== undefined) memory.remember(probed);
  return probed;
}

type Settled = Pick<Sandbox, "mechanism" | "attempts"> & { build(): Promise<Confinement> };

/** What is expected is built when it is needed; when nothing can be expected, everything is tried out now. */
async function settle(
  boundary: Boundary,
  options: SandboxOptions,
  expecting: Promise<Remembered | undefined>,
  search: Search,
): Promise<Settled> {
  const expected = await expecting;
  const isKnown = expected !== undefined && expected !== "unsure";
  // That none was there is no reason to refuse a start: somebody may have seen to it.
  if (isKnown && (expected !== "none" || options.mode !== "require"))
    return { mechanism: expected, attempts: [], build: () => build(boundary, options, expected, search) };
  const { mechanism, attempts, confinement } = await chooseSandbox(boundary, options);
  // When not even a bare command ran, it is the machine, not the place.
  search.memory.remember(mechanism, expected === undefined ? undefined : search.place);
  return { mechanism, attempts, build: async () => confinement };
}

/** Throws START_FAILED when what was announced does not work, and nothing that could take its place. */
async function build(
  boundary: Boundary,
  options: SandboxOptions,
  announced: Mechanism,
  { memory, place, log }: Search,
): Promise<Confinement> {
  const mechanisms = noWeakerThan(announced);
  const wanted = { ...options, mode: "auto", ...(mechanisms === undefined ? {} : { mechanisms }) } as const;
  const { mechanism, confinement } = await chooseSandbox(boundary, wanted);
  if (mechanism === announced) return confinement;
  memory.remember(mechanism === "none" ? "unsure" : mechanism, place);
  if (mechanism !== "none") {
    log("warn", "commands run in another sandbox than the start announced", { mechanism, announced });
    return confinement;
  }
  throw new EngineError(
    "START_FAILED",
    `could not start command: the sandbox (${announced}) does not work; restart the server to look for another`,
    { reason: "sandbox" },
  );
}

/** What may take its place: all that was said of it must hold. Undefined: whatever works. */
function noWeakerThan(announced: Mechanism): readonly Exclude<Mechanism, "none">[] | undefined {
  switch (announced) {
    case "none":
      return undefined;
    case "landlock":
      return ["landlock", "bubblewrap", "namespaces"];
    case "namespaces":
      return ["namespaces", "bubblewrap"];
    default:
      return [announced];
  }
}
