// bosun redo: what the newest undo took back, brought back.
import { UsageError } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
import { freshen, takeBack } from "@bosun/undo";
import { command } from "./define-command.ts";
import { askPerson } from "./undo/ask-person.ts";
import { TREE, withStore } from "./undo/recorded-store.ts";

export const PROGRAM: Program = {
  name: "bosun redo",
  once: true,
  summary: "bring back what the newest undo took back",
  usage: ["bosun redo [--dry-run] [--yes] [--force] [--json]"],
  flags: [
    { name: "dry-run", help: "only show what would be done" },
    { name: "yes", help: "do not ask" },
    { name: "force", help: "overwrite what was changed since, and while commands run" },
    { name: "json", help: "JSON for other programs" },
    TREE,
  ],
  examples: [["bosun redo", "after an undo that was one too many"]],
  notes: "Exit: 0 done or shown · 1 the machine failed · 2 wrong usage · 3 refused, nothing was changed",
};

export const runRedo = command(PROGRAM, async (flags) => {
  if (flags.operands.length > 0) throw new UsageError(`unexpected ${JSON.stringify(flags.operands[0])}`);
  return withStore(PROGRAM.name, flags, ({ store, stateFolder }) =>
    takeBack(
      {
        store,
        console: { out: (line) => console.log(line), error: (line) => console.error(line), ask: askPerson() },
        freshen: () => freshen(store, stateFolder),
      },
      {
        kind: "redo",
        isDryRun: flags.isOn("dry-run"),
        isAgreed: flags.isOn("yes"),
        isForced: flags.isOn("force"),
        isJson: flags.isOn("json"),
      },
    ),
  );
});
