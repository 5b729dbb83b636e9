// Two states of the same places → what changed, each with the path, what was there and what is there now.
import type { KeptContent } from "./content-before.ts";
import { ABSENT, EMPTY } from "./place-state.ts";
import type { FolderState, PlaceState } from "./place-state.ts";
import type { PlaceRule } from "./settled-places.ts";

/** A new folder with more entries than this is one change, not many. */
const MAX_LISTED = 20;

export type Change = {
  /** Names below the folder that was looked at, as latin1 bytes. */
  readonly parts: readonly string[];
  readonly rule: PlaceRule;
  readonly before: PlaceState;
  readonly after: PlaceState;
};

export function changesBetween(
  before: PlaceState,
  after: PlaceState,
  parts: readonly string[] = [],
): readonly Change[] {
  if (before === after) return [];
  const left = before.kind === "absent" && after.kind === "folder" ? emptied(after) : before;
  const right = after.kind === "absent" && before.kind === "folder" ? emptied(before) : after;
  if (left.kind === "folder" && right.kind === "folder") return folderChanges(left, right, parts, before);
  if (isSameEntry(left, right)) return [];
  const rule = ruleOf(right) ?? ruleOf(left);
  return rule === undefined ? [] : [{ parts, rule, before, after }];
}

function folderChanges(
  left: FolderState,
  right: FolderState,
  parts: readonly string[],
  before: PlaceState,
): readonly Change[] {
  const rule = right.rule ?? left.rule;
  if (rule !== undefined) {
    const isNew = before.kind === "absent";
    // More than was looked at is there now: nothing but the whole folder says what came.
    const isFlooded = left.isWhole && !right.isWhole;
    if (isFlooded || (isNew && countOf(right) > MAX_LISTED)) return [{ parts, rule, before, after: right }];
  }
  const changes: Change[] = [];
  if (rule !== undefined && left.mode !== right.mode && before.kind !== "absent" && right.mode !== GONE)
    changes.push({ parts, rule, before: withoutEntries(left), after: withoutEntries(right) });
  for (const name of new Set([...left.entries.keys(), ...right.entries.keys()])) {
    const was = left.entries.get(name);
    // Beyond what was looked at nobody knows what was there, but for its name.
    if (was === undefined && !left.isWhole && left.unread?.has(name) !== false) continue;
    changes.push(...changesBetween(was ?? ABSENT, right.entries.get(name) ?? ABSENT, [...parts, name]));
  }
  return changes;
}

/** A mode that no folder has. */
const GONE = -1;

function emptied(folder: FolderState): FolderState {
  return { ...folder, mode: GONE, entries: EMPTY.entries, isWhole: true };
}

/** For a change of nothing but the mode. */
function withoutEntries(folder: FolderState): FolderState {
  return { ...folder, entries: EMPTY.entries, isWhole: false };
}

export function isModeOnly({ before, after }: Pick<Change, "before" | "after">): boolean {
  return before.kind === "folder" && after.kind === "folder" && !before.isWhole && before.entries.size === 0;
}

function isSameEntry(left: PlaceState, right: PlaceState): boolean {
  if (left.kind === "link" && right.kind === "link") return left.target === right.target;
  if (left.kind === "other" && right.kind === "other") return left.identity.ino === right.identity.ino;
  if (left.kind !== "file" || right.kind !== "file") return left.kind === right.kind;
  if (left.mode !== right.mode) return false;
  if (left.content !== undefined && right.content !== undefined) return isSameContent(left.content, right.content);
  const [one, other] = [left.identity, right.identity];
  return (
    left.content === right.content &&
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

function isSameContent(left: KeptContent, right: KeptContent): boolean {
  const isCounted = left.counted !== undefined && right.counted !== undefined;
  return isCounted ? left.counted === right.counted : left.sha256 === right.sha256;
}

function ruleOf(state: PlaceState): PlaceRule | undefined {
  return state.kind === "absent" ? undefined : state.rule;
}

function countOf(folder: FolderState): number {
  let count = 0;
  for (const state of folder.entries.values()) count += state.kind === "folder" ? countOf(state) : 1;
  return count;
}

/** Digests of all contents in it. */
export function* contentsOf(state: PlaceState): Generator<string> {
  if (state.kind === "file" && state.content !== undefined && state.rule.level === "settle") yield state.content.sha256;
  if (state.kind === "folder") for (const inner of state.entries.values()) yield* contentsOf(inner);
}
