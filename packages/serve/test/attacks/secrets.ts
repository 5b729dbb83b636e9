// S12: what the server was given and nobody else may see: in a child, a result, the log or the record.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { CANARY, TOKEN, must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";

type Ask = readonly [name: string, tool: string, args: Record<string, unknown>];
const ASKS: readonly Ask[] = [
  ["env", "bash", { command: "env" }],
  ["export -p", "bash", { command: "export -p; declare -p; set" }],
  [
    "its own /proc entry",
    "bash",
    { command: "tr '\\0' '\\n' < /proc/self/environ; tr '\\0' '\\n' < /proc/$$/environ" },
  ],
  ["a child of a child", "bash", { command: "sh -c 'bash -c env'; setsid env; nohup env" }],
  ["a background task", "bash", { command: "env > env.txt; cat env.txt; rm env.txt" }],
  ["env in the other shell", "shell", { command: "env; cat /proc/self/environ" }],
  ["node", "run_command", { command: "node", args: ["-p", "JSON.stringify(process.env)"] }],
  ["variables by name", "bash", { command: "echo $AWS_SECRET_ACCESS_KEY $BOSUN_TOKEN $SSH_AUTH_SOCK" }],
  ["a caller's own names", "shell", { command: "env", environment: { LD_PRELOAD_X: "1" } }],
];

const asked: Variant[] = ASKS.map(([name, tool, args]) => ({
  name,
  async attempt({ server }) {
    const said = JSON.stringify(await server.request("tools/call", { name: tool, arguments: args }));
    must(
      ![CANARY, TOKEN, "/run/agent"].some((secret) => said.includes(secret)),
      `a secret was shown: ${said.slice(0, 300)}`,
    );
  },
}));

const recorded: Variant = {
  name: "the record, the log, and their modes",
  async attempt({ server }) {
    await server.bash(`echo ${CANARY} > /dev/null`);
    const folder = path.join(server.base, "state/bosun/audit");
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name);
      must(!readFileSync(file, "utf8").includes(TOKEN), `${name} holds the token`);
      must((statSync(file).mode & 0o777) === 0o600, `${name} can be read by others`);
    }
    must(!server.stderr.includes(CANARY) && !server.stderr.includes(TOKEN), "the log holds a secret");
  },
};

/** The token stands in the server's own words, which a command may find: in what it is told it is masked. */
const ownWords: Variant = {
  name: "the server's own command line",
  async attempt(arena: Arena) {
    const token = "0123456789abcdef-very-secret";
    await using server = await arena.ownHttp(["--token", token, "--tools", "coding,shell"]);
    const session = await server.session({ authorization: `Bearer ${token}` });
    const look = { command: `tr '\\0' ' ' < /proc/${server.process.pid}/cmdline; echo '${token}'` };
    const said = [await session.text("bash", look), JSON.stringify(await session.call("shell", look))].join("\n");
    must(!said.includes(token), "the token was shown");
    must(said.includes("[redacted: server token]"), "nothing was masked");
  },
};

export const SECRETS: readonly Attack[] = [
  { row: "S12", title: "the server's own secrets", variants: [...asked, recorded, ownWords] },
];
