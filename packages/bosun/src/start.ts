// npm start: the tool server over this folder, on loopback, with a token made for this run, and the lines to paste.
import { processIo, runServe } from "@bosun/tool-server";

const DEFAULT_PORT = 7717;

export async function runStart(argv: readonly string[]): Promise<number> {
  const port = Number(process.env["PORT"] ?? DEFAULT_PORT);
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  console.log(welcome(`http://127.0.0.1:${port}/mcp`, token, process.cwd()));
  const code = await runServe(["--transport", "http", "--port", String(port), "--token", token, ...argv], processIo());
  if (code !== 0) console.error(`Another port: PORT=${port + 1} npm start`);
  return code;
}

function welcome(url: string, token: string, folder: string): string {
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  return `Bosun gives an agent file, shell and search tools in ${folder}, and nowhere else.

  address   ${url}
  token     ${token}

For Claude Code:

  claude mcp add --transport http bosun ${url} --header "Authorization: Bearer ${token}"

For any other client, in its configuration:

  ${JSON.stringify({ mcpServers: { bosun: server } })}

Without HTTP, started by the client itself:

  ${JSON.stringify({ mcpServers: { bosun: { command: "bosun", args: ["serve", "--transport", "stdio"] } } })}

Ctrl-C stops it and everything it started.
`;
}
