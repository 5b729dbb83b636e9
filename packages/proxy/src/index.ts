// The proxy: what other MCP servers say, in fewer tokens.
export { runProxy } from "./run-proxy.ts";
export type { ProxyExtras } from "./run-proxy.ts";
export type { RenderBlocks } from "./results/bcp-rendering.ts";
export type { LocalServer } from "./tools/local-tools.ts";
export { PROXY } from "./proxy-config.ts";
