// What `bosun proxy` adds to a call: the same server with and without it, in turns, at four sizes of result and for every
// class of content. A goal is reached when the class that takes longest reaches it. The largest results pass as they are.
import path from "node:path";
import { freshExecutable } from "../executable.ts";
import { CLASSES } from "../peers/results-by-class.ts";
import { median, quantile } from "../report.ts";
import type { Row, Section } from "../report.ts";
import { StdioClient } from "../stdio-client.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

type Goal = {
  bytes: number;
  size: string;
  quantile: [name: string, share: number];
  mostMs: number;
  /** Calls of each class that are not counted, and that are. */
  warmUp: number;
  calls: number;
};

const MANY = { warmUp: 20, calls: 120 };
const GOALS: readonly Goal[] = [
  { bytes: 2 * KIB, size: "2 KiB", quantile: ["p50", 0.5], mostMs: 1, ...MANY },
  { bytes: 10 * KIB, size: "10 KiB", quantile: ["p50", 0.5], mostMs: 3, ...MANY },
  { bytes: 100 * KIB, size: "100 KiB", quantile: ["p99", 0.99], mostMs: 15, ...MANY },
  { bytes: 10 * MIB, size: "10 MiB", quantile: ["most", 1], mostMs: 200, warmUp: 1, calls: 5 },
];

const server = [
  process.execPath,
  "--no-env-file",
  "--config=/dev/null",
  path.resolve(import.meta.dir, "../peers/text-server.ts"),
];

/** How long a model reads a list of tools before its first call, at least. */
const READING_MS = 600;
const FIRST_CALLS = 12;

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
    for (const goal of GOALS) {
      progress(goal.size);
      const measured = await measure(direct, through, goal);
      rows.push(...rowsOf(measured, goal));
      const plain = median(measured.flatMap((one) => one.plain));
      rows.push({ what: `the call itself at ${goal.size}, p50`, unit: "ms", ours: plain, theirs: {} });
    }
    await direct.close();
    await through.close();
    progress("the first result");
    rows.push({
      what: "proxy, the first result of a process: a log of 10 KiB, p50",
      unit: "ms",
      ours: median(await firstResults([executable, "proxy", "--", ...server])),
      theirs: { "without proxy": median(await firstResults(server)) },
    });
    return rows;
  },
};

async function firstResults(command: readonly string[]): Promise<number[]> {
  const taken: number[] = [];
  for (let turn = 0; turn < FIRST_CALLS; turn++) {
    const client = new StdioClient(command);
    await client.open();
    await Bun.sleep(READING_MS);
    taken.push(await timed(client, { class: "log", bytes: 10 * KIB, turn }));
    await client.close();
  }
  return taken;
}

// Classes take turns too, as in a session: what one leaves behind is there for the next.
async function measure(direct: StdioClient, through: StdioClient, { bytes, warmUp, calls }: Goal): Promise<Measured[]> {
  const measured = Object.keys(CLASSES).map((name): Measured => ({ class: name, plain: [], added: [] }));
  for (let turn = 0; turn < warmUp + calls; turn++) {
    for (const one of measured) {
      const args = { class: one.class, bytes, turn };
      const [without, with_] = [await timed(direct, args), await timed(through, args)];
      if (turn < warmUp) continue;
      one.plain.push(without);
      one.added.push(with_ - without);
    }
  }
  return measured;
}

function rowsOf(measured: readonly Measured[], { size, quantile: [name, share], mostMs }: Goal): Row[] {
  const at = `${size}, ${name}`;
  const byClass = measured
    .map((one): [string, number] => [one.class, quantile(one.added, share)])
    .sort((left, right) => right[1] - left[1]);
  const [worst, value] = byClass[0] ?? ["", Number.NaN];
  const goal: Row = {
    what: `proxy adds at ${at} of the slowest class (${worst})`,
    unit: "ms",
    ours: value,
    theirs: {},
    target: { text: `≤ ${mostMs} ms`, reached: value <= mostMs },
  };
  const others = byClass
    .slice(1)
    .map(([kind, ms]): Row => ({ what: `proxy adds at ${at}, ${kind}`, unit: "ms", ours: ms, theirs: {} }));
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
