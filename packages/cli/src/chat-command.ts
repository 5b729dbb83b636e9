// bosun chat: the conversational shell, with the tools of this folder as the server `here` inside the same process.
import path from "node:path";
import { processIo, runAish } from "@bosun/chat";
import type { OpenBuiltIn } from "@bosun/chat";
import type { Transport } from "@bosun/mcp/server";
import type { ToolService } from "@bosun/serve";
import { sandboxHelper } from "./own-invocation.ts";

const ALIAS = "here";

export async function runChat(argv: readonly string[]): Promise<number> {
  const io = processIo();
  return runAish(argv, io, {
    name: path.basename(process.argv0).startsWith("aish") ? "aish" : "bosun chat",
    builtIns: [{ alias: ALIAS, label: "the tools of this folder", ...toolsHere() }],
  });
}

function toolsHere(): { open: OpenBuiltIn; resolvePaths: ToolService["whereItLeads"] } {
  let tools: ToolService | undefined;
  return {
    async open() {
      const opened = await openHere();
      tools = opened.tools;
      return opened.client;
    },
    // The shell asks before it calls: its person sees where a path leads, and the call is held to that.
    resolvePaths: (tool, args) => tools?.whereItLeads(tool, args) ?? [],
  };
}

/** Loaded when the shell connects its servers, which is after its prompt is there. */
async function openHere(): Promise<{ client: Transport; tools: ToolService }> {
  const [{ parseInvocation, serveTools }, { serveConnection, transportPair }] = await Promise.all([
    import("@bosun/serve"),
    import("@bosun/mcp/server"),
  ]);
  const invocation = parseInvocation(["--transport", "stdio"], process.env, process.cwd());
  if (invocation.kind !== "serve") throw new Error("the tools of this folder cannot be started");
  const helper = sandboxHelper();
  // The shell asks and records itself: a second record of the same call would only confuse.
  const config = { ...invocation.config, alias: ALIAS, audit: false };
  const tools = await serveTools(config, helper === undefined ? {} : { sandboxHelper: helper });
  const [client, server] = transportPair();
  void serveConnection(tools.server, server)
    .catch(() => {})
    .then(() => tools.close());
  return { client, tools };
}
