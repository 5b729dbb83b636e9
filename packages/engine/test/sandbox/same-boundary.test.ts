// The shell and the file tools have one boundary: over generated layouts a command can read and write what the file tools
// can, and nothing else but programs. Here a tenth of them, of both mechanisms; all 2,000 with `npm run same-boundary`, which
// CI runs beside the tests.
import { afterAll, describe, expect, test } from "bun:test";
import { differences, LAYOUTS, missing, removeLayouts } from "./boundary-layouts.ts";

/** Not a multiple of ten: every tenth layout is for the other mechanism. */
const EVERY = 11;
const BATCH = 20;

const numbers = Array.from({ length: Math.ceil(LAYOUTS / EVERY) }, (_, i) => i * EVERY);
const batches = Array.from({ length: Math.ceil(numbers.length / BATCH) }, (_, i) =>
  numbers.slice(i * BATCH, (i + 1) * BATCH),
);

afterAll(removeLayouts);

describe.skipIf(missing !== undefined)(
  `one boundary for the shell and the file tools (skipped: ${missing ?? "no"})`,
  () => {
    test.each(batches.map((batch) => [batch[0], batch.at(-1), batch] as const))(
      "layouts %d to %d",
      async (_, __, batch) => {
        for (const number of batch) expect(await differences(number)).toEqual([]);
      },
    );
  },
);
