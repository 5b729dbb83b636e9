// bosun undo: what agents changed, listed and taken back.
import { UsageError } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import { freshen, stepDiff, stepJson, stepList, takeBack, UndoError } from "@bosun/undo";
import { screenSafe } from "@bosun/platform/safe-text";
import { timeFrom } from "./audit/record-filter.ts";
import { command } from "./define-command.ts";
import { askPerson } from "./undo/ask-person.ts";
import { stepFrom, TREE, treePaths, withStore } from "./undo/recorded-store.ts";
import type { Recorded } from "./undo/recorded-store.ts";

export const PROGRAM: Program = {
  name: "bosun undo",
  once: true,
  summary: "take back what agents changed in this folder",
  usage: [
    "bosun undo [--to N | --call ID | --session S | --since TIME] [--path P]... [--dry-run] [--yes] [--force] [--json]",
    "bosun undo --list [--json]",
    "bosun undo --show N [--json]",
  ],
  flags: [
    { name: "list", help: "the steps on record, newest first, and what is not covered" },
    { name: "show", value: "N", help: "what step N changed" },
    { name: "to", value: "N", help: "step N and all later ones" },
    { name: "call", value: "ID", help: "the step of that call (bosun audit --json names it)" },
    { name: "session", value: "S", help: "all of that session" },
    { name: "since", value: "TIME", help: "all since then: 30m, 2h, 7d ago, or a date: 2026-11-15T09:30" },
    { name: "path", value: "P", help: "only this file or folder", repeatable: true },
    { name: "shared", help: "also what another session, a task or a terminal may have changed" },
    { name: "dry-run", help: "only show what would be done" },
    { name: "yes", help: "do not ask" },
    { name: "force", help: "overwrite what was changed since, and while commands run (redo brings it back)" },
    { name: "json", help: "JSON for other programs" },
    TREE,
  ],
  examples: [
    ["bosun undo --list", "what there is to take back"],
    ["bosun undo", "the newest step, after a look and a question"],
    ["bosun undo --to 12 --yes", "back to before step 12"],
    ["bosun undo --since 30m --path src", "what was done to src in the last half hour"],
  ],
  notes: `Without any of --to, --call, --session, --since: the newest step that is not undone.
Exit: 0 done or shown · 1 the machine failed · 2 wrong usage · 3 refused, nothing was changed`,
};

export const runUndo = command(PROGRAM, async (flags) => {
  if (flags.operands.length > 0) throw new UsageError(`unexpected ${JSON.stringify(flags.operands[0])}`);
  return withStore(PROGRAM.name, flags, (recorded) => run(recorded, flags));
});

async function run({ store, stateFolder }: Recorded, flags: FlagValues): Promise<number> {
  const shown = stepFrom(flags, "show");
  if (flags.isOn("list") || shown !== undefined) {
    await freshen(store, stateFolder);
    if (shown !== undefined) return show(store, shown, flags.isOn("json"));
    if (flags.isOn("json")) {
      for (const step of store.records.steps().toReversed()) console.log(JSON.stringify(stepJson(store, step, false)));
    } else console.log(stepList(store.records));
    return 0;
  }
  const since = flags.text("since");
  return takeBack(
    {
      store,
      console: { out: (line) => console.log(line), error: (line) => console.error(line), ask: askPerson() },
      freshen: () => freshen(store, stateFolder),
    },
    {
      kind: "undo",
      to: stepFrom(flags, "to"),
      sinceMs: since === undefined ? undefined : timeFrom("since", since, new Date()).getTime(),
      call: flags.text("call"),
      session: flags.text("session"),
      paths: treePaths(store, flags),
      isShared: flags.isOn("shared"),
      isDryRun: flags.isOn("dry-run"),
      isAgreed: flags.isOn("yes"),
      isForced: flags.isOn("force"),
      isJson: flags.isOn("json"),
    },
  );
}

function show(store: Recorded["store"], n: number, isJson: boolean): number {
  const step = store.records.step(n);
  if (step === undefined)
    throw new UndoError(`no step ${n} in ${store.root}; the newest is ${store.records.steps().at(-1)?.n ?? 0}`);
  if (isJson) console.log(JSON.stringify(stepJson(store, step, true)));
  else console.log(screenSafe(stepDiff(store, n).toString("utf8")).trimEnd());
  return 0;
}
