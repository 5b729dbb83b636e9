// The hidden word under which the executable becomes a confined command (Landlock): it is its own helper program.

export const CONFINE = "__confine";

/** Undefined when run from sources: the engine then starts its own file. */
export function sandboxHelper(): readonly string[] | undefined {
  return Bun.isStandaloneExecutable ? [process.execPath, CONFINE] : undefined;
}
