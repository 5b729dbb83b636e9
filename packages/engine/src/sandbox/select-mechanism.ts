// Which mechanism confines commands here: found once, at start, by running a command in each and looking whether it was
// really kept in.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { EngineError } from "../engine-error.ts";
import { unconfined } from "../process/sandbox-words.ts";
import { makePrivateFolder } from "../process/private-files.ts";
import { heldBy } from "./boundary.ts";
import { bubblewrapConfinement } from "./bubblewrap.ts";
import { describeSandbox } from "./describe.ts";
import { landlockConfinement } from "./landlock.ts";
import { MountpointLocks } from "./mountpoint-locks.ts";
import { namespaceConfinement } from "./namespaces.ts";
import { refreshedConfinement } from "./refreshed-confinement.ts";
import { seatbeltConfinement } from "./seatbelt.ts";
import { findNamespaceTools, findSystemProgram } from "./system-programs.ts";
import type { Confinement, Wrapped } from "../process/sandbox-words.ts";
import type { Boundary, HeldPlace } from "./boundary.ts";
import type { Mechanism, SandboxDescription } from "./describe.ts";

export type SandboxMode = "auto" | "require" | "off";

export type SandboxOptions = {
  readonly mode: SandboxMode;
  /** Try only these, in this order. */
  readonly mechanisms?: readonly Exclude<Mechanism, "none">[];
  /** Words that start landlock-program.ts as a program. By default this runtime and that file; an executable names itself. */
  readonly helper?: readonly string[];
  /** A folder of ours, out of every command's reach, where servers say which mount points they need. */
  readonly lockFolder?: string;
  /** What a person's programs obey, asked before each command. The same list means that nothing changed. */
  readonly findHeld?: () => readonly HeldPlace[];
  /** The boundary as it is now, when its rules have wildcards: asked again before commands. */
  readonly reread?: () => Promise<Boundary>;
};

export type Attempt = { readonly mechanism: Mechanism; readonly works: boolean; readonly why: string };

export type Sandbox = {
  readonly mechanism: Mechanism;
  readonly confinement: Confinement;
  readonly description: SandboxDescription;
  /** What was tried, for `bosun doctor`. */
  readonly attempts: readonly Attempt[];
};

type BuildOptions = SandboxOptions & {
  readonly locks: MountpointLocks | undefined;
  readonly bindsDescriptors: boolean;
};

const OLD_BUBBLEWRAP =
  "works, but is old: it mounts by names, so a folder that is replaced in the moment a command starts is not noticed; update bubblewrap";
const TRIAL_MS = 10_000;
const WORKED = 42;
const STDIO_FDS = 3;

/** Throws SANDBOX_UNAVAILABLE when one is required and none works. */
export async function chooseSandbox(boundary: Boundary, options: SandboxOptions): Promise<Sandbox> {
  const attempts: Attempt[] = [];
  if (options.mode !== "off") {
    const locks = process.platform === "linux" ? new MountpointLocks(options.lockFolder) : undefined;
    for (const mechanism of options.mechanisms ?? candidates()) {
      const building = { ...options, locks, bindsDescriptors: true };
      const { confinement, attempt } = await tryMechanism(mechanism, boundary, building);
      attempts.push(attempt);
      if (confinement !== undefined)
        return { mechanism, confinement, description: describeSandbox(mechanism, boundary), attempts };
    }
  }
  if (options.mode === "require") {
    const tried = attempts.map((attempt) => `${attempt.mechanism}: ${attempt.why}`).join("; ");
    throw new EngineError(
      "SANDBOX_UNAVAILABLE",
      `no sandbox works here (${tried || "none exists for this platform"})`,
      { reason: tried },
    );
  }
  return { mechanism: "none", confinement: unconfined, description: describeSandbox("none", boundary), attempts };
}

function candidates(): Exclude<Mechanism, "none">[] {
  if (process.platform === "darwin") return ["seatbelt"];
  return process.platform === "linux" ? ["bubblewrap", "namespaces", "landlock"] : [];
}

type Outcome = { readonly confinement: Confinement | undefined; readonly attempt: Attempt };

