// The tool server's public names, one by one.
export { catalogueFor, runsCommands } from "./catalogue.ts";
export { parseInvocation, PROGRAM, SURFACES } from "./config.ts";
export type { Config, Invocation, Surface } from "./config.ts";
export { processIo } from "./main.ts";
export { runServe } from "./serve.ts";
export type { Io, Serving, Welcome } from "./serve.ts";
export { serveTools, VERSION } from "./serve-tools.ts";
export type { ServeOptions, ToolService } from "./serve-tools.ts";
export type { Lead } from "./shown-paths.ts";
export type { Acts, ServedTool, ToolCall } from "./served-tool.ts";
