// What is done about changes below a folder: what a person's programs obey is put back, its other version kept aside, and
// the rest noted.
import path from "node:path";
import { isWithin } from "../scope/scope.ts";
import type { KeptVersions, KeptVersionSlot } from "./quarantine.ts";
import { isModeOnly } from "./state-changes.ts";
import type { Change } from "./state-changes.ts";
import type { KeptContents } from "./content-before.ts";
import { NotKept, restoreTools, restoreMode, restoreState, removeEmptyFolders } from "./restore-place.ts";
import { openFolder } from "./real-folder.ts";
import type { PlaceLevel } from "./settled-places.ts";
import { textOf } from "./place-state.ts";
import type { FolderState, PlaceState } from "./place-state.ts";

export type SettledChange = {
  /** Absolute, and relative to the allowed folder that holds it. */
  readonly place: string;
  readonly shown: string;
  readonly level: PlaceLevel;
  readonly why: string;
  /** "stays": it could not be put back; `problem` says why. */
  readonly done: "noted" | "put back" | "stays";
  readonly problem: string | undefined;
  /** It could not be put back now, but what was there is kept: it is tried again. */
  readonly isTriedAgain: boolean;
  /** Where the changed version lies now. */
  readonly aside: string | undefined;
  readonly before: PlaceState;
  readonly after: PlaceState;
  /** For putting the changed version in again. */
  readonly folder: string;
  readonly parts: readonly string[];
  readonly slot: KeptVersionSlot;
};

export type SettlerOptions = {
  readonly contents: KeptContents;
  readonly aside: KeptVersions;
  /** Real paths; empty: everything. */
  readonly roots: readonly string[];
  /** Where folders are looked for when everything is allowed. */
  readonly workdir: string;
};

export class Settler {
  readonly #options: SettlerOptions;
  readonly #roots: readonly string[];

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#roots = options.roots.map(latin1);
  }

  /** `before`: of the folder, for what was made on the way to a place. */
  settle(folder: string, changes: readonly Change[], before: FolderState, now: Date): SettledChange[] {
    if (changes.length === 0) return [];
    const { contents, aside } = this.#options;
    const slot = aside.slot(now);
    const tools = restoreTools({ contents, aside: slot, prefix: this.prefixOf(folder) });
    using directory = openFolder(folder);
    return changes.map((change) => {
      const settled = (what: Pick<SettledChange, "done"> & Partial<SettledChange>): SettledChange => {
        const place = textOf([folder === "/" ? "" : folder, ...change.parts].join("/"));
        const { rule, before: was, after, parts } = change;
        const { level, why } = rule;
        const facts = { problem: undefined, aside: undefined, isTriedAgain: false, ...what };
        return { place, shown: this.shown(place), level, why, before: was, after, folder, parts, slot, ...facts };
      };
      if (change.rule.level === "note") return settled({ done: "noted" });
      if (directory === undefined) return settled({ done: "stays", problem: "its folder is gone" });
      try {
        const put =
          isModeOnly(change) && change.before.kind === "folder"
            ? restoreMode(directory, change.parts, change.before, tools)
            : restoreState(directory, change.parts, change.before, tools);
        if (change.before.kind === "absent") removeEmptyFolders(directory, change.parts, before);
        return settled({ done: "put back", aside: put ?? undefined });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        return settled({ done: "stays", problem, isTriedAgain: !(error instanceof NotKept) });
      }
    });
  }

  /** Where a version lies aside: as below the allowed folder. */
  prefixOf(folder: string): string[] {
    const root = this.#roots.find((one) => isWithin(one, folder)) ?? latin1(this.#options.workdir);
    if (folder === root) return [];
    const inside = isWithin(root, folder) ? folder.slice(root === "/" ? 1 : root.length + 1) : folder.slice(1);
    return inside.split("/").filter((name) => name !== "");
  }

  /** Relative to the allowed folder that holds it. */
  shown(place: string): string {
    const { roots, workdir } = this.#options;
    const root = [...roots, workdir].find((one) => place !== one && isWithin(one, place));
    return root === undefined ? place : path.relative(root, place);
  }
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
