// `bosun serve` as the executable beside the official filesystem server, and its commands beside a bare posix_spawn.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildBareSpawn } from "../../packages/engine/bench/process.ts";
import { freshExecutable } from "../executable.ts";
import { median, quantile } from "../report.ts";
import type { Row, Section } from "../report.ts";
import { StdioClient } from "../stdio-client.ts";

const ROUNDS = 5;
const PAUSE_MS = 40;
const FLOOD_BYTES = 10e9;
const PEER = "filesystem server";

const root = path.resolve(import.meta.dir, "../..");
const filesystem = path.join(root, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

type Samples = { [metric: string]: number[] };
type Reading = { readonly small: [string, object]; readonly large: readonly [string, string, object][] };

export const serve: Section = {
  name: "serve",
  about: "bosun serve, the executable, beside the official filesystem server and a bare posix_spawn",
  async run(progress) {
    const executable = await freshExecutable(progress);
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-bench-")));
    try {
      const place = prepare(folder);
      const words = [executable, "serve", "--transport", "stdio", "--log-level", "error"];
      const [ours, workspace, theirs]: [Samples, Samples, Samples] = [{}, {}, {}];
      for (let round = 0; round < ROUNDS; round++) {
        progress(`start, memory and reads, round ${round + 1} of ${ROUNDS}`);
        (ours["first start"] ??= []).push(await startAnew(words, place, path.join(folder, `home ${round}`)));
        await read(words, place, OURS, ours);
        await read([...words, "--tools", "workspace"], place, WORKSPACE, workspace);
        await read(["node", filesystem, place.work], place, theirReading(place.work), theirs);
      }
      const commands = await measureCommands(words, place, progress);
      progress("ten gigabytes of output");
      const size = { what: "size of the executable", unit: "MB", ours: statSync(executable).size / 1e6, theirs: {} };
      return [...readRows(ours, workspace, theirs), ...commands, await flood(words, place), size];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

type Place = { readonly work: string; readonly env: Record<string, string> };

function prepare(folder: string): Place {
  const [work, home] = [path.join(folder, "work"), path.join(folder, "home")];
  mkdirSync(work);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(path.join(work, "small.txt"), `${"x".repeat(63)}\n`.repeat(16));
  writeFileSync(path.join(work, "large.txt"), `${"y".repeat(63)}\n`.repeat(16_384));
  return { work, env: { PATH: process.env["PATH"] ?? "", HOME: home } };
}

const OURS: Reading = {
  small: ["view", { path: "small.txt" }],
  large: [["1 MiB view with line numbers, p50", "view", { path: "large.txt", view_range: [1, 16_384] }]],
};
const WORKSPACE: Reading = {
  small: ["read_file", { file: "small.txt" }],
  large: [["1 MiB read, p50", "read_file", { file: "large.txt", maxBytes: 1024 * 1024 }]],
};

function theirReading(work: string): Reading {
  const large: [string, object] = ["read_text_file", { path: path.join(work, "large.txt") }];
  return {
    small: ["read_text_file", { path: path.join(work, "small.txt") }],
    large: [["1 MiB read, p50", ...large]],
  };
}

/** With a home folder where no earlier start left anything. */
async function startAnew(command: readonly string[], place: Place, home: string): Promise<number> {
  mkdirSync(home, { mode: 0o700 });
  const client = new StdioClient(command, place.work, { ...place.env, HOME: home });
  const started = await client.open();
  await client.close();
  return started;
}

async function read(command: readonly string[], place: Place, reading: Reading, into: Samples): Promise<void> {
  const client = new StdioClient(command, place.work, place.env);
  const add = (metric: string, value: number): void => void (into[metric] ??= []).push(value);
  add("start", await client.open());
  add("idle", client.memoryMb());
  const small = (): Promise<unknown> => succeed(client, ...reading.small);
  for (let i = 0; i < 100; i++) await small();
  const latencies = await timed(400, small);
  add("small p50", median(latencies));
  add("small p99", quantile(latencies, 0.99));
  const started = performance.now();
  await Promise.all(Array.from({ length: 1000 }, small));
  add("pipelined", 1000 / ((performance.now() - started) / 1000));
  for (const [metric, tool, args] of reading.large) {
    const large = (): Promise<unknown> => succeed(client, tool, args);
    for (let i = 0; i < 8; i++) await large();
    add(metric, median(await timed(30, large)));
  }
  await client.close();
}

async function succeed(client: StdioClient, tool: string, args: object): Promise<void> {
  const { result, error } = await client.call(tool, args);
  if (error !== undefined || result?.["isError"] === true)
    throw new Error(`${tool}: ${JSON.stringify(error ?? result).slice(0, 300)}`);
}

function readRows(ours: Samples, workspace: Samples, theirs: Samples): Row[] {
  const row = (what: string, unit: string, own: Samples, metric: string, peer: string, share: number): Row => {
    const [value, other] = [median(own[metric] ?? []), median(theirs[peer] ?? [])];
    const target = { text: `≤ 1/${share}`, reached: value <= other / share };
    return { what, unit, ours: value, theirs: { [PEER]: other }, target };
  };
  const [piped, peerPiped] = [median(ours["pipelined"] ?? []), median(theirs["pipelined"] ?? [])];
  const view = "1 MiB view with line numbers, p50";
  const whole = "1 MiB read, p50";
  return [
    row("start to first tools/list", "ms", ours, "start", "start", 10),
    {
      what: "the same, the first time on a machine",
      unit: "ms",
      ours: median(ours["first start"] ?? []),
      theirs: { [PEER]: median(theirs["start"] ?? []) },
    },
    row("small file read, p50", "ms", ours, "small p50", "small p50", 4),
    row("small file read, p99", "ms", ours, "small p99", "small p99", 4),
    row(whole, "ms", workspace, whole, whole, 3),
    row(view, "ms", ours, view, whole, 3),
    {
      what: "1,000 pipelined reads",
      unit: "calls/s",
      ours: piped,
      theirs: { [PEER]: peerPiped },
      target: { text: "≥ 5×", reached: piped >= 5 * peerPiped },
    },
    row("memory, idle", "MB", ours, "idle", "idle", 2),
  ];
}

/** `bash true` through the server, with and without a sandbox, in turns with a bare spawn; with and without pauses. */
async function measureCommands(
  words: readonly string[],
  place: Place,
  progress: (text: string) => void,
): Promise<Row[]> {
  const bare = buildBareSpawn(place.work);
  const open = async (sandbox: string): Promise<StdioClient> => {
    const client = new StdioClient([...words, "--sandbox", sandbox], place.work, place.env);
    await client.open();
    for (let i = 0; i < 10; i++) await succeed(client, "bash", { command: "true" });
    return client;
  };
  const [off, on] = [await open("off"), await open("require")];
  const samples: Samples = {};
  const add = (name: string, values: readonly number[]): void => void (samples[name] ??= []).push(...values);
  const truth = (client: StdioClient) => (): Promise<void> => succeed(client, "bash", { command: "true" });
  for (let round = 0; round < ROUNDS; round++) {
    progress(`commands, round ${round + 1} of ${ROUNDS}`);
    if (bare !== undefined) add("bare", await bare(20));
    add("off", await timed(25, truth(off)));
    add("on", await timed(25, truth(on)));
    add("off, paced", await timed(12, truth(off), PAUSE_MS));
    add("on, paced", await timed(12, truth(on), PAUSE_MS));
  }
  await off.close();
  await on.close();
  const p50 = (name: string): number => median(samples[name] ?? []);
  const mechanism = /in a sandbox \((\w+)\)/.exec(on.instructions)?.[1] ?? "unknown";
  const rows: Row[] = [];
  if (bare !== undefined)
    rows.push({
      what: "bash true, no sandbox, p50",
      unit: "ms",
      ours: p50("off"),
      theirs: { "bare posix_spawn": p50("bare") },
      target: { text: "≤ 1.7×", reached: p50("off") <= 1.7 * p50("bare") },
    });
  for (const [pace, title] of [
    ["", "back to back"],
    [", paced", "as an agent paces them"],
  ] as const) {
    const added = p50(`on${pace}`) - p50(`off${pace}`);
    const target = { text: "adds ≤ 4 ms", reached: added <= 4 };
    rows.push({
      what: `the sandbox (${mechanism}) adds to bash true, ${title}`,
      unit: "ms",
      ours: added,
      theirs: {},
      target,
    });
  }
  return rows;
}

async function flood(words: readonly string[], place: Place): Promise<Row> {
  const client = new StdioClient(words, place.work, place.env);
  await client.open();
  await succeed(client, "bash", { command: "true" });
  const before = client.memoryMb();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, client.memoryMb())), 50);
  await succeed(client, "bash", { command: `head -c ${FLOOD_BYTES} /dev/zero`, timeout: 600_000 });
  clearInterval(watch);
  await client.close();
  const growth = peak - before;
  const target = { text: "≤ 64 MB", reached: growth <= 64 };
  return { what: "memory growth over 10 GB of command output", unit: "MB", ours: growth, theirs: {}, target };
}

async function timed(count: number, work: () => Promise<unknown>, pauseMs = 0): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times;
}
