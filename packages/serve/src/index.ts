// The tool server's public names, one by one.
export { catalogueFor, runsCommands } from "./server/tool-catalogue.ts";
export { parseInvocation, PROGRAM, SURFACES } from "./config/config.ts";
export type { Config, Invocation, Surface } from "./config/config.ts";
export { processIo } from "./main.ts";
export { runServe } from "./server/run-serve.ts";
export type { Io, Serving, Welcome } from "./server/run-serve.ts";
export { serveTools, VERSION } from "./server/serve-tools.ts";
export type { ServeOptions, ToolService } from "./server/serve-tools.ts";
export type { Lead } from "./calls/shown-paths.ts";
export type { Acts, ToolDefinition, ToolCall } from "./calls/tool-definition.ts";
