// Everything a server can do wrong, met by real processes, as a table: what the call says that met it, what a call
// beside it and the next one say, and how often the server was started and the tool was run.
//
//   node scripts/bun.mjs packages/proxy/scripts/crash-table.ts
import { CRASH_ROWS } from "../test/crash-rows.ts";
import type { CrashRow } from "../test/crash-rows.ts";
import { start } from "../test/proxy-process.ts";

const HEAD = ["the server", "the call", "beside it", "the next", "started", "ran", ""];

const rows = await Promise.all(CRASH_ROWS.map(meet));
const widths = HEAD.map((title, at) => Math.max(title.length, ...rows.map(({ cells }) => cells[at]?.length ?? 0)));
for (const cells of [HEAD, ...rows.map((row) => row.cells)])
  console.log(
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
process.exitCode = rows.every(({ holds }) => holds) ? 0 : 1;

async function meet(row: CrashRow): Promise<{ cells: string[]; holds: boolean }> {
  const { does, what, fails, answers, options = [] } = row;
  await using proxied = await start({ options });
  await proxied.names();
  const meeting = proxied.call(does);
  // When the server dies, whoever is in flight shares its fate.
  const beside = does === "die" ? undefined : await proxied.call("ok", { text: "fine" });
  const met = await meeting;
  const next = await proxied.call("ok", { text: "fine" });
  const [starts, ran] = [proxied.ran("start"), proxied.ran(does)];
  const holds =
    met.failed === (fails !== undefined) &&
    (fails?.test(met.text) ?? met.text === answers) &&
    beside?.text !== "" &&
    next.text === "fine" &&
    starts === row.starts &&
    ran === row.ran;
  const said = `${met.failed ? "fails: " : "answers: "}${met.text.replaceAll("\n", " ").slice(0, 70)}`;
  return {
    cells: [what, said, beside?.text ?? "–", next.text, String(starts), String(ran), holds ? "ok" : "NOT AS PROMISED"],
    holds,
  };
}
