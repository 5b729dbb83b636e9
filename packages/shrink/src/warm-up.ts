// The first results of a process are slow: the vocabulary must be read and nothing is compiled yet. Who has a quiet
// moment after starting can spend it here. Works in small steps, so that nobody waits for it.
import { Shrinker } from "./shrink.ts";

const ROUNDS = 30;

/** About a tenth of a second of work, a millisecond or two at a time. */
export async function warmUp(): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const shrinker = new Shrinker({ dropStructuredCopies: true });
    for (const text of samples(round)) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      shrinker.shrink({ content: [{ type: "text", text }] });
    }
  }
}

// Of each kind one, never twice the same: a text that was sent before takes a short cut.
function samples(round: number): string[] {
  const lines = (line: (i: number) => string) => Array.from({ length: 40 }, (_, i) => line(i + round * 40)).join("\n");
  const rows = Array.from({ length: 25 }, (_, i) => ({
    id: i + round,
    name: `user ${i}`,
    tags: ["a", `t${round}`],
    ok: i % 2 === 0,
  }));
  return [
    JSON.stringify(rows, undefined, 2),
    JSON.stringify(
      [
        {
          name: `f${round}`,
          type: "directory",
          children: [
            { name: "a.ts", type: "file" },
            { name: "b.ts", type: "file" },
          ],
        },
      ],
      undefined,
      2,
    ),
    lines((i) => `/home/dev/work/project/src/part${i % 7}/file${i}.ts`),
    lines((i) => `src/file${i % 5}.ts:${i}:  const value${i} = compute(${i});`),
    lines((i) => `2026-11-15T12:00:${i % 60}.123Z INFO [worker] job ${i} finished in ${i * 3} ms`),
    lines((i) => `${`name${i}`.padEnd(20)} ${String(i * 37).padStart(8)}  running`),
    lines((i) => `The ${i}th sentence of a text that says something else ${i * 7} each time.`),
  ];
}
