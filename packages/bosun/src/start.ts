// npm start: the tool server over this folder, on loopback, with a token made for this run, and the lines to paste.
import { columns, helpOf } from "./options.ts";
import type { Synopsis } from "./options.ts";
import { runServeCommand } from "./serve.ts";

const DEFAULT_PORT = 7717;

export const SYNOPSIS: Synopsis = {
  name: "start",
  summary: "serve this folder over loopback HTTP with a fresh token, and say how to connect",
  usage: ["bosun start [options of bosun serve]"],
  options: [],
  examples: [
    ["npm start", "the same, from a clone"],
    ["PORT=8000 bosun start", "on another port"],
    ["bosun start --read-only", "any option of bosun serve"],
  ],
};

export async function runStart(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(helpOf(SYNOPSIS));
    return 0;
  }
  const port = Number(process.env["PORT"] ?? DEFAULT_PORT);
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  console.log(welcome(`http://127.0.0.1:${port}/mcp`, token, process.cwd(), await sandboxLines(argv)));
  const code = await runServeCommand(["--transport", "http", "--port", String(port), "--token", token, ...argv]);
  if (code !== 0) console.error(`Another port: PORT=${port + 1} npm start`);
  return code;
}

/** What holds commands in, as it was tried right now. */
async function sandboxLines(argv: readonly string[]): Promise<string> {
  if (argv.join(" ").includes("--sandbox off")) return "Commands run WITHOUT a sandbox, as asked.";
  const { examineSandboxes } = await import("./doctor/sandbox.ts");
  const { mechanism, description, advice } = await examineSandboxes({ cwd: process.cwd(), env: process.env });
  const title =
    mechanism === "none"
      ? "Commands run WITHOUT a sandbox: none works here."
      : `Commands run in a sandbox (${mechanism}):`;
  const lines = mechanism === "none" ? [...description.gaps, ...advice] : description.enforces;
  return `${title}\n${columns(lines.map((line) => ["-", line]))}`;
}

function welcome(url: string, token: string, folder: string, sandbox: string): string {
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  return `Bosun gives an agent file, shell and search tools in ${folder}, and nowhere else.

  address   ${url}
  token     ${token}

For Claude Code:

  claude mcp add --transport http bosun ${url} --header "Authorization: Bearer ${token}"

For any other client, in its configuration:

  ${JSON.stringify({ mcpServers: { bosun: server } })}

Without HTTP, started by the client itself (bosun init writes it for you):

  ${JSON.stringify({ mcpServers: { bosun: { command: "bosun", args: ["serve", "--transport", "stdio"] } } })}

${sandbox}

Ctrl-C stops it and everything it started.
`;
}
