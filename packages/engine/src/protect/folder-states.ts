// What places hold, taken apart and put together: one entry of it, an older state with one newer entry, and what stood there
// before commands of another server began.
import { idOf } from "../sandbox/entry-stat.ts";
import { changesBetween } from "./state-changes.ts";
import type { FolderRules } from "./settled-places.ts";
import { EMPTY, pathTextOf } from "./place-state.ts";
import type { FolderState, PlaceState } from "./place-state.ts";

export function stateAt(state: PlaceState, parts: readonly string[]): PlaceState | undefined {
  let here: PlaceState | undefined = state;
  for (const name of parts) here = here?.kind === "folder" ? here.entries.get(name) : undefined;
  return here;
}

/** Where in a folder the file of that `device:inode` is a settled place. */
export function partsOfFile(folder: FolderState, id: string): string[] | undefined {
  for (const [name, state] of folder.entries) {
    if (state.kind === "file" && state.rule.level === "settle" && idOf(state.identity) === id) return [name];
    const below = state.kind === "folder" ? partsOfFile(state, id) : undefined;
    if (below !== undefined) return [name, ...below];
  }
  return undefined;
}

/** One entry of a fresh look in an older one. */
export function grafted(old: FolderState, fresh: FolderState, parts: readonly string[]): FolderState {
  const [name = "", ...rest] = parts;
  const entries = new Map(old.entries);
  const now = fresh.entries.get(name);
  if (rest.length === 0 || now === undefined) {
    if (now === undefined) entries.delete(name);
    else entries.set(name, now);
    // A deletion further down: what was beside it is somebody else's to explain.
    if (rest.length > 0) return old;
  } else if (now.kind === "folder") {
    const was = old.entries.get(name);
    const below = was?.kind === "folder" ? was : { ...now, entries: EMPTY.entries };
    entries.set(name, grafted(below, now, rest));
  } else return old;
  return { ...old, entries };
}

/** A state of a journal as far as today's rules still speak of it. */
export function ruled(state: FolderState, rules: FolderRules, parts: readonly string[]): FolderState {
  const entries = new Map<string, PlaceState>();
  for (const [name, inner] of state.entries) {
    const here = [...parts, pathTextOf(name)];
    const verdict = state.rule === undefined ? rules.judge(here) : undefined;
    if (verdict?.kind === "nothing" || rules.isOpen(here)) continue;
    if (verdict?.kind === "place" && verdict.rule.level === "note") continue;
    entries.set(name, inner.kind === "folder" ? ruled(inner, rules, here) : inner);
  }
  return { ...state, entries };
}

/** `knowsAll`: it goes by the same rules, so that what it does not name was not there. Otherwise it may not have looked. */
export function stoodBefore(now: FolderState, known: FolderState, knowsAll: boolean): FolderState {
  const entries = new Map<string, PlaceState>();
  for (const name of new Set([...now.entries.keys(), ...known.entries.keys()])) {
    const [here, there] = [now.entries.get(name), known.entries.get(name)];
    const state = entryBefore(here, there, knowsAll);
    if (state !== undefined) entries.set(name, state);
  }
  return { ...now, entries };
}

function entryBefore(
  here: PlaceState | undefined,
  there: PlaceState | undefined,
  knowsAll: boolean,
): PlaceState | undefined {
  if (here === undefined) return there;
  const isWay = here.kind === "folder" && here.rule === undefined;
  if (isWay && (there === undefined || (there.kind === "folder" && there.rule === undefined)))
    return stoodBefore(here, there ?? EMPTY, knowsAll);
  // Notes are in no record.
  const isNote = here.kind !== "absent" && here.rule?.level === "note";
  if (there === undefined) return isNote || !knowsAll ? here : undefined;
  // Where nothing changed, ours also knows by what stamps.
  return changesBetween(there, here).length === 0 ? here : there;
}
