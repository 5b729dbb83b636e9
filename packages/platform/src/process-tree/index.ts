// The processes of this machine, as a table and as trees.
export { descendantsOf, isRunning, killProcesses, withDescendants } from "./descendants.ts";
export { parsePs, parseStat, readProcess, readProcesses, readProcessesNow } from "./process-table.ts";
export type { ProcessRow } from "./process-table.ts";
