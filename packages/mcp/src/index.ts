// The Model Context Protocol, for servers and clients, all revisions from 2025-03-26 to 2026-07-28.
// The names stand in the three files below; programs that care for their start-up import only the side they need.
export * from "./server-entry.ts";
export * from "./http-entry.ts";
export * from "./client-entry.ts";
