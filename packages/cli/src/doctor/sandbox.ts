// Which sandboxes work here: every mechanism of this platform tried on its own, as the server would use it.
import { boundaryOf, chooseSandbox, closeScope, openScope } from "@bosun/engine";
import type { Attempt, Mechanism, SandboxDescription } from "@bosun/engine";
import { homeOf, protectedPaths } from "@bosun/settings";
import { sandboxHelper } from "../own-invocation.ts";
import { sandboxAdvice } from "./advice.ts";

export type SandboxFindings = {
  /** What `--sandbox auto` takes. */
  readonly mechanism: Mechanism;
  readonly attempts: readonly Attempt[];
  readonly description: SandboxDescription;
  /** How to get one, or a better one, on this very machine. */
  readonly advice: readonly string[];
};

export type Here = { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> };

const MECHANISMS: Readonly<Partial<Record<NodeJS.Platform, readonly Exclude<Mechanism, "none">[]>>> = {
  linux: ["bubblewrap", "namespaces", "landlock"],
  darwin: ["seatbelt"],
};

export async function examineSandboxes({ cwd, env }: Here): Promise<SandboxFindings> {
  const home = homeOf(env);
  const scope = openScope({ workdir: cwd, roots: [cwd] });
  try {
    const protect = protectedPaths(undefined, env, home, cwd);
    const boundary = await boundaryOf(scope, { network: false, home, path: env["PATH"] ?? "", protect });
    const helper = sandboxHelper();
    // One after the other: each runs a command, and together they would disturb each other's time limit.
    const tried = [];
    for (const mechanism of MECHANISMS[process.platform] ?? []) {
      const options = { mode: "auto", mechanisms: [mechanism], ...(helper === undefined ? {} : { helper }) } as const;
      tried.push(await chooseSandbox(boundary, options));
    }
    const best = tried.find(({ mechanism }) => mechanism !== "none");
    const none = best ?? (await chooseSandbox(boundary, { mode: "off" }));
    const attempts = tried.flatMap((sandbox) => sandbox.attempts);
    const { mechanism, description } = none;
    return { mechanism, attempts, description, advice: sandboxAdvice(mechanism, attempts, description) };
  } finally {
    closeScope(scope);
  }
}
