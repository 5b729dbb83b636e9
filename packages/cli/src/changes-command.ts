// bosun changes: what agents changed, as one diff.
import { ProcessOutput } from "@bosun/platform/output";
import { UsageError } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import { screenSafe } from "@bosun/platform/safe-text";
import { changesDiff, changesJson, changesStat, freshen } from "@bosun/undo";
import type { Chosen } from "@bosun/undo";
import { timeFrom } from "./audit/record-filter.ts";
import { command } from "./define-command.ts";
import { TREE, treePaths, withStore } from "./undo/recorded-store.ts";
import type { Recorded } from "./undo/recorded-store.ts";

export const PROGRAM: Program = {
  name: "bosun changes",
  once: true,
  summary: "what agents changed in this folder, before the first chosen step → after the last",
  usage: ["bosun changes [--since N|TIME|start] [--session S] [--path P]... [--stat] [--all] [--json]"],
  flags: [
    { name: "since", value: "N|TIME|start", help: "from step N, or from a time: 30m, 2h, 7d ago, 2026-11-15T09:30" },
    { name: "session", value: "S", help: "only of that session" },
    { name: "path", value: "P", help: "only this file or folder", repeatable: true },
    { name: "stat", help: "one line a file" },
    { name: "all", help: "also what nobody's call explains" },
    { name: "json", help: "one JSON object a line" },
    TREE,
  ],
  examples: [
    ["bosun changes --stat", "which files"],
    ["bosun changes --since 30m", "the diff of the last half hour"],
    ["bosun changes > agent.diff", "git apply -R takes it"],
  ],
  notes: "Exit: 0 shown · 1 the machine failed, or nothing is recorded here · 2 wrong usage",
};

export const runChanges = command(PROGRAM, async (flags) => {
  if (flags.operands.length > 0) throw new UsageError(`unexpected ${JSON.stringify(flags.operands[0])}`);
  return withStore(PROGRAM.name, flags, (recorded) => show(recorded, flags));
});

async function show({ store, stateFolder }: Recorded, flags: FlagValues): Promise<number> {
  const chosen = chosenBy(store, flags);
  await freshen(store, stateFolder);
  const output = new ProcessOutput(process.stdout);
  if (flags.isOn("json")) for (const line of changesJson(store, chosen)) output.write(`${line}\n`);
  else if (flags.isOn("stat")) output.write(`${changesStat(store, chosen).join("\n")}\n`);
  else {
    // Bytes for programs, which apply them; nothing that acts for a screen.
    const isScreen = process.stdout.isTTY === true;
    for (const piece of changesDiff(store, chosen)) output.write(isScreen ? screenSafe(piece.toString("utf8")) : piece);
  }
  await output.drained();
  return 0;
}

function chosenBy(store: Recorded["store"], flags: FlagValues): Chosen {
  const since = flags.text("since") ?? "start";
  const isStep = /^\d{1,9}$/.test(since);
  return {
    since: isStep ? Number(since) : undefined,
    sinceMs: isStep || since === "start" ? undefined : timeFrom("since", since, new Date()).getTime(),
    session: flags.text("session"),
    paths: treePaths(store, flags),
    withOutside: flags.isOn("all"),
  };
}
