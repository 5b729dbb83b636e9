// npm run bench [-- section … --json FILE]: every number we claim, as ratios against real peers.
// npm run bench -- --readme: what was measured last becomes what the README says.
import { goals, markdown } from "./report.ts";
import type { Section } from "./report.ts";
import { publish } from "./readme.ts";
import { LATEST, readResults, thisMachine, today, writeResults } from "./results.ts";
import { attacks } from "./sections/attacks.ts";
import { bcp } from "./sections/bcp.ts";
import { chat } from "./sections/chat.ts";
import { engine } from "./sections/engine.ts";
import { mcp } from "./sections/mcp.ts";
import { proxy } from "./sections/proxy.ts";
import { serve } from "./sections/serve.ts";
import { tokenizer } from "./sections/tokenizer.ts";
import { tokens } from "./sections/tokens.ts";
import { tools } from "./sections/tools.ts";

const SECTIONS: readonly Section[] = [serve, engine, mcp, proxy, tokens, tools, tokenizer, bcp, chat, attacks];

const USAGE = `npm run bench -- [section …] [--json FILE] | --readme
${SECTIONS.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join("\n")}
  --json FILE  where the results go (results/bench.json); sections that were not run stay in it
  --readme     what is in results/bench.json becomes bench/results.json and the tables of the README`;

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  if (words.includes("--help")) {
    console.log(USAGE);
    return 0;
  }
  if (words.includes("--readme")) {
    publish();
    return 0;
  }
  const jsonAt = words.indexOf("--json");
  const file = jsonAt === -1 ? LATEST : words[jsonAt + 1];
  const wanted = words.filter((_, index) => jsonAt === -1 || (index !== jsonAt && index !== jsonAt + 1));
  const unknown = wanted.filter((name) => !SECTIONS.some((section) => section.name === name));
  if (unknown.length > 0 || file === undefined) {
    console.error(`${file === undefined ? "--json needs a file" : `unknown: ${unknown.join(", ")}`}\n\n${USAGE}`);
    return 2;
  }
  await measure(
    SECTIONS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
    file,
  );
  return 0;
}

async function measure(sections: readonly Section[], file: string): Promise<void> {
  console.log(`Measured on ${today()}: ${thisMachine()}. Trust the ratios, not the absolute times.\n`);
  const all = [];
  for (const [at, { name, about, run }] of sections.entries()) {
    const rows = await run((text) => console.error(`[${at + 1}/${sections.length} ${name}] ${text}`));
    all.push(...rows);
    console.log(markdown(`${name}: ${about}`, rows));
    // After each: what was measured is kept when a later section is stopped.
    writeResults(file, { ...readResults(file), [name]: { about, date: today(), machine: thisMachine(), rows } });
  }
  console.log(goals(all));
}
