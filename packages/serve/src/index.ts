// The tool server's public names, one by one.
export { catalogueFor, runsCommands } from "./catalogue.ts";
export { FLAGS, helpText, parseInvocation, SURFACES } from "./config.ts";
export type { Config, Invocation, Surface } from "./config.ts";
export { UsageError } from "./flags.ts";
export { createLog } from "./log.ts";
export type { Log, LogFields, LogFormat, LogLevel } from "./log.ts";
export { processIo } from "./main.ts";
export { runServe } from "./serve.ts";
export type { Io, Serving, Welcome } from "./serve.ts";
export { serveTools, VERSION } from "./serve-tools.ts";
export type { ServeOptions, ToolService } from "./serve-tools.ts";
export type { Lead } from "./shown-paths.ts";
export type { Acts, ServedTool, ToolCall } from "./served-tool.ts";
