// Tests that stand for a row of the tools' contract: counted per surface, printed after each file; the last one says it all.
import { afterAll, test } from "bun:test";
import { removeScratch } from "./server.ts";

export type Part = "coding" | "workspace" | "shell" | "server" | "threats";

// On the global object: each test file has modules of its own, the run has one process.
const counts = ((globalThis as { contractRows?: Map<Part, number> }).contractRows ??= new Map());

/** To be called once by each file: bun:test has no hook for the end of a run. */
export function announceRows(): void {
  afterAll(() => {
    removeScratch();
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    console.error(`contract rows covered so far: ${[...counts].map((one) => one.join(" ")).join(", ")}; all ${all}`);
  });
}

let isTogether = false;

/** Rows declared inside run at the same time: for those that start servers of their own, or wait for something. */
export function together(declare: () => void): void {
  isTogether = true;
  declare();
  isTogether = false;
}

/** A test that proves one row. */
export function row(part: Part, name: string, run: () => Promise<void> | void): void {
  const declare = isTogether ? test.concurrent : test;
  declare(`${part}: ${name}`, async () => {
    await run();
    counts.set(part, (counts.get(part) ?? 0) + 1);
  });
}

/** Rows of one table, each named for what holds. */
export function rows<Row extends readonly [name: string, ...rest: unknown[]]>(
  part: Part,
  table: readonly Row[],
  run: (...row: Row) => Promise<void> | void,
): void {
  for (const entry of table) row(part, entry[0], () => run(...entry));
}

export function skipped(part: Part, name: string, why: string): void {
  test.skip(`${part}: ${name} (${why})`, () => {});
}
