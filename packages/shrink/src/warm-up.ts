// The first results of a process are slow: the vocabulary must be read and nothing is compiled yet. Who has a quiet
// moment after starting can spend it here. Works in small steps, so that nobody waits for it.
import { Shrinker } from "./shrink.ts";
import { countTokens } from "./tokens/count.ts";

export type WarmUpOptions = {
  /** Given up when this fires. */
  stop?: AbortSignal;
  /** While this holds, nothing is done: the work itself is what warms best. */
  isBusy?: () => boolean;
};

/** Of work, not of waiting: a busy machine must not be kept busier. */
const MAX_WORK_MS = 200;
const BUSY_PAUSE_MS = 50;
/** Lines of the samples, round by round: short ones while everything is slow. */
const ROUNDS = [6, 12, 24, 40, 40, 60, 60, 80, 80, 80];
/** Enough for the counting to be compiled. */
const COUNTED_ROUNDS = 6;

/** The part that every result needs, and a tenth of the work: reads the vocabulary and counts a little. */
export async function warmUpCounting({ stop }: WarmUpOptions = {}): Promise<void> {
  for (let round = 0; round < COUNTED_ROUNDS; round++) {
    await nextTurn();
    if (stop?.aborted) return;
    for (const sample of SAMPLES) countTokens(sample(round, 8));
  }
}

/** Done when everything has been exercised, or enough work was spent on it. */
export async function warmUp({ stop, isBusy = () => false }: WarmUpOptions = {}): Promise<void> {
  let workedMs = 0;
  for (const step of steps()) {
    await nextTurn();
    while (isBusy()) {
      await pause(BUSY_PAUSE_MS);
      if (stop?.aborted) return;
    }
    if (stop?.aborted) return;
    const start = performance.now();
    step();
    workedMs += performance.now() - start;
    if (workedMs > MAX_WORK_MS) return;
  }
}

function* steps(): Generator<() => void> {
  for (const [round, count] of ROUNDS.entries()) {
    const shrinker = new Shrinker({ dropStructuredCopies: true });
    for (const sample of SAMPLES) {
      yield () => shrinker.shrink({ content: [{ type: "text", text: sample(round, count) }] });
    }
  }
}

// Whatever has come in is served first.
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref?.();
  });
}

// Of each kind one, never twice the same: a text that was sent before takes a short cut.
const SAMPLES: readonly ((round: number, count: number) => string)[] = [
  (round, count) => JSON.stringify(rowsOf(round, count), undefined, 2),
  (round, count) => JSON.stringify(treeOf(round, count), undefined, 2),
  lines((i) => `/home/dev/work/project/src/part${i % 7}/file${i}.ts`),
  lines((i) => `src/file${i % 5}.ts:${i}:  const value${i} = compute(${i});`),
  lines((i) => `2026-11-15T12:00:${i % 60}.123Z INFO [worker] job ${i} finished in ${i * 3} ms`),
  lines((i) => `  ${`name${i}.service`.padEnd(60)} ${String(i * 37).padStart(8)}  running  The part number ${i}`),
  lines((i) => `${String(i).padStart(5)}  sudo tool${i % 9} -vL -t filter | jq --raw /tmp/name${i % 4}.out > x${i}`),
  lines((i) => `  const part${i} = { name: '${i % 3}', ...options };\n  if (!part${i}.ok) throw new Error('no ${i}');`),
  lines((i) => `The ${i}th sentence of a text that says something else ${i * 7} each time.`),
];

function lines(line: (i: number) => string): (round: number, count: number) => string {
  return (round, count) => Array.from({ length: count }, (_, i) => line(i + round * 100)).join("\n");
}

function rowsOf(round: number, count: number): object[] {
  return Array.from({ length: count / 2 }, (_, i) => ({
    id: i + round,
    name: `user ${i}`,
    tags: ["a", `t${round}`],
    ok: i % 2 === 0,
  }));
}

function treeOf(round: number, count: number): object[] {
  const files = [1, 2, 3, 4].map((i) => ({ name: `a${i + round}.ts`, type: "file" }));
  return Array.from({ length: count / 6 }, (_, i) => ({ name: `f${round}-${i}`, type: "directory", children: files }));
}
