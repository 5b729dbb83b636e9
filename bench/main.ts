// npm run bench [-- section … --json FILE]: every number we claim, as ratios against real peers, in one run.
import { mkdirSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import path from "node:path";
import { markdown } from "./report.ts";
import type { Row, Section } from "./report.ts";
import { bcp } from "./sections/bcp.ts";
import { engine } from "./sections/engine.ts";
import { mcp } from "./sections/mcp.ts";
import { tokens } from "./sections/tokens.ts";

const SECTIONS: readonly Section[] = [mcp, engine, bcp, tokens];

const words = process.argv.slice(2);
const jsonAt = words.indexOf("--json");
const jsonFile = jsonAt === -1 ? "results/bench.json" : words[jsonAt + 1];
const wanted = words.filter((word, index) => !word.startsWith("-") && (jsonAt === -1 || index !== jsonAt + 1));
const unknown = wanted.filter((name) => !SECTIONS.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`unknown section: ${unknown.join(", ")}; there are: ${SECTIONS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()} ${arch()}`;
const date = new Date().toISOString().slice(0, 10);
console.log(`Measured on ${date}: ${machine}, Bun ${Bun.version}. Trust the ratios, not the absolute times.\n`);
const results: { [section: string]: Row[] } = {};
for (const section of SECTIONS) {
  if (wanted.length > 0 && !wanted.includes(section.name)) continue;
  const rows = await section.run((text) => console.error(`[${section.name}] ${text}`));
  results[section.name] = rows;
  console.log(markdown(`${section.name}: ${section.about}`, rows));
}
if (jsonFile !== undefined) {
  mkdirSync(path.dirname(path.resolve(jsonFile)), { recursive: true });
  writeFileSync(jsonFile, `${JSON.stringify({ date, machine, bun: Bun.version, results }, null, 2)}\n`);
}
