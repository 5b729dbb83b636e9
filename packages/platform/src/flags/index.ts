// Command-line flags.
export { nearest } from "./nearest.ts";
export { UsageError } from "./usage-error.ts";
