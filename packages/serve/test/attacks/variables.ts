// S7: a caller's environment variables, which the loader and the programs around a sandbox would obey before it stands.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { must } from "./arena.ts";
import type { Attack, Variant } from "./arena.ts";

/** Run by a loader, a runtime or a shell before the command: refused, with a sandbox and without. */
const REFUSED: readonly (readonly [name: string, value: string])[] = [
  ["LD_PRELOAD", "./evil.so"],
  ["LD_AUDIT", "./evil.so"],
  ["NODE_OPTIONS", "--require ./evil.js"],
  ["BUN_OPTIONS", "--preload ./evil.ts"],
  ["BUN_BE_BUN", "1"],
  ["BUN_INSPECT", "ws://0.0.0.0:1/"],
  ["BASH_ENV", "./evil.sh"],
  ["ENV", "./evil.sh"],
  ["SHELLOPTS", "xtrace"],
  ["PROMPT_COMMAND", "id"],
  ["PYTHONSTARTUP", "./evil.py"],
  ["PERL5OPT", "-Mevil"],
  ["RUBYOPT", "-revil"],
  ["BOSUN_CONFIG", "./evil.toml"],
  ["BORIS_TOKEN", "x"],
  ["TERM", "() { :; }; touch hijacked"],
];

const refused: Variant[] = REFUSED.map(([name, value]) => ({
  name,
  async attempt({ server }) {
    const result = await server.call("shell", { command: "touch ran", environment: { [name]: value } });
    must(result.isError === true, "it was not refused");
    must(!existsSync(server.at("ran")) && !existsSync(server.at("hijacked")), "the command ran");
  },
}));

/** The loader itself writes where this says, also the one that loads the program that builds the sandbox. */
const loader: Variant = {
  name: "the loader's own output outside",
  async attempt(arena) {
    const environment = { LD_DEBUG: "files", LD_DEBUG_OUTPUT: path.join(arena.outside, "written") };
    const result = await arena.server.call("shell", { command: 'echo "$LD_DEBUG"', environment });
    must(JSON.stringify(result).includes("files"), "the command did not get its variable");
    must(readdirSync(arena.outside).join() === "deep,secret.txt", `outside: ${readdirSync(arena.outside).join()}`);
  },
};

const OFF_REASON = "a running command has the rights of the server's user; the server says so at its start";

export const VARIABLES: readonly Attack[] = [
  { row: "S7", title: "variables that run something before the command", variants: refused },
  { row: "S7", title: "variables that work before the sandbox does", variants: [loader], offReason: OFF_REASON },
];
