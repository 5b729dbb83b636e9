// What `bosun proxy` adds to a call: the same server with and without it, in turns, at three sizes of result and for every
// class of content. A goal is reached when the class that takes longest reaches it.
import path from "node:path";
import { freshExecutable } from "../executable.ts";
import { CLASSES } from "../peers/results-by-class.ts";
import { median, quantile } from "../report.ts";
import type { Row, Section } from "../report.ts";
import { StdioClient } from "../stdio-client.ts";

const KIB = 1024;
/** Of each class and size. */
const WARM_UP = 20;
const CALLS = 120;

/** Size, quantile, and the most it may add. */
const GOALS: readonly [number, "p50" | "p99", number][] = [
  [2 * KIB, "p50", 1],
  [10 * KIB, "p50", 3],
  [100 * KIB, "p99", 15],
];

const server = [
  process.execPath,
  "--no-env-file",
  "--config=/dev/null",
  path.resolve(import.meta.dir, "../peers/text-server.ts"),
];

type Measured = { class: string; plain: number[]; added: number[] };

export const proxy: Section = {
  name: "proxy",
  about: "what bosun proxy adds to a call, beside the same server without it",
  async run(progress) {
    const executable = await freshExecutable(progress);
    const [direct, through] = [new StdioClient(server), new StdioClient([executable, "proxy", "--", ...server])];
    await direct.open();
    await through.open();
    const rows: Row[] = [];
    for (const [bytes, quantileName, most] of GOALS) {
      progress(`${bytes / KIB} KiB`);
      const measured = await measure(direct, through, bytes);
      rows.push(...rowsOf(measured, `${bytes / KIB} KiB, ${quantileName}`, quantileName === "p50" ? 0.5 : 0.99, most));
      const plain = median(measured.flatMap((one) => one.plain));
      rows.push({ what: `the call itself at ${bytes / KIB} KiB, p50`, unit: "ms", ours: plain, theirs: {} });
    }
    await direct.close();
    await through.close();
    return rows;
  },
};

// Classes take turns too, as in a session: what one leaves behind is there for the next.
async function measure(direct: StdioClient, through: StdioClient, bytes: number): Promise<Measured[]> {
  const measured = Object.keys(CLASSES).map((name): Measured => ({ class: name, plain: [], added: [] }));
  for (let turn = 0; turn < WARM_UP + CALLS; turn++) {
    for (const one of measured) {
      const args = { class: one.class, bytes, turn };
      const [without, with_] = [await timed(direct, args), await timed(through, args)];
      if (turn < WARM_UP) continue;
      one.plain.push(without);
      one.added.push(with_ - without);
    }
  }
  return measured;
}

function rowsOf(measured: readonly Measured[], at: string, share: number, most: number): Row[] {
  const byClass = measured
    .map((one): [string, number] => [one.class, quantile(one.added, share)])
    .sort((left, right) => right[1] - left[1]);
  const [worst, value] = byClass[0] ?? ["", Number.NaN];
  const goal: Row = {
    what: `proxy adds at ${at} of the slowest class (${worst})`,
    unit: "ms",
    ours: value,
    theirs: {},
    target: { text: `≤ ${most} ms`, reached: value <= most },
  };
  const others = byClass
    .slice(1)
    .map(([name, ms]): Row => ({ what: `proxy adds at ${at}, ${name}`, unit: "ms", ours: ms, theirs: {} }));
  return [goal, ...others];
}

async function timed(client: StdioClient, args: object): Promise<number> {
  await call(client, { ...args, prepare: true });
  const started = performance.now();
  await call(client, args);
  return performance.now() - started;
}

async function call(client: StdioClient, args: object): Promise<void> {
  const { error } = await client.call("text", args);
  if (error !== undefined) throw new Error(JSON.stringify(error));
}
