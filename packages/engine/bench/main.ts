// Runs the file and search benchmarks of this package and prints their rows.
import { benchRangeRead } from "./range-read.ts";
import { benchSearch } from "./search.ts";

for (const row of [...(await benchSearch()), ...(await benchRangeRead())]) {
  const ratio = row.oursMs / row.yardstickMs;
  const growth = row.growthMb === undefined ? "" : `, growth ${row.growthMb.toFixed(1)} MB`;
  const verdict = ratio <= row.allowed ? "ok" : "OVER";
  console.log(
    `${row.what}: ${row.oursMs.toFixed(0)} ms, ${row.yardstick} ${row.yardstickMs.toFixed(0)} ms, ratio ${ratio.toFixed(2)} (allowed ${row.allowed}) ${verdict}${growth}`,
  );
}
