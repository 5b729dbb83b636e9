// The words of `npm run soak` → what to do, or what was wrong with them.
import { existsSync } from "node:fs";
import path from "node:path";
import { number, readFlags, UsageError, whole } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";

export type SoakOptions = {
  readonly minutes: number;
  readonly seed: number;
  /** Load, then rest, then look: so long is one round. */
  readonly cycleSeconds: number;
  /** How Bosun is started. */
  readonly program: readonly string[];
  readonly json: string | undefined;
};

export const SOAK: Program = {
  name: "npm run soak --",
  summary: "real servers and proxies under load, kills, floods and bad input",
  usage: ["npm run soak -- [options]"],
  flags: [
    { name: "minutes", value: "N", help: "how long (1); fractions work" },
    { name: "seed", value: "N", help: "the same work again (1)" },
    { name: "cycle", value: "SECONDS", help: "load between two looks at rest (8)" },
    { name: "executable", value: "FILE", help: "a built executable, such as dist/bosun; without it the sources" },
    { name: "json", value: "FILE", help: "everything that was counted and measured" },
  ],
  once: true,
  examples: [],
  notes: "Ends with 0 when nothing leaked, no answer was lost, doubled or wrong and no process was left; 1 otherwise.",
};

const root = path.resolve(import.meta.dir, "../..");
const FROM_SOURCES = [
  process.execPath,
  "--no-env-file",
  "--config=/dev/null",
  path.join(root, "packages/cli/src/main.ts"),
];

/** undefined: help was asked for. Throws UsageError. */
export function parseSoakOptions(words: readonly string[]): SoakOptions | undefined {
  const flags = readFlags(SOAK, words);
  if (flags.isHelp) return undefined;
  const executable = flags.text("executable");
  if (executable !== undefined && !existsSync(executable)) throw new UsageError(`there is no ${executable}`);
  return {
    minutes: number(flags, "minutes", { min: 0.001, max: 10_000 }) ?? 1,
    seed: whole(flags, "seed", { max: Number.MAX_SAFE_INTEGER }, 1),
    cycleSeconds: number(flags, "cycle", { min: 0.5, max: 600 }) ?? 8,
    program: executable === undefined ? FROM_SOURCES : [path.resolve(executable)],
    json: flags.text("json"),
  };
}
