// The words of `npm run soak` → what to do, or what was wrong with them.
import { existsSync } from "node:fs";
import path from "node:path";

export type SoakOptions = {
  readonly minutes: number;
  readonly seed: number;
  /** Load, then rest, then look: so long is one round. */
  readonly cycleSeconds: number;
  /** How Bosun is started. */
  readonly program: readonly string[];
  readonly json: string | undefined;
};

export const USAGE = `npm run soak -- [options]: real servers and proxies under load, kills, floods and bad input

  --minutes N          how long (1); fractions work
  --seed N             the same sequence of deeds again (1)
  --cycle SECONDS      load between two looks at rest (8)
  --executable FILE    a built executable, such as dist/bosun; without it the sources
  --json FILE          everything that was counted and measured

Ends with 0 when nothing leaked, no answer was lost, doubled or wrong and no process was left; 1 otherwise.`;

const root = path.resolve(import.meta.dir, "../..");
const FROM_SOURCES = [
  process.execPath,
  "--no-env-file",
  "--config=/dev/null",
  path.join(root, "packages/cli/src/main.ts"),
];

export function parseSoakOptions(words: readonly string[]): SoakOptions | { problem: string } {
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at += 2) {
    const [name = "", value] = [words[at], words[at + 1]];
    if (!["--minutes", "--seed", "--cycle", "--executable", "--json"].includes(name))
      return { problem: `unknown option ${name}` };
    if (value === undefined) return { problem: `${name} needs a value` };
    given.set(name, value);
  }
  const minutes = Number(given.get("--minutes") ?? "1");
  const seed = Number(given.get("--seed") ?? "1");
  const cycleSeconds = Number(given.get("--cycle") ?? "8");
  if (!(minutes > 0 && minutes <= 10_000)) return { problem: "--minutes must be a number above 0" };
  if (!Number.isSafeInteger(seed)) return { problem: "--seed must be a whole number" };
  if (!(cycleSeconds >= 0.5 && cycleSeconds <= 600)) return { problem: "--cycle must be from 0.5 to 600 seconds" };
  const executable = given.get("--executable");
  if (executable !== undefined && !existsSync(executable)) return { problem: `there is no ${executable}` };
  const program = executable === undefined ? FROM_SOURCES : [path.resolve(executable)];
  return { minutes, seed, cycleSeconds, program, json: given.get("--json") };
}
