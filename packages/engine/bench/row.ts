// One line of a benchmark's table: ours beside a yardstick, measured in turn in the same run.

export type Row = {
  readonly what: string;
  readonly oursMs: number;
  readonly yardstick: string;
  readonly yardstickMs: number;
  /** What the design asks for: ours at most so many times the yardstick. */
  readonly allowed: number;
  readonly growthMb?: number;
};

/** Medians of interleaved rounds: on a noisy machine only turns taken side by side compare. */
export async function compare(
  rounds: number,
  ours: () => Promise<unknown>,
  yardstick: () => Promise<unknown>,
): Promise<{ oursMs: number; yardstickMs: number }> {
  const times = { ours: [] as number[], yardstick: [] as number[] };
  await ours();
  await yardstick();
  for (let round = 0; round < rounds; round += 1) {
    times.ours.push(await timed(ours));
    times.yardstick.push(await timed(yardstick));
  }
  return { oursMs: median(times.ours), yardstickMs: median(times.yardstick) };
}

/** A command to its end, its output read and dropped. */
export async function run(command: readonly string[], cwd: string): Promise<void> {
  // oxlint-disable-next-line eslint/no-restricted-properties -- the yardstick is a process of its own
  const child = Bun.spawn([...command], {
    cwd,
    env: {},
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    lazy: true,
  });
  for await (const _ of child.stdout) continue;
  await child.exited;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
