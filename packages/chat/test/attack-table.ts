// The client's attack table, printed: every row of the threat table with the tests that play it and how they ended.
//   node scripts/bun.mjs packages/chat/test/attack-table.ts
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const folder = mkdtempSync(path.join(tmpdir(), "aish-attacks-"));
const report = path.join(folder, "junit.xml");
const files = ["threats.test.ts", "threats-screen.test.ts"].map((name) => path.join(import.meta.dir, name));
const run = Bun.spawn(
  [process.execPath, "test", "--timeout", "60000", "--reporter=junit", `--reporter-outfile=${report}`, ...files],
  { stdout: "ignore", stderr: "ignore" },
);
const code = await run.exited;
const played = [...readFileSync(report, "utf8").matchAll(/<testcase ([^>]*?)(\/>|>([\s\S]*?)<\/testcase>)/g)].map(
  ([, attributes = "", , inner = ""]) => ({
    row: attribute(attributes, "classname"),
    name: attribute(attributes, "name"),
    isGood: !/<(?:failure|error)/.test(inner),
  }),
);
rmSync(folder, { recursive: true });

const rows = [...new Set(played.map(({ row }) => row))].sort((left, right) => numberOf(left) - numberOf(right));
for (const row of rows) {
  const of = played.filter((one) => one.row === row);
  console.log(`${of.every(({ isGood }) => isGood) ? "holds" : "FAILS"}  ${row}`);
  for (const { name, isGood } of of) console.log(`       ${isGood ? "ok  " : "FAIL"} ${name}`);
}
const failed = played.filter(({ isGood }) => !isGood).length;
console.log(`\n${rows.length} rows, ${played.length} attacks, ${failed} got through`);
process.exitCode = failed === 0 && code === 0 && rows.length === 11 ? 0 : 1;

function attribute(text: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return value
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}

function numberOf(row: string): number {
  return Number(/^C(\d+)/.exec(row)?.[1] ?? 99);
}
