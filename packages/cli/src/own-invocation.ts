// How this very Bosun is started by somebody else: the executable, or Node with the sources of this clone.
import path from "node:path";

/** In words: the first is the program. */
export type Invocation = readonly [string, ...string[]];

export function ownInvocation(): Invocation {
  if (Bun.isStandaloneExecutable) return [process.execPath];
  const root = path.resolve(import.meta.dir, "../../..");
  return ["node", path.join(root, "scripts/bun.mjs"), path.join(import.meta.dir, "main.ts")];
}
