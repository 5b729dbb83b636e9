// How long the gate takes on inputs made to be slow: nested JSON, one letter, a million columns, forged marks, …
// Each at the size of one window, and just below the size above which nothing is folded.
//
//   node scripts/bun.mjs packages/shrink/bench/bombs.ts
import { Shrinker } from "../src/index.ts";
import { BOMBS } from "../test/bombs.ts";

for (const size of [199_000, 3_990_000]) {
  for (const [name, make] of Object.entries(BOMBS)) {
    const text = make(size);
    const times = Array.from({ length: 3 }, () => {
      const shrinker = new Shrinker({ dropStructuredCopies: true });
      const start = performance.now();
      shrinker.shrink({ content: [{ type: "text", text }] });
      return performance.now() - start;
    });
    console.log(
      `${String(size).padStart(9)}  ${name.padEnd(28)} first ${(times[0] ?? 0).toFixed(0).padStart(5)} ms   then ${Math.min(
        ...times,
      )
        .toFixed(0)
        .padStart(5)} ms`,
    );
  }
}
