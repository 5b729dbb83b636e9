#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// The keeper as a program of its own, when run from sources; an executable calls `becomeKeeper` under a hidden word.
import { runKeeper } from "./keeper.ts";
import type { UndoSettings } from "./settings.ts";

/** `words`: the options as JSON, as KeeperClient passes them. */
export async function becomeKeeper(words: readonly string[]): Promise<void> {
  const options = JSON.parse(words[0] ?? "{}") as {
    stateFolder: string;
    tree: string;
    settings: Partial<UndoSettings>;
    idleMs?: number;
  };
  await runKeeper({ ...options, say: (word) => console.log(word), notice: (text) => console.error(text) });
}

if (import.meta.main) {
  // Nobody is there to read what went wrong: it ends, and the next window starts another.
  // oxlint-disable-next-line no-restricted-properties -- the entry point, in a state nobody planned for
  process.on("unhandledRejection", () => process.exit(70));
  await becomeKeeper(process.argv.slice(2));
}
