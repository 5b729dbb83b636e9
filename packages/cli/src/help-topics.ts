// Pages on what concerns several commands. Short: the folder docs/ has the long ones.

import { columns } from "@bosun/platform/flags";
import { COMMANDS } from "./commands.ts";

export type Topic = { readonly summary: string; text(): string | Promise<string> };

export const TOPICS: { readonly [name: string]: Topic } = {
  security: {
    summary: "what keeps an agent inside its folder",
    text: () => `What keeps an agent inside its folder

Boundary   File tools touch the working directory, or what --allow-dir names. Paths are judged by what was really
           opened; links that lead outside are refused.
Sandbox    Commands run behind the same boundary: allowed folders writable, system and toolchains readable, the
           rest of your home folder absent, the network off. bosun doctor says what enforces it here.
Protected  What git runs or obeys outside (.git/hooks, .git/config) is read-only; --open-place opens a place again.
Rules      The settings file allows, asks or denies by tool, argument, command and path. First deny wins; what
           cannot be judged is not allowed. Policy lies where no tool can write.
Approval   "ask" becomes a question to the person at the client, bound to exactly that call.
Record     Every decision and outcome, chained: bosun audit, bosun audit verify.
Network    HTTP listens on loopback, checks Host and Origin, and needs a token for any other address.
Secrets    Commands get a short list of variables (--pass-env adds some); logs and records are redacted.

  bosun serve --sandbox require             start only where commands can be confined
  bosun serve --read-only                   no tool that changes anything
  bosun serve --deny-dir '**/.env'          never touch these
`,
  },
  protocol: {
    summary: "which MCP revisions and transports",
    text: () => `Which MCP revisions and transports

Revisions  2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28 on one endpoint; the client's own first message decides.
Stdio      bosun serve --transport stdio: one client, everything it had ends with its connection.
HTTP       bosun serve: http://127.0.0.1:8080/mcp, sessions and event streams for the older revisions, plain
           requests for 2026-07-28. GET /health answers without a token.
Proxy      bosun proxy bridges: an old client to a new server and the other way round.
Stdout     belongs to the protocol; logs go to stderr.
`,
  },
  settings: {
    summary: "every key of the settings file",
    async text() {
      return settingsPage();
    },
  },
  files: {
    summary: "which files Bosun reads and writes",
    async text() {
      const { foldersOf, homeOf } = await import("@bosun/settings");
      const { config, state, data } = foldersOf(process.env, homeOf(process.env));
      return `Which files Bosun reads and writes

${config}/config.toml
    settings; --config FILE or $BOSUN_CONFIG name another. bosun help settings lists the keys.
.bosun.toml
    a project's own rules: in force once a person agreed to them, and only to make things stricter.
${state}
    the record (audit/), approvals, pins, which sandbox worked, the unpacked ripgrep (bin/). Mode 0700.
${data}
    sessions of bosun chat.

No tool can write these, also where nothing is there yet; a .bosun.toml that a tool makes is not obeyed.
`;
    },
  },
  environment: {
    summary: "variables that Bosun reads",
    text: async () => `Variables that Bosun reads

BOSUN_CONFIG       settings file
BOSUN_<OPTION>     any option of bosun serve: BOSUN_PORT=8081, BOSUN_ALLOW_DIRS=/a,/b
XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME
                   where settings, records and sessions are
NO_COLOR           no colours

Of single commands:
${await ownVariables()}

A .env or bunfig.toml of the folder Bosun is started in is never read.
`,
  },
};

/** What the commands' own tables say of variables. */
async function ownVariables(): Promise<string> {
  const found = new Map<string, { commands: string[]; help: string }>();
  for (const { programs } of Object.values(COMMANDS)) {
    for (const { name: command, flags } of await programs()) {
      for (const { name, variable, variableOnly, help } of flags) {
        if (variable === undefined) continue;
        const known = found.get(variable);
        if (known === undefined) found.set(variable, { commands: [command], help: variableOnly ? help : `--${name}` });
        else known.commands.push(command);
      }
    }
  }
  return columns([...found].map(([variable, { commands, help }]) => [variable, `${help} (${commands.join(", ")})`]));
}

/** Every key, with the flag of `bosun serve` that says the same. */
export async function settingsPage(): Promise<string> {
  const [{ settingsReference }, { PROGRAM }] = await Promise.all([import("@bosun/settings"), import("@bosun/serve")]);
  const flags = PROGRAM.flags.flatMap(({ name, setting }) => (setting === undefined ? [] : [[setting, name] as const]));
  return settingsReference(new Map(flags));
}
