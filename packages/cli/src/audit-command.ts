// bosun audit: what was decided and done on this machine, shown, filtered, followed, and checked for being whole.
import { existsSync } from "node:fs";
import path from "node:path";
import { BosunError } from "@bosun/platform/errors";
import { screenSafe } from "@bosun/platform/safe-text";
import { readAuditFolder, lastRecords, verifyAuditFolder } from "@bosun/policy";
import type { AuditReport } from "@bosun/policy";
import { homeOf, loadSettings } from "@bosun/settings";
import { filterFrom, FILTERS } from "./audit/record-filter.ts";
import { followRecords } from "./audit/follow-records.ts";
import { lineOf } from "./audit/record-line.ts";
import { UsageError, suggestion } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";

const DEFAULT_LAST = 50;

export const PROGRAM: Program = {
  name: "bosun audit",
  once: true,
  summary: "what agents did here: every decision and every outcome, on record",
  usage: ["bosun audit [show] [filters] [--follow] [--json]", "bosun audit verify [--json]"],
  words: {
    show: `the newest records that pass the filters, oldest first (without a word: this)`,
    verify: "is the record whole? Finds a changed, missing or cut-off line, and says where",
  },
  flags: [
    ...FILTERS,
    { name: "last", short: "n", value: "N", help: `how many records (${DEFAULT_LAST}); all for every one` },
    { name: "follow", short: "f", help: "go on showing records as they come, until Ctrl-C" },
    { name: "json", help: "one JSON object a line, whole" },
    { name: "folder", value: "FOLDER", help: "where the log is (by default where the settings say)" },
    { name: "config", value: "FILE", help: "settings file that says where the log is" },
  ],
  examples: [
    ["bosun audit", "what happened lately"],
    ["bosun audit --verdict deny --since 1d", "what was refused since yesterday"],
    ["bosun audit --tool 'bosun.*' --contains 'git push'", "who pushed"],
    ["bosun audit -f", "watch an agent work"],
    ["bosun audit --json --last all | jq -r .command", "every command, for a script"],
    ["bosun audit verify", "has anybody changed the record?"],
  ],
  notes: `Exit: 0 shown, or whole · 1 the record was changed, or cannot be read · 2 wrong usage`,
};

export const runAudit = command(PROGRAM, async (flags) => {
  const [action = "show", ...surplus] = flags.operands;
  if (action !== "show" && action !== "verify") {
    throw new UsageError(
      `unknown word ${JSON.stringify(action)}; ${suggestion(action, ["show", "verify"], "there are: show, verify")}`,
    );
  }
  if (surplus.length > 0) throw new UsageError(`unexpected ${JSON.stringify(surplus[0])}`);
  try {
    const folder = folderFrom(flags);
    return action === "verify" ? verify(folder, flags) : await show(folder, flags);
  } catch (error) {
    // A log or a settings file that cannot be read: its words are enough.
    if (!(error instanceof BosunError)) throw error;
    console.error(`bosun audit: ${error.message}`);
    return 1;
  }
});

async function show(folder: string, flags: FlagValues): Promise<number> {
  const filter = filterFrom(flags, new Date());
  const last = lastFrom(flags.text("last"));
  const write = flags.has("json") ? (record: object) => console.log(JSON.stringify(record)) : printLine();
  if (flags.has("follow")) return followRecords(folder, filter, last ?? Number.MAX_SAFE_INTEGER, write);
  const records = readAuditFolder(folder, filter);
  let shown = 0;
  for (const record of last === undefined ? records : lastRecords(records, last)) {
    write(record);
    shown += 1;
  }
  // On stderr: stdout is for the records.
  if (shown === 0) console.error(`No matching records in ${folder}.`);
  else if (shown === last && flags.text("last") === undefined)
    console.error(`The last ${last}; --last all shows every one.`);
  return 0;
}

function verify(folder: string, flags: FlagValues): number {
  const useless = PROGRAM.flags.find(({ name }) => flags.has(name) && !["json", "folder", "config"].includes(name));
  if (useless !== undefined)
    throw new UsageError(`verify looks at every record: --${useless.name} has no meaning here`);
  const logs = verifyAuditFolder(folder);
  const ok = logs.every(({ report }) => report.ok);
  console.log(
    flags.has("json") ? JSON.stringify({ ok, folder, logs }, undefined, 2) : reportVerification(folder, logs),
  );
  return ok ? 0 : 1;
}

function folderFrom(flags: FlagValues): string {
  const folder = flags.text("folder");
  // The usual folder may not be there yet; one that somebody names is.
  if (folder !== undefined) {
    if (!existsSync(folder)) throw new UsageError(`--folder: ${folder} does not exist`);
    return path.resolve(folder);
  }
  const config = flags.text("config");
  const home = homeOf(process.env);
  const { settings, folders } = loadSettings({
    ...(config === undefined ? {} : { config }),
    env: process.env,
    home,
    cwd: process.cwd(),
  });
  return settings.audit.folder ?? path.join(folders.state, "audit");
}

function lastFrom(text: string | undefined): number | undefined {
  if (text === undefined) return DEFAULT_LAST;
  if (text === "all") return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--last: ${JSON.stringify(text)} is neither a number above 0 nor all`);
}

function printLine(): (record: Parameters<typeof lineOf>[0]) => void {
  const colours = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
  return (record) => console.log(lineOf(record, colours));
}

/** Each problem with the file and the line it is in. */
function reportVerification(folder: string, logs: readonly { file: string; report: AuditReport }[]): string {
  if (logs.length === 0) return screenSafe(`${folder} holds no audit log yet.`);
  const lines = logs.flatMap(({ file, report }) => [
    `${report.ok ? "whole" : "BROKEN"}  ${file}  ${count(report.records, "record")} in ${count(report.files, "file")}`,
    ...report.problems.map(({ file, line, what }) => `        ${file}${line > 0 ? `:${line}` : ""}: ${what}`),
    ...report.notes.map((note) => `        note: ${note}`),
    ...(report.head === undefined ? [] : [`        head ${report.head.n} ${report.head.hash}`]),
  ]);
  const ok = logs.every(({ report }) => report.ok);
  return screenSafe(
    [
      ...lines,
      "",
      ok
        ? "Every line is chained to the one before; none is missing or changed. Who keeps the head elsewhere can also tell a log that was rewritten as a whole."
        : "The record was changed after it was written.",
    ].join("\n"),
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
