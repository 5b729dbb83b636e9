// What stood at the places of a folder before commands of another server began to change them: its record of that wins over
// what stands there now.
import { changesBetween } from "./changes.ts";
import { EMPTY } from "./snapshot.ts";
import type { FolderState, PlaceState } from "./snapshot.ts";

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
