// Tries every attack of the threat table on a real server, with and without a sandbox, and prints what came of it:
//   node scripts/bun.mjs packages/serve/scripts/attack-table.ts [S7 …]
import { Arena } from "../test/attacks/arena.ts";
import { ATTACKS, tableOf, tryAttack } from "../test/attacks/table.ts";
import type { Attack, Mode } from "../test/attacks/arena.ts";
import type { Outcome } from "../test/attacks/table.ts";

const wanted = new Set(process.argv.slice(2));
const attacks = ATTACKS.filter(({ row }) => wanted.size === 0 || wanted.has(row));
const outcomes = new Map<Attack, Map<Mode, Outcome>>(attacks.map((attack) => [attack, new Map()]));
for (const mode of ["on", "off"] as const) {
  await using arena = await Arena.open(mode);
  for (const attack of attacks) {
    process.stderr.write(`sandbox ${mode}: ${attack.row} ${attack.title}\n`);
    outcomes.get(attack)?.set(mode, await tryAttack(attack, arena));
  }
}
console.log(tableOf(outcomes));
const isBreached = [...outcomes.values()].some((byMode) =>
  [...byMode.values()].some(({ kind }) => kind === "breached"),
);
process.exitCode = isBreached ? 1 : 0;
