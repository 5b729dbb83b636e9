// In which mechanism a bare command runs here: in a few milliseconds all that a machine as a whole refuses (namespaces,
// mounts, /proc), before any boundary is known. It proves nothing about the boundary: `chooseSandbox` does that.
import { bareBubblewrap } from "./bubblewrap.ts";
import { bareNamespaces } from "./namespaces.ts";
import { findNamespaceTools, findSystemProgram } from "./system-programs.ts";

export type Probed = "bubblewrap" | "namespaces";

const PROBE_MS = 10_000;
const RAN = 42;
const COMMAND = ["/bin/sh", "-c", `exit ${RAN}`];

/** The best one that runs a command; undefined when only `chooseSandbox` can tell what is left. */
export async function probeSandbox(network: boolean): Promise<Probed | undefined> {
  if (process.platform !== "linux") return undefined;
  const bwrap = findSystemProgram("bwrap");
  if (bwrap !== null && (await runs(bareBubblewrap(bwrap, network, COMMAND)))) return "bubblewrap";
  const tools = findNamespaceTools();
  const mounts = findSystemProgram("mount") !== null && findSystemProgram("pivot_root") !== null;
  return tools !== undefined && mounts && (await runs(bareNamespaces(tools, network, COMMAND)))
    ? "namespaces"
    : undefined;
}

async function runs(argv: readonly string[]): Promise<boolean> {
  try {
    const child = Bun.spawn([...argv], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
      timeout: PROBE_MS,
      killSignal: "SIGKILL",
    });
    return (await child.exited) === RAN;
  } catch {
    return false; // the program could not be started
  }
}
