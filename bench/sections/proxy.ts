// What `bosun proxy` adds to a call: the same server with and without it, in turns, at three sizes of result.
import path from "node:path";
import { freshExecutable } from "../executable.ts";
import { median, quantile } from "../report.ts";
import type { Row, Section } from "../report.ts";
import { StdioClient } from "../stdio-client.ts";

const KIB = 1024;
const WARM_UP = 40;
const CALLS = 240;

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
      const added: number[] = [];
      const plain: number[] = [];
      for (let turn = 0; turn < WARM_UP + CALLS; turn++) {
        const [without, with_] = [await timed(direct, bytes, turn), await timed(through, bytes, turn)];
        if (turn < WARM_UP) continue;
        plain.push(without);
        added.push(with_ - without);
      }
      const value = quantileName === "p50" ? median(added) : quantile(added, 0.99);
      rows.push({
        what: `proxy adds at ${bytes / KIB} KiB, ${quantileName}`,
        unit: "ms",
        ours: value,
        theirs: {},
        target: { text: `≤ ${most} ms`, reached: value <= most },
      });
      rows.push({ what: `the call itself at ${bytes / KIB} KiB, p50`, unit: "ms", ours: median(plain), theirs: {} });
    }
    await direct.close();
    await through.close();
    return rows;
  },
};

async function timed(client: StdioClient, bytes: number, turn: number): Promise<number> {
  const started = performance.now();
  const { error } = await client.call("text", { bytes, turn });
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return performance.now() - started;
}
