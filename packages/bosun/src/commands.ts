// Every command of the executable: what it is for, and how it is loaded. Nothing is loaded before it is asked for.

export type Run = (argv: readonly string[]) => Promise<number>;
export type Command = {
  summary: string;
  /** A name that starts this command when the executable is called by it. */
  alias?: string;
  load(): Promise<Run>;
};

export const COMMANDS: { readonly [name: string]: Command } = {
  serve: {
    summary: "give an agent file, shell and search tools on this machine",
    async load() {
      const { processIo, runServe } = await import("@bosun/tool-server");
      return (argv) => runServe(argv, processIo());
    },
  },
  start: {
    summary: "serve this folder over loopback HTTP with a fresh token, and say how to connect",
    load: async () => (await import("./start.ts")).runStart,
  },
  proxy: {
    summary: "put it in front of any MCP server: the same results in fewer tokens",
    load: async () => (await import("@bosun/bcp-mcp-server/proxy")).runProxy,
  },
  unfold: {
    summary: "turn what the proxy emitted back into the originals, line by line",
    load: async () => (await import("./unfold.ts")).runUnfold,
  },
  bcp: {
    summary: "encode, decode, inspect, validate and measure .bcp files",
    alias: "bcp",
    load: async () => (await import("./bcp.ts")).runBcpCommand,
  },
  "bcp-mcp-server": {
    summary: ".bcp files for MCP clients (clients' configurations name it)",
    alias: "bcp-mcp-server",
    load: async () => (await import("@bosun/bcp-mcp-server")).runBcpMcpServer,
  },
  version: {
    summary: "which Bosun this is",
    load: async () => async () => {
      console.log(`bosun ${VERSION} (Bun ${Bun.version}, ${process.platform} ${process.arch})`);
      return 0;
    },
  },
};

export const VERSION = "0.1.0";
