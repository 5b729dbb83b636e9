// Everything that is kept of one tree: its folder in the state folder, opened so that nobody else can read or plant it.
import fs from "node:fs";
import path from "node:path";
import type { Database } from "bun:sqlite";
import { BosunError } from "@bosun/platform/errors";
import { sha256 } from "@bosun/platform/hash";
import { makePrivateFolder } from "@bosun/platform/private-files";
import { ContentStore } from "./content-store.ts";
import { openDatabase } from "./database.ts";
import { Quota } from "./quota.ts";
import { Records } from "./records.ts";
import { DEFAULT_SETTINGS } from "./settings.ts";
import type { UndoSettings } from "./settings.ts";
import { encodePath } from "./tree-path.ts";
import { UndoError } from "./undo-error.ts";

export type StoreOptions = {
  /** `$XDG_STATE_HOME/bosun`. */
  readonly stateFolder: string;
  readonly tree: string;
  readonly settings?: Partial<UndoSettings>;
  /** Told what a person should know: a damaged store was set aside. */
  readonly notice?: (text: string) => void;
};

export class UndoStore {
  readonly root: string;
  readonly folder: string;
  readonly settings: UndoSettings;
  readonly database: Database;
  readonly records: Records;
  readonly contents: ContentStore;
  readonly quota: Quota;
  readonly #clock: number;

  constructor({ stateFolder, tree, settings, notice }: StoreOptions) {
    this.root = fs.realpathSync(tree);
    this.settings = { ...DEFAULT_SETTINGS, ...settings };
    const all = undoFolder(stateFolder);
    this.folder = storeFolder(stateFolder, this.root);
    refuseForeign(() => {
      for (const folder of [all, this.folder]) {
        makePrivateFolder(folder);
        // Others could not change it, but would read it.
        fs.chmodSync(folder, 0o700);
      }
    });
    const file = path.join(this.folder, "undo.sqlite");
    this.database = refuseForeign(() =>
      openDatabase(file, (aside) =>
        notice?.(`the undo store was damaged; it is kept as ${aside}, a new one was begun`),
      ),
    );
    this.quota = new Quota(all, this.settings.quota);
    this.records = new Records(this.database);
    this.contents = new ContentStore(this.database, this.folder, path.basename(this.folder), this.quota);
    this.#clock = fs.openSync(path.join(this.folder, "clock"), "a", 0o600);
    if (this.records.meta("root") === undefined) {
      this.contents.transaction(0, () => {
        this.records.setMeta("root", identityOf(this.root));
        this.records.setMeta("path", encodePath(this.root).toString("base64"));
      });
    }
  }

  /** Whether the folder at the tree's path is the one that was recorded. */
  isSameRoot(): boolean {
    return this.records.meta("root") === identityOf(this.root);
  }

  /** The file system's own clock: what a change made now gets as its ctime is not before this. */
  now(): bigint {
    const stamp = Date.now() / 1000;
    fs.futimesSync(this.#clock, stamp, stamp);
    return fs.fstatSync(this.#clock, { bigint: true }).ctimeNs;
  }

  close(): void {
    fs.closeSync(this.#clock);
    this.database.close();
    this.quota.close();
  }
}

/** Holds one folder for each tree. Nothing in it is for tools: it belongs into the paths that no tool may touch. */
export function undoFolder(stateFolder: string): string {
  return path.join(path.resolve(stateFolder), "undo");
}

export function storeFolder(stateFolder: string, root: string): string {
  return path.join(undoFolder(stateFolder), sha256(root).slice(0, 16));
}

/** The recorded tree that holds a folder: itself or the nearest one above. */
export function recordedTree(stateFolder: string, folder: string): string | undefined {
  for (let at = fs.realpathSync(folder); ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(storeFolder(stateFolder, at), "undo.sqlite"))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

function identityOf(root: string): string {
  const { dev, ino } = fs.statSync(root, { bigint: true });
  return `${dev}:${ino}`;
}

function refuseForeign<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    throw new UndoError(`${error.message}; refused`, 1);
  }
}
