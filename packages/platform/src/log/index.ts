// Log lines on stderr.
export { createLog, LOG_LEVELS } from "./log.ts";
export type { Log, LogFields, LogFormat, LogLevel } from "./log.ts";
