// The proxy: what other MCP servers say, in fewer tokens.
export { runProxy } from "./run-proxy.ts";
export type { LocalServer } from "./local-tools.ts";
