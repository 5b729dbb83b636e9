// Every command of the executable: what it is for, and how it is loaded. Nothing is loaded before it is asked for.
import type { Synopsis } from "./options.ts";

export type Run = (argv: readonly string[]) => Promise<number>;
export type Command = {
  summary: string;
  /** A name that starts this command when the executable is called by it. */
  alias?: string;
  /** Runs until somebody stops it: whatever is still open then is no reason to stay. */
  lasting?: boolean;
  load(): Promise<Run>;
  /** Its table, for completions; where there is none, the help it prints. */
  synopsis?(): Promise<Synopsis>;
  help?(): Promise<string>;
  /** Wrong words are refused without saying which were meant: then we say it. */
  silent?: boolean;
};

export const COMMANDS: { readonly [name: string]: Command } = {
  serve: {
    summary: "give an agent file, shell and search tools on this machine",
    lasting: true,
    load: async () => (await import("./serve.ts")).runServeCommand,
    help: async () => (await import("./serve.ts")).serveHelp(),
  },
  start: {
    summary: "serve this folder over loopback HTTP with a fresh token, and say how to connect",
    lasting: true,
    load: async () => (await import("./start.ts")).runStart,
    help: async () => (await import("./serve.ts")).serveHelp(),
  },
  proxy: {
    summary: "put it in front of any MCP server: the same results in fewer tokens",
    lasting: true,
    load: async () => (await import("@bosun/bcp-mcp-server/proxy")).runProxy,
    help: async () => captured((await import("@bosun/bcp-mcp-server/proxy")).runProxy),
    silent: true,
  },
  chat: {
    summary: "talk to any model; it uses your tools, and nothing runs unseen",
    alias: "aish",
    lasting: true,
    load: async () => (await import("./chat.ts")).runChat,
    help: async () => (await import("./chat.ts")).chatHelp(),
  },
  unfold: {
    summary: "turn what the proxy emitted back into the originals, line by line",
    load: async () => (await import("./unfold.ts")).runUnfold,
    synopsis: async () => (await import("./unfold.ts")).SYNOPSIS,
  },
  bcp: {
    summary: "encode, decode, inspect, validate and measure .bcp files",
    alias: "bcp",
    load: async () => (await import("./bcp.ts")).runBcpCommand,
    help: async () => (await import("./bcp.ts")).bcpHelp(),
    silent: true,
  },
  "bcp-mcp-server": {
    summary: ".bcp files for MCP clients (clients' configurations name it)",
    alias: "bcp-mcp-server",
    lasting: true,
    load: async () => (await import("@bosun/bcp-mcp-server")).runBcpMcpServer,
    help: async () => captured((await import("@bosun/bcp-mcp-server")).runBcpMcpServer),
    silent: true,
  },
  doctor: {
    summary: "what works on this machine: sandbox, search, shell, settings",
    load: async () => (await import("./doctor.ts")).runDoctor,
    synopsis: async () => (await import("./doctor.ts")).SYNOPSIS,
  },
  audit: {
    summary: "what agents did here, and whether the record is whole",
    lasting: true,
    load: async () => (await import("./audit.ts")).runAudit,
    synopsis: async () => (await import("./audit.ts")).SYNOPSIS,
  },
  init: {
    summary: "put Bosun into the configuration of Claude, Cursor or VS Code",
    load: async () => (await import("./init.ts")).runInit,
    synopsis: async () => (await import("./init.ts")).SYNOPSIS,
  },
  completions: {
    summary: "tab completion for bash, zsh and fish",
    load: async () => (await import("./completions.ts")).runCompletions,
    synopsis: async () => (await import("./completions.ts")).SYNOPSIS,
  },
  version: {
    summary: "which Bosun this is",
    load: async () => (await import("./version-command.ts")).runVersion,
    synopsis: async () => (await import("./version-command.ts")).SYNOPSIS,
  },
  help: {
    summary: "this list, a command's own help, or a page on a topic",
    load: async () => (await import("./help.ts")).runHelp,
  },
};

async function captured(run: Run): Promise<string> {
  const { capturedHelp } = await import("./completions/captured-help.ts");
  return capturedHelp(run);
}
