// Log lines on stderr.
export { LOG_LEVELS, createLog, type Log, type LogLevel } from "./log.ts";
