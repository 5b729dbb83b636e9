// npm run bench [-- section … --json FILE]: every number we claim, as ratios against real peers.
// npm run bench -- --readme: what was measured last becomes what the README says.
import { helpText, readFlags, UsageError } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import { comprehension } from "./comprehension/command.ts";
import { goals, markdown } from "./report.ts";
import type { Section } from "./report.ts";
import { publish } from "./readme.ts";
import { LATEST, readResults, thisMachine, today, writeResults } from "./results.ts";
import { attacks } from "./sections/attacks.ts";
import { bcp } from "./sections/bcp.ts";
import { chat } from "./sections/chat.ts";
import { engine } from "./sections/engine.ts";
import { mcp } from "./sections/mcp.ts";
import { network } from "./sections/network.ts";
import { proxy } from "./sections/proxy.ts";
import { serve } from "./sections/serve.ts";
import { tokenizer } from "./sections/tokenizer.ts";
import { tokens } from "./sections/tokens.ts";
import { tools } from "./sections/tools.ts";
import { undo } from "./sections/undo.ts";

const SECTIONS: readonly Section[] = [
  serve,
  engine,
  network,
  mcp,
  proxy,
  tokens,
  tools,
  tokenizer,
  bcp,
  chat,
  undo,
  attacks,
];

const BENCH: Program = {
  name: "npm run bench --",
  summary: "every number we claim, as ratios against real peers",
  usage: ["npm run bench -- [section …] [--json FILE]", "npm run bench -- --readme", "npm run bench -- comprehension"],
  words: {
    ...Object.fromEntries(SECTIONS.map(({ name, about }) => [name, about])),
    comprehension: "whether shortened results can be read",
  },
  flags: [
    { name: "json", value: "FILE", help: "where the results go (results/bench.json); sections that were not run stay" },
    { name: "readme", help: "what is in results/bench.json becomes bench/results.json and the tables of the README" },
  ],
  examples: [],
};

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${helpText(BENCH)}`);
  return 2;
});

async function main(words: readonly string[]): Promise<number> {
  if (words[0] === "comprehension") return comprehension(words.slice(1));
  const flags = readFlags(BENCH, words);
  if (flags.isHelp) {
    console.log(helpText(BENCH));
    return 0;
  }
  if (flags.isOn("readme")) {
    publish();
    return 0;
  }
  const wanted = flags.operands;
  const unknown = wanted.find((name) => !SECTIONS.some((section) => section.name === name));
  if (unknown !== undefined) throw new UsageError(`there is no section ${JSON.stringify(unknown)}`);
  await measure(
    SECTIONS.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
    flags.text("json") ?? LATEST,
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