async function tryMechanism(
  mechanism: Exclude<Mechanism, "none">,
  boundary: Boundary,
  options: BuildOptions,
): Promise<Outcome> {
  const failed = (why: string): Outcome => ({ confinement: undefined, attempt: { mechanism, works: false, why } });
  const confinement = build(mechanism, boundary, options);
  if (typeof confinement === "string") return failed(confinement);
  const why = await trial(confinement, boundary);
  if (why !== undefined) confinement.close?.();
  if (why?.includes("--bind-fd") === true && options.bindsDescriptors)
    return tryMechanism(mechanism, boundary, { ...options, bindsDescriptors: false });
  if (why !== undefined) return failed(why);
  const attempt = { mechanism, works: true, why: options.bindsDescriptors ? "works" : OLD_BUBBLEWRAP };
  if (options.reread === undefined) return { confinement, attempt };
  const rebuild = (changed: Boundary): Confinement => {
    const built = build(mechanism, changed, options);
    if (typeof built !== "string") return built;
    throw new EngineError("START_FAILED", `could not start command: ${built}`, { reason: "sandbox" });
  };
  return { confinement: refreshedConfinement(confinement, boundary, rebuild, options.reread), attempt };
}

/** The confinement, or why it cannot even be tried. */
function build(mechanism: Exclude<Mechanism, "none">, boundary: Boundary, options: BuildOptions): Confinement | string {
  const { locks, findHeld, bindsDescriptors } = options;
  switch (mechanism) {
    case "bubblewrap": {
      const program = findSystemProgram("bwrap");
      if (program === null || locks === undefined) return "bwrap is not installed";
      return bubblewrapConfinement(program, boundary, { locks, findHeld, bindsDescriptors });
    }
    case "namespaces": {
      const tools = findNamespaceTools();
      if (tools === undefined || locks === undefined) return "setpriv and unshare (util-linux) are not installed";
      return namespaceConfinement(tools, boundary, { locks, findHeld });
    }
    case "landlock":
      return landlockConfinement(options.helper ?? ownHelper(), boundary);
    case "seatbelt":
      return seatbeltConfinement(boundary, findHeld);
  }
}

/** Undefined when a command ran and could not see what it must not; else what went wrong. */
async function trial(confinement: Confinement, boundary: Boundary): Promise<string | undefined> {
  const folder = makePrivateFolder(); // so named that a later start sweeps it when we are killed in the middle
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove); // a server that is stopped at once does not wait for the trial
  const scratch = path.join(folder, "scratch");
  const canary = path.join(folder, "canary");
  const leave = confinement.enter?.();
  let wrapped: Wrapped | undefined;
  try {
    writeFileSync(canary, "canary\n");
    mkdirSync(scratch);
    const visible = boundary.writable.length === 0 || heldBy(boundary.writable, canary);
    const check = visible ? `exit ${WORKED}` : `cat "$1" 2>/dev/null && exit 41; exit ${WORKED}`;
    const cwd = boundary.writable[0] ?? "/";
    const words = ["/bin/sh", "-c", check, "sh", canary];
    const env = { PATH: boundary.path, HOME: boundary.home };
    wrapped = confinement.wrap(words, { cwd, env, scratch, firstFd: STDIO_FDS });
    const child = Bun.spawn([...wrapped.argv], {
      cwd: confinement.namespaced ? "/" : cwd,
      env: { ...wrapped.env },
      stdio: ["ignore", "ignore", "pipe", ...wrapped.fds],
      lazy: true,
      timeout: TRIAL_MS,
      killSignal: "SIGKILL",
    });
    const [said, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code === WORKED) return undefined;
    if (code === 41) return "it ran a command but did not keep it in";
    return said.trim().split("\n")[0]?.slice(0, 200) || `it ended with ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    leave?.();
    wrapped?.release();
    confinement.forget?.(scratch);
    process.off("exit", remove);
    remove();
  }
}

function ownHelper(): string[] {
  return [
    process.execPath,
    "--no-env-file",
    "--config=/dev/null",
    fileURLToPath(new URL("./landlock-program.ts", import.meta.url)),
  ];
}
