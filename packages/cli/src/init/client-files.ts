// The clients whose configuration we know: where their files are, and under which key the servers stand.
import path from "node:path";

export type Place = "user" | "project";
export type Client = {
  readonly title: string;
  readonly key: "mcpServers" | "servers";
  readonly files: Readonly<Partial<Record<Place, (where: Where) => string>>>;
  /** Which of them when nobody says. */
  readonly usual: Place;
  /** Says `"type": "stdio"` in its entries. */
  readonly typed: boolean;
  /** How an entry names the open folder; undefined: servers are started in it. */
  readonly folderVariable: Readonly<Partial<Record<Place, string>>>;
  /** Servers of the user's file are started in the open folder. */
  readonly startsInFolder: boolean;
};
export type Where = {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
};

export const CLIENTS: Readonly<Record<string, Client>> = {
  "claude-code": {
    title: "Claude Code",
    key: "mcpServers",
    files: {
      user: ({ home, env }) => path.join(env["CLAUDE_CONFIG_DIR"] ?? home, ".claude.json"),
      project: ({ cwd }) => path.join(cwd, ".mcp.json"),
    },
    usual: "user",
    typed: false,
    folderVariable: {},
    startsInFolder: true,
  },
  "claude-desktop": {
    title: "Claude Desktop",
    key: "mcpServers",
    files: { user: (where) => path.join(applicationData(where), "Claude", "claude_desktop_config.json") },
    usual: "user",
    typed: false,
    folderVariable: {},
    startsInFolder: false,
  },
  cursor: {
    title: "Cursor",
    key: "mcpServers",
    files: {
      user: ({ home }) => path.join(home, ".cursor", "mcp.json"),
      project: ({ cwd }) => path.join(cwd, ".cursor", "mcp.json"),
    },
    usual: "user",
    typed: false,
    folderVariable: { user: "${workspaceFolder}", project: "${workspaceFolder}" },
    startsInFolder: false,
  },
  vscode: {
    title: "VS Code",
    key: "servers",
    files: {
      user: (where) => path.join(applicationData(where), "Code", "User", "mcp.json"),
      project: ({ cwd }) => path.join(cwd, ".vscode", "mcp.json"),
    },
    usual: "project",
    typed: true,
    folderVariable: { user: "${workspaceFolder}", project: "${workspaceFolder}" },
    startsInFolder: false,
  },
  "mcp-json": {
    title: "any client that reads .mcp.json",
    key: "mcpServers",
    files: { project: ({ cwd }) => path.join(cwd, ".mcp.json") },
    usual: "project",
    typed: false,
    folderVariable: {},
    startsInFolder: true,
  },
};

function applicationData({ home, env, platform }: Where): string {
  if (platform === "darwin") return path.join(home, "Library", "Application Support");
  if (platform === "win32") return env["APPDATA"] ?? path.join(home, "AppData", "Roaming");
  return env["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
}
