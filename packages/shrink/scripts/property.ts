// What must hold for every input, tried on very many: the inverse is exact, nothing grows, the same input gives the
// same bytes.
//
//   node scripts/bun.mjs packages/shrink/scripts/property.ts --count 1000000 --seed 1
import { parseArgs } from "node:util";

import { checkInputs } from "../test/properties.ts";

const { values } = parseArgs({
  options: { count: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
if (!(count > 0) || !Number.isInteger(seed)) {
  console.error("usage: property.ts [--count N] [--seed N]");
  process.exitCode = 2;
} else {
  const start = performance.now();
  const { tried, changed, tokensBefore, tokensAfter, failures } = checkInputs(count, seed, (done) =>
    console.error(`${done} of ${count}`),
  );
  for (const failure of failures.slice(0, 20))
    console.log(`FAILED ${failure.property}: ${JSON.stringify(failure.text)} ${failure.detail}`);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const saved = ((100 * (tokensBefore - tokensAfter)) / tokensBefore).toFixed(1);
  console.log(
    `${tried} inputs in ${seconds} s, ${changed} made smaller (${saved} % of their tokens), ${failures.length} failures`,
  );
  if (failures.length > 0) process.exitCode = 1;
}
