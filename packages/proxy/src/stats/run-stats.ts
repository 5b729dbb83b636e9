// bosun proxy stats: what all sessions so far have saved.
import { rmSync } from "node:fs";
import { ledgerFile, readLedger } from "./savings-ledger.ts";
import { savingsTable } from "./savings-table.ts";
import { stateFolder } from "../locked-json-file.ts";

const HELP = `bosun proxy stats: what the proxy has saved, per server, tool and class of content

Usage: bosun proxy stats [--json|--reset]

Retrievals and the proxy's own tools are counted against it. --reset starts over.`;

export async function runStats(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) return say(HELP);
  const [word, ...more] = argv;
  if (more.length > 0 || (word !== undefined && word !== "--json" && word !== "--reset")) {
    console.error(HELP);
    return 2;
  }
  const folder = await stateFolder();
  if (word === "--reset") {
    rmSync(ledgerFile(folder), { force: true });
    return say("counted from now on");
  }
  const ledger = readLedger(folder);
  if (word === "--json") return say(JSON.stringify(ledger ?? {}, undefined, 2));
  return say(ledger ? savingsTable(ledger) : "nothing has been counted yet");
}

function say(text: string): number {
  console.log(text);
  return 0;
}
