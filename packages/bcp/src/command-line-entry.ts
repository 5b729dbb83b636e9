// What a program needs that has this command line as one of its own commands, without loading the whole library.

export { bcpPrograms, runBcp } from "./cli/run-bcp.ts";
export { processIo } from "./cli/process-io.ts";
