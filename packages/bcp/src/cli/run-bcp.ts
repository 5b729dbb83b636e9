// bcp encode | decode | inspect | validate | stats: words in, exit code out (README.md).

import { parseArguments, refuseNonUtf8Words, UsageError } from "./arguments.ts";
import type { Parsed } from "./arguments.ts";
import { commandHelp, COMMANDS, generalHelp, GLOBAL_OPTIONS, VERSION } from "./help-text.ts";
import type { CommandName } from "./help-text.ts";
import { CliFailure, ReaderGone } from "./io.ts";
import type { BcpIo } from "./io.ts";

type Run = (io: BcpIo, file: string, parsed: Parsed) => Promise<number>;

// Each loads what it needs when it is called: all of them together take longer to load than a small file to decode.
const RUN: Readonly<Record<CommandName, () => Promise<Run>>> = {
  encode: async () => (await import("./encode-command.ts")).encodeCommand,
  decode: async () => (await import("./decode-command.ts")).decodeCommand,
  inspect: async () => (await import("./inspect-command.ts")).inspect,
  validate: async () => (await import("./validate-command.ts")).validate,
  stats: async () => (await import("./stats-command.ts")).stats,
};

/** Runs one command line (without the program's name) and returns its exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runBcp(args: readonly string[], io: BcpIo): Promise<number> {
  const program = io.program ?? "bcp";
  try {
    if (io.ownWords === true) refuseNonUtf8Words(args);
    return await dispatch(args, io);
  } catch (error) {
    if (error instanceof UsageError) {
      await io.stderr(`error: ${error.message}\n\nFor more information, try '${program} --help'.\n`);
      return 2;
    }
    if (error instanceof ReaderGone) return 0;
    if (!(error instanceof CliFailure)) throw error;
    if (args.includes("--json") && error.facts["reported"] !== true) {
      await io.stdout(`${JSON.stringify({ error: { message: error.message, ...error.facts } }, undefined, 2)}\n`);
    }
    const note = [error.note, io.fixedOptions ? undefined : error.option].filter(Boolean).join("; ");
    const verbose = args.some((word) => word === "-v" || word === "--verbose") || (await isInteractive(io));
    await io.stderr(`error: ${error.message}\n${verbose && note !== "" ? `note: ${note}\n` : ""}`);
    return 1;
  }
}

async function dispatch(args: readonly string[], io: BcpIo): Promise<number> {
  // Global options may come before the command; the first other word is the command.
  const at = args.findIndex((word) => !word.startsWith("-"));
  const before = parseArguments(at < 0 ? args : args.slice(0, at), [
    ...GLOBAL_OPTIONS,
    { name: "version", short: "V", help: "" },
  ]);
  const name = at < 0 ? undefined : args[at];
  const rest = at < 0 ? [] : args.slice(at + 1);
  if (before.flags.has("help")) return print(io, generalHelp(io.program));
  if (before.flags.has("version")) return print(io, `${VERSION}\n`);
  if (name === "help") return help(io, rest);
  if (name === undefined) throw new UsageError("a command is missing: encode, decode, inspect, validate or stats");
  if (!isCommand(name)) throw new UsageError(`unknown command ${JSON.stringify(name)}`);
  const parsed = parseArguments(rest, [...COMMANDS[name].options, ...GLOBAL_OPTIONS]);
  if (parsed.flags.has("help")) return print(io, commandHelp(name, io.program));
  const [file, ...surplus] = parsed.operands;
  if (file === undefined) throw new UsageError(`a file is missing: ${io.program ?? "bcp"} ${COMMANDS[name].usage}`);
  if (surplus.length > 0) throw new UsageError(`one file at a time: unexpected ${JSON.stringify(surplus[0])}`);
  return (await RUN[name]())(io, file, parsed);
}

async function help(io: BcpIo, rest: readonly string[]): Promise<number> {
  const [name, ...surplus] = rest;
  if (name === undefined || name === "help") return print(io, generalHelp(io.program));
  if (!isCommand(name) || surplus.length > 0) throw new UsageError(`no help for ${JSON.stringify(rest.join(" "))}`);
  return print(io, commandHelp(name, io.program));
}

async function isInteractive({ interactive }: BcpIo): Promise<boolean> {
  return typeof interactive === "function" ? interactive() : interactive === true;
}

async function print(io: BcpIo, text: string): Promise<number> {
  await io.stdout(text);
  return 0;
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
