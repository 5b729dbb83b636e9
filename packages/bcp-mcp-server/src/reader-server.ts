// --mode reader: a server of three tools.
import { VERSION } from "@bosun/platform/version";
import { createServer } from "@bosun/mcp/server";
import type { Server, Tool } from "@bosun/mcp/server";
import { AllowedPaths } from "./allowed-paths.ts";
import type { Veto } from "./allowed-paths.ts";
import { bcpBinary, bcpInProcess } from "./bcp-command.ts";
import type { Config } from "./reader-config.ts";
import { explain } from "./explain-error.ts";
import { encodeBcpFile } from "./tools/encode-bcp-file.ts";
import { inspectBcpFile } from "./tools/inspect-bcp-file.ts";
import { readBcpFile } from "./tools/read-bcp-file.ts";

/** The tools themselves, for servers that offer them among others and may have rules of their own about paths. */
export async function bcpTools(
  config: Pick<Config, "allowDirs" | "cliPath" | "cliTimeoutMs" | "renderMode">,
  veto?: Veto,
): Promise<Tool[]> {
  const paths = await AllowedPaths.within(config.allowDirs, veto);
  const bcp =
    config.cliPath === undefined ? bcpInProcess(paths) : bcpBinary(config.cliPath, config.cliTimeoutMs, paths);
  return [readBcpFile(bcp, config.renderMode), inspectBcpFile(bcp), encodeBcpFile(bcp)];
}

export async function createReader(config: Config): Promise<Server> {
  return createServer({
    name: "bcp-mcp-server",
    version: VERSION,
    tools: await bcpTools(config),
    explain,
    ...(config.allowDirs.length === 0 ? {} : { instructions: `Files under: ${config.allowDirs.join(", ")}` }),
  });
}
