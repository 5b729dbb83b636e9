// Public names of @bosun/chat: the program, callable, and what a program around it can bring along.
export { AISH } from "./config.ts";
export { runAish } from "./main.ts";
export type { HostOptions } from "./program.ts";
export { processIo } from "./screen/program-io.ts";
export type { Io, Keyboard, Output } from "./screen/program-io.ts";
export type { OpenBuiltIn } from "./servers/server-config.ts";
