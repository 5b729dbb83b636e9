// bosun serve: the tool server on this process's streams, as its own sandbox helper where it is an executable.
import { helpText, processIo, runServe } from "@bosun/serve";
import type { Welcome } from "@bosun/serve";
import { sandboxHelper } from "./sandbox-helper.ts";

export async function runServeCommand(argv: readonly string[], welcome?: Welcome): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(serveHelp());
    return 0;
  }
  const helper = sandboxHelper();
  return runServe(argv, {
    ...processIo(),
    ...(helper === undefined ? {} : { sandboxHelper: helper }),
    ...(welcome === undefined ? {} : { welcome }),
    guests: async () => (await import("./bcp-surface.ts")).bcpSurface(),
  });
}

export function serveHelp(): string {
  return `${helpText().trimEnd()}

Examples:
  bosun serve --transport stdio                        for a client that starts it, in this folder only
  bosun serve --generate-token                         for clients over HTTP, on 127.0.0.1:8080/mcp
  bosun serve --transport stdio --read-only            look, but change nothing
  bosun serve --allow-dir ~/src --deny-dir '**/.env'   another boundary
  bosun serve --sandbox require --allow-network        only confined, but with the network`;
}
