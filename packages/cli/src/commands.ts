// Every command of the executable: what it is for, and how it is loaded. Nothing is loaded before it is asked for.
import type { Program } from "@bosun/platform/flags";

export type Run = (argv: readonly string[]) => Promise<number>;
export type Command = {
  summary: string;
  /** A name that starts this command when the executable is called by it. */
  alias?: string;
  /** Runs until somebody stops it: whatever is still open then is no reason to stay. */
  lasting?: boolean;
  load(): Promise<Run>;
  /** Its table and those of the commands inside of it, for completions and manual pages. */
  programs(): Promise<readonly Program[]>;
};

export const COMMANDS: { readonly [name: string]: Command } = {
  serve: {
    summary: "give an agent file, shell and search tools on this machine",
    lasting: true,
    load: async () => (await import("./serve-command.ts")).runServeCommand,
    programs: async () => [(await import("@bosun/serve")).PROGRAM],
  },
  start: {
    summary: "serve this folder over loopback HTTP with a fresh token, and say how to connect",
    lasting: true,
    load: async () => (await import("./start-command.ts")).runStart,
    programs: async () => [(await import("./start-command.ts")).PROGRAM, (await import("@bosun/serve")).PROGRAM],
  },
  proxy: {
    summary: "put it in front of any MCP server: the same results in fewer tokens",
    lasting: true,
    load: async () => (await import("@bosun/bcp-mcp-server/proxy")).runProxy,
    programs: async () => [(await import("@bosun/proxy")).PROXY],
  },
  chat: {
    summary: "talk to any model; it uses your tools, and nothing runs unseen",
    alias: "aish",
    lasting: true,
    load: async () => (await import("./chat-command.ts")).runChat,
    programs: async () => [(await import("@bosun/chat")).AISH],
  },
  unfold: {
    summary: "turn what the proxy emitted back into the originals, line by line",
    load: async () => (await import("./unfold-command.ts")).runUnfold,
    programs: async () => [(await import("./unfold-command.ts")).PROGRAM],
  },
  bcp: {
    summary: "encode, decode, inspect, validate and measure .bcp files",
    alias: "bcp",
    load: async () => (await import("./bcp-command.ts")).runBcpCommand,
    programs: async () => (await import("@bosun/bcp/command-line")).bcpPrograms(),
  },
  "bcp-mcp-server": {
    summary: ".bcp files for MCP clients (clients' configurations name it)",
    alias: "bcp-mcp-server",
    lasting: true,
    load: async () => (await import("@bosun/bcp-mcp-server")).runBcpMcpServer,
    programs: async () => [(await import("@bosun/bcp-mcp-server")).PROGRAM],
  },
  doctor: {
    summary: "what works on this machine: sandbox, search, shell, settings",
    load: async () => (await import("./doctor-command.ts")).runDoctor,
    programs: async () => [(await import("./doctor-command.ts")).PROGRAM],
  },
  audit: {
    summary: "what agents did here, and whether the record is whole",
    lasting: true,
    load: async () => (await import("./audit-command.ts")).runAudit,
    programs: async () => [(await import("./audit-command.ts")).PROGRAM],
  },
  undo: {
    summary: "take back what agents changed, by step, call, session, path or time",
    load: async () => (await import("./undo-command.ts")).runUndo,
    programs: async () => [(await import("./undo-command.ts")).PROGRAM],
  },
  redo: {
    summary: "bring back what the newest undo took back",
    load: async () => (await import("./redo-command.ts")).runRedo,
    programs: async () => [(await import("./redo-command.ts")).PROGRAM],
  },
  changes: {
    summary: "what agents changed in a folder, as a diff",
    load: async () => (await import("./changes-command.ts")).runChanges,
    programs: async () => [(await import("./changes-command.ts")).PROGRAM],
  },
  init: {
    summary: "put Bosun into the configuration of Claude, Cursor or VS Code",
    load: async () => (await import("./init-command.ts")).runInit,
    programs: async () => [(await import("./init-command.ts")).PROGRAM],
  },
  completions: {
    summary: "tab completion for bash, zsh and fish",
    load: async () => (await import("./completions-command.ts")).runCompletions,
    programs: async () => [(await import("./completions-command.ts")).PROGRAM],
  },
  version: {
    summary: "which Bosun this is",
    load: async () => (await import("./version-command.ts")).runVersion,
    programs: async () => [(await import("./version-command.ts")).PROGRAM],
  },
  help: {
    summary: "this list, a command's own help, or a page on a topic",
    load: async () => (await import("./help-command.ts")).runHelp,
    programs: async () => [(await import("./help-command.ts")).PROGRAM],
  },
};
