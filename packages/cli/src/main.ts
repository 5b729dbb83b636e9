#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// bosun: one executable for everything. Called as `bcp`, `bcp-mcp-server` or `aish` it is that command.
import path from "node:path";
import { COMMANDS } from "./commands.ts";
import type { Command } from "./commands.ts";
import { CONFINE, KEEPER } from "./own-invocation.ts";

const WRONG_USAGE = 2;

export async function runBosun(argv: readonly string[], calledAs: string): Promise<number> {
  const chosen = choose(argv, calledAs);
  if (chosen !== undefined) return run(chosen);
  const [name = ""] = argv;
  const { suggestion } = await import("@bosun/platform/flags");
  const hint = suggestion(name, Object.keys(COMMANDS), "bosun help lists what there is");
  console.error(`bosun: there is no command ${JSON.stringify(name)}; ${hint}\nTry: bosun help`);
  return WRONG_USAGE;
}

async function run({ command, argv }: Chosen): Promise<number> {
  return (await command.load())(argv);
}

type Chosen = { readonly command: Command; readonly argv: readonly string[] };

function choose(argv: readonly string[], calledAs: string): Chosen | undefined {
  const alias = Object.values(COMMANDS).find((command) => command.alias === calledAs);
  if (alias !== undefined) return { command: alias, argv };
  const [typed = "help", ...rest] = argv;
  const name = SHORT[typed] ?? typed;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return command === undefined ? undefined : { command, argv: rest };
}

const SHORT: Readonly<Record<string, string>> = {
  "--help": "help",
  "-h": "help",
  "--version": "version",
  "-V": "version",
};

/**
 * An error nobody expected ends a command, said once and with a code of its own. One that lasts says it and goes on: the
 * other clients of a server did nothing wrong. The chat has a handler of its own while it owns the screen.
 */
function onMistake(event: "unhandledRejection" | "uncaughtException", mistake: unknown, isLasting: boolean): void {
  if (process.listenerCount(event) > 1) return;
  console.error(mistake);
  // oxlint-disable-next-line no-restricted-properties -- the entry point, in a state nobody planned for
  if (!isLasting) process.exit(70);
}

if (import.meta.main) {
  const argv = process.argv.slice(2);
  const calledAs = path.basename(process.argv0).replace(/\.exe$/, "");
  const isLasting = choose(argv, calledAs)?.command.lasting === true;
  process.on("unhandledRejection", (mistake) => onMistake("unhandledRejection", mistake, isLasting));
  process.on("uncaughtException", (mistake) => onMistake("uncaughtException", mistake, isLasting));
  if (argv[0] === CONFINE) {
    const { becomeConfined } = await import("@bosun/engine");
    await becomeConfined(argv.slice(1));
  }
  if (argv[0] === KEEPER) {
    const { becomeKeeper } = await import("@bosun/undo/keeper");
    await becomeKeeper(argv.slice(1));
  } else process.exitCode = await runBosun(argv, calledAs);
  // What a stopped server leaves open (its input, a client that does not hang up) must not keep the process.
  // oxlint-disable-next-line no-restricted-properties -- the entry point; lasting commands write synchronously
  if (isLasting) process.exit();
}
