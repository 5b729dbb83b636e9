// The entry: command line → what runs. Callable inside another program; ends with an exit code, never by itself.
import { helpText, UsageError } from "@bosun/platform/flags";
import { AISH, parseArguments, programCalled } from "./config.ts";
import type { Config } from "./config.ts";
import { EXIT } from "./exit.ts";
import { runPrint } from "./print/print.ts";
import { VERSION } from "@bosun/platform/version";
import type { HostOptions } from "./program.ts";
import { processIo } from "./screen/program-io.ts";
import type { Io } from "./screen/program-io.ts";

/** A run that was ended by a signal does not wait longer than this for a reader that has stopped reading. */
const ORDERED_END_MS = 2000;

/** Resolves when the run is over and everything it said has left the process. */
export async function runAish(argv: readonly string[], io: Io = processIo(), host: HostOptions = {}): Promise<number> {
  const code = await run(argv, io, host);
  const withinMs = code > 128 || code === EXIT.time ? ORDERED_END_MS : undefined;
  await Promise.all([io.stdout.drained(withinMs), io.stderr.drained(withinMs)]);
  return code;
}

async function run(argv: readonly string[], io: Io, host: HostOptions): Promise<number> {
  const name = host.name ?? AISH.name;
  let config: Config;
  try {
    config = parseArguments(argv, io.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.stderr.write(`${name}: ${error.message}\nTry ${name} --help.\n`);
    return EXIT.usage;
  }
  switch (config.kind) {
    case "help":
      io.stdout.write(`${helpText(programCalled(name))}\n`);
      return 0;
    case "version":
      io.stdout.write(`${name} ${VERSION}\n`);
      return 0;
    default:
  }
  if (config.kind === "chat") {
    const { options, prompt } = config;
    const isPiped = io.keyboard === undefined || !io.stdout.isTerminal;
    const isScript = options.print || (isPiped && (prompt !== "" || io.keyboard === undefined));
    if (isScript || io.keyboard === undefined) return runPrint(io, options, prompt, host);
    const { startRepl } = await import("./repl/start-repl.ts");
    return startRepl(io, io.keyboard, options, prompt, host);
  }
  const { runSubcommand } = await import("./commands/subcommand.ts");
  return runSubcommand(io, config, host);
}

if (import.meta.main) {
  const io = processIo();
  // Until the screen has its own handler, and where there is no screen: said, and no code of ours is borrowed.
  process.on("unhandledRejection", (mistake) => {
    if (process.listenerCount("unhandledRejection") > 1) return;
    console.error(mistake);
    // oxlint-disable-next-line no-restricted-properties -- the entry, in a state nobody planned for
    process.exit(70);
  });
  const code = await runAish(process.argv.slice(2), io);
  // eslint-disable-next-line no-restricted-properties -- the entry: everything is flushed, and a server may still hold us
  process.exit(code);
}
