// Command lines: one table for each program → its parser and its help. Completions and manual pages are made from the same
// tables by @bosun/platform/flags/completions, which no program needs when it runs.
export { columns, helpText } from "./program-help.ts";
export { editDistance, nearest } from "./nearest.ts";
export { UsageError } from "./flag-table.ts";
export type { Flag, Program } from "./flag-table.ts";
export { misspeltVariables, readFlags, suggestion } from "./read-flags.ts";
export type { FlagValues } from "./read-flags.ts";
export { number, oneOf, size, whole } from "./flag-values.ts";
