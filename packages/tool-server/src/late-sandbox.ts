// A sandbox that worked in an earlier start: described at once, built and tried out before the first command. Looking for
// toolchains and trying it is most of a server's start-up time, and many servers never run a command.
import { EngineError, chooseSandbox, describeSandbox } from "@bosun/engine";
import type { Boundary, Confinement, Sandbox, SandboxOptions } from "@bosun/engine";
import type { SandboxMemory } from "./sandbox-memory.ts";

/** Undefined when nothing is remembered, or a mechanism of which too little is known before it is built. */
export function lateSandbox(boundary: Boundary, options: SandboxOptions, memory: SandboxMemory): Sandbox | undefined {
  const known = memory.recall();
  if (known !== "bubblewrap" || options.mode === "off") return undefined;
  let built: Confinement | undefined;
  let building: Promise<void> | undefined;
  const build = async (): Promise<void> => {
    const { mechanism, confinement } = await chooseSandbox(boundary, { ...options, mode: "auto", mechanisms: [known] });
    if (mechanism === known) {
      built = confinement;
      return;
    }
    memory.forget();
    building = undefined;
    throw new EngineError(
      "START_FAILED",
      `could not start command: the sandbox (${known}) no longer works; restart the server`,
      {
        reason: "sandbox",
      },
    );
  };
  const ready = (): Confinement => {
    if (built === undefined) throw new EngineError("START_FAILED", "could not start command: the sandbox is not ready");
    return built;
  };
  const confinement: Confinement = {
    async prepare() {
      building ??= build();
      await building;
      await built?.prepare?.();
    },
    wrap: (argv, cwd, scratch, filterFd) => ready().wrap(argv, cwd, scratch, filterFd),
    openFilter: () => ready().openFilter?.(),
    outside: (directory, scratch) => ready().outside(directory, scratch),
    enter: () => ready().enter?.() ?? (() => undefined),
    forget: (scratch) => built?.forget?.(scratch),
    get allowsSpares() {
      return built !== undefined && (built.allowsSpares ?? true);
    },
    get holdsPlaces() {
      return built?.holdsPlaces === true;
    },
    state: () => built?.state?.() ?? "",
    namespaced: true,
    hidesSignals: true,
  };
  return { mechanism: known, confinement, description: describeSandbox(known, boundary), attempts: [] };
}
