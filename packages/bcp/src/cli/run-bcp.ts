// bcp encode | decode | inspect | validate | stats: words in, exit code out (README.md).

import { helpText, readFlags, suggestion, UsageError } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import { commandsOf, programOf, VERSION } from "./help-text.ts";
import type { CommandName } from "./help-text.ts";
import { CliFailure, ReaderGone } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { refuseNonUtf8Words } from "./non-utf8-arguments.ts";

type Run = (io: BcpIo, file: string, parsed: FlagValues) => Promise<number>;

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
  const program = programOf(io.program ?? "bcp");
  // Global options may come before the command; the first other word is the command.
  const at = args.findIndex((word) => !word.startsWith("-"));
  const before = readFlags(program, at < 0 ? args : args.slice(0, at));
  const name = at < 0 ? undefined : args[at];
  const words = at < 0 ? [] : args.slice(at + 1);
  if (before.isHelp) return printHelp(io, program);
  if (before.has("version")) return print(io, VERSION);
  if (name === "help") return help(io, program, words);
  if (name === undefined) throw new UsageError("a command is missing: encode, decode, inspect, validate or stats");
  const commands = commandsOf(program.name);
  if (!isCommand(name)) {
    const known = Object.keys(commands);
    const hint = suggestion(name, known, `there are: ${known.join(", ")}`);
    throw new UsageError(`unknown command ${JSON.stringify(name)}; ${hint}`);
  }
  const parsed = readFlags(commands[name], words);
  if (parsed.isHelp) return printHelp(io, commands[name]);
  const [file, ...surplus] = parsed.operands;
  if (file === undefined) throw new UsageError(`a file is missing: ${commands[name].usage.join()}`);
  if (surplus.length > 0) throw new UsageError(`one file at a time: unexpected ${JSON.stringify(surplus[0])}`);
  return (await RUN[name]())(io, file, parsed);
}

async function help(io: BcpIo, program: Program, words: readonly string[]): Promise<number> {
  const [name, ...surplus] = words;
  if (name === undefined || name === "help") return printHelp(io, program);
  if (!isCommand(name) || surplus.length > 0) throw new UsageError(`no help for ${JSON.stringify(words.join(" "))}`);
  return printHelp(io, commandsOf(program.name)[name]);
}

function printHelp(io: BcpIo, program: Program): Promise<number> {
  return print(io, helpText(program));
}

async function print(io: BcpIo, text: string): Promise<number> {
  await io.stdout(`${text}\n`);
  return 0;
}

async function isInteractive({ interactive }: BcpIo): Promise<boolean> {
  return typeof interactive === "function" ? interactive() : interactive === true;
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(RUN, name);
}

/** The tables of the command line: its own, and one for each of its commands. */
export function bcpPrograms(): readonly Program[] {
  return [programOf("bcp"), ...Object.values(commandsOf("bcp"))];
}
