// The store of the folder that a command is about, and what all three commands say when there is none.
import fs from "node:fs";
import path from "node:path";
import { codeOf } from "@bosun/platform/errors";
import { UsageError } from "@bosun/platform/flags";
import type { Flag, FlagValues } from "@bosun/platform/flags";
import { foldersOf, homeOf } from "@bosun/settings";
import { decodePath, recordedTree, UndoError, UndoStore } from "@bosun/undo";
import type { TreePath } from "@bosun/undo";

export const TREE: Flag = {
  name: "tree",
  value: "FOLDER",
  help: "the recorded folder (by default the one that holds the current folder)",
};

export type Recorded = { readonly store: UndoStore; readonly stateFolder: string };

/** Runs with the store open; what was refused is said once, with its exit code. */
export async function withStore(
  program: string,
  flags: FlagValues,
  use: (recorded: Recorded) => Promise<number>,
): Promise<number> {
  let store: UndoStore | undefined;
  try {
    const stateFolder = foldersOf(process.env, homeOf(process.env)).state;
    store = openStore(stateFolder, path.resolve(flags.text("tree") ?? "."), (text) =>
      console.error(`${program}: ${text}`),
    );
    return await use({ store, stateFolder });
  } catch (error) {
    if (!(error instanceof UndoError)) throw error;
    console.error(`${program}: ${error.message}`);
    return error.exitCode;
  } finally {
    store?.close();
  }
}

/** Paths as typed, from the current folder → below the tree. */
export function treePaths(store: UndoStore, flags: FlagValues): TreePath[] {
  return flags.list("path").map((typed) => {
    const relative = path.relative(store.root, path.resolve(realFolder("."), typed));
    if (relative.startsWith("..") || path.isAbsolute(relative))
      throw new UsageError(`--path: ${JSON.stringify(typed)} is not in ${store.root}`);
    return decodePath(Buffer.from(relative, "utf8"));
  });
}

/** A step's number; undefined when the flag is not there. */
export function stepFrom(flags: FlagValues, name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name}: ${JSON.stringify(text)} is no step number`);
  return Number(text);
}

function openStore(stateFolder: string, folder: string, notice: (text: string) => void): UndoStore {
  try {
    const tree = recordedTree(stateFolder, realFolder(folder));
    if (tree === undefined) throw new UndoError(`nothing is recorded for ${folder}`, 1);
    return new UndoStore({ stateFolder, tree, notice });
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") throw new UndoError(`nothing is recorded for ${folder}`, 1);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      throw new UndoError("the store cannot be reached from here", 1);
    throw error;
  }
}

function realFolder(folder: string): string {
  return fs.realpathSync(path.resolve(folder));
}
