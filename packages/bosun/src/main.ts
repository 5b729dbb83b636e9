#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// bosun: one executable for everything. Called as `bcp` or `bcp-mcp-server` it is that command.
import path from "node:path";
import { COMMANDS } from "./commands.ts";
import { helpText } from "./help.ts";
import { nearest } from "./nearest.ts";

export async function runBosun(argv: readonly string[], calledAs: string): Promise<number> {
  const alias = Object.values(COMMANDS).find((command) => command.alias === calledAs);
  if (alias) return (await alias.load())(argv);
  const [name = "help", ...rest] = argv;
  if (name === "help" || name === "--help" || name === "-h") return help(rest[0]);
  const command = Object.hasOwn(COMMANDS, name === "--version" ? "version" : name)
    ? COMMANDS[name === "--version" ? "version" : name]
    : undefined;
  if (command) return (await command.load())(rest);
  const close = nearest(name, Object.keys(COMMANDS));
  console.error(`bosun: there is no command ${JSON.stringify(name)}${close ? `; did you mean ${close}?` : ""}`);
  console.error("Try: bosun help");
  return 2;
}

async function help(topic: string | undefined): Promise<number> {
  const command = topic !== undefined && Object.hasOwn(COMMANDS, topic) ? COMMANDS[topic] : undefined;
  if (command) return (await command.load())(["--help"]);
  console.log(helpText());
  return topic === undefined ? 0 : 2;
}

// An error nobody expected ends the program, said once and with a code of its own.
process.on("unhandledRejection", (error) => {
  console.error(error);
  // oxlint-disable-next-line no-restricted-properties -- the entry point, in a state nobody planned for
  process.exit(70);
});

if (import.meta.main) {
  const calledAs = path.basename(process.argv0).replace(/\.exe$/, "");
  const code = await runBosun(process.argv.slice(2), calledAs);
  process.exitCode = code;
}
