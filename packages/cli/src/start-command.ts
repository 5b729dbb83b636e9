// npm start: the tool server over this folder, on loopback, with a token made for this run, and the lines to paste.
import type { Serving } from "@bosun/serve";
import { UsageError, columns, helpText } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";
import { ownInvocation } from "./own-invocation.ts";
import { runServeCommand } from "./serve-command.ts";

const DEFAULT_PORT = 7717;
const LARGEST_PORT = 65_535;

export const PROGRAM: Program = {
  name: "bosun start",
  summary: "serve this folder over loopback HTTP with a fresh token, and say how to connect",
  usage: ["bosun start [options of bosun serve]"],
  flags: [
    { name: "port", value: "N", variable: "PORT", variableOnly: true, help: `port to listen on (${DEFAULT_PORT})` },
  ],
  examples: [
    ["npm start", "the same, from a clone"],
    ["PORT=8000 npm start", "on another port"],
    ["bosun start --read-only", "any option of bosun serve"],
    ["npm start -- --workdir ~/src/it", "another folder, from a clone"],
  ],
};

export async function runStart(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(helpText(PROGRAM));
    return 0;
  }
  // Words of the table above there are none: what follows belongs to bosun serve, whose own parser judges it.
  return command(PROGRAM, async () => {
    const words = ["--transport", "http", ...portWords(process.env["PORT"]), ...argv];
    return runServeCommand(words, { port: DEFAULT_PORT, say: (serving) => console.log(welcome(serving)) });
  })([]);
}

/** Said here, because bosun serve would call it --port. */
function portWords(port: string | undefined): string[] {
  if (port === undefined || port === "") return [];
  if (!/^\d{1,5}$/.test(port) || Number(port) > LARGEST_PORT)
    throw new UsageError(`PORT: ${JSON.stringify(port)} is not a port; it is a number from 0 to ${LARGEST_PORT}`);
  return ["--port", port];
}

function welcome({ url, token, config, sandbox }: Serving): string {
  const overHttp = { type: "http", url: url.href, headers: { Authorization: `Bearer ${token}` } };
  const [program, ...first] = ownInvocation();
  const overStdio = {
    command: program,
    args: [...first, "serve", "--transport", "stdio", "--workdir", config.workdir],
  };
  return `Bosun gives an agent ${config.readOnly ? "a look at the files" : "file, shell and search tools"} ${whereOf(config)}.

  address   ${url.href}
  token     ${token}

For Claude Code:

  claude mcp add --transport http bosun ${url.href} --header "Authorization: Bearer ${token}"

For any other client, in its configuration:

  ${JSON.stringify({ mcpServers: { bosun: overHttp } })}

Without HTTP and token, started by the client itself (${Bun.isStandaloneExecutable ? "" : "npx "}bosun init writes it for you):

  ${JSON.stringify({ mcpServers: { bosun: overStdio } })}

${sandboxLines(sandbox)}

Ctrl-C stops it and everything it started.
`;
}

function whereOf({ roots }: Serving["config"]): string {
  return roots.length === 0 ? "on this whole machine (--unscoped)" : `in ${roots.join(" and ")}, and nowhere else`;
}

/** What holds commands in, as it was found right now. */
function sandboxLines(sandbox: Serving["sandbox"]): string {
  if (sandbox === undefined) return "No tool runs commands.";
  const { mechanism, description } = sandbox;
  if (mechanism !== "none")
    return `Commands run in a sandbox (${mechanism}):\n${columns(description.enforces.map((line) => ["-", line]))}`;
  const lines = [
    ...description.gaps,
    ...(description.advice === undefined ? [] : [description.advice]),
    "bosun doctor says why, and what would help.",
  ];
  return `Commands run WITHOUT a sandbox:\n${columns(lines.map((line) => ["-", line]))}`;
}
