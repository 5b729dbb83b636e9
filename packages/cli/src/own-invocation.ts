// How this very Bosun is started by somebody else: the executable, or Node with the sources of this clone.
import path from "node:path";

/** In words: the first is the program. */
export type Invocation = readonly [string, ...string[]];

export function ownInvocation(): Invocation {
  if (Bun.isStandaloneExecutable) return [process.execPath];
  const root = path.resolve(import.meta.dir, "../../..");
  return ["node", path.join(root, "scripts/bun.mjs"), path.join(import.meta.dir, "main.ts")];
}

/** The hidden word under which the executable becomes a confined command (Landlock): it is its own helper program. */
export const CONFINE = "__confine";

/** Undefined when run from sources: the engine then starts its own file. */
export function sandboxHelper(): readonly string[] | undefined {
  return Bun.isStandaloneExecutable ? [process.execPath, CONFINE] : undefined;
}

/** The hidden word under which the executable looks at a recorded tree for all servers. */
export const KEEPER = "__undo-keeper";

/** Undefined when run from sources: the keeper's own file is started then. */
export function keeperInvocation(): readonly string[] | undefined {
  return Bun.isStandaloneExecutable ? [process.execPath, KEEPER] : undefined;
}
