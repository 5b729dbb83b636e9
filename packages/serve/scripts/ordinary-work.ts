// Runs ordinary work inside the sandbox and outside it, through real servers, and prints both outputs side by side:
//   node scripts/bun.mjs packages/serve/scripts/ordinary-work.ts
import { missingFor, TwoServers, workTable } from "../test/ordinary-work/compare.ts";
import { WORK } from "../test/ordinary-work/work.ts";
import type { Comparison } from "../test/ordinary-work/compare.ts";

const rows: Comparison[] = [];
await using servers = await TwoServers.start();
for (const work of WORK) {
  const missing = missingFor(work);
  if (missing.length === 0) rows.push(await servers.compare(work));
  else console.error(`${work.name}: not tried, ${missing.join(", ")} is not installed`);
}
rows.push(await servers.compareSudo());
console.log(workTable(rows));
process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
