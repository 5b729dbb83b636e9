// bosun serve: the tool server on this process's streams, as its own sandbox helper where it is an executable.
import { processIo, runServe } from "@bosun/serve";
import type { Welcome } from "@bosun/serve";
import { sandboxHelper } from "./own-invocation.ts";

export async function runServeCommand(argv: readonly string[], welcome?: Welcome): Promise<number> {
  const helper = sandboxHelper();
  return runServe(argv, {
    ...processIo(),
    ...(helper === undefined ? {} : { sandboxHelper: helper }),
    ...(welcome === undefined ? {} : { welcome }),
    guests: async () => (await import("./bcp-surface.ts")).bcpSurface(),
  });
}
