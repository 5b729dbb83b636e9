// Where the links at settled places lead: every name on the way, since each of them could be made to lead elsewhere.
import { readlinkSync } from "node:fs";
import { entryStat } from "../sandbox/entry-stat.ts";
import { entryIn, folderOf, fsPath, realPathOf, resolvedIn, textOfPath } from "../sandbox/path-text.ts";
import { isWithin } from "../scope/scope.ts";
import { pathTextOf } from "./place-state.ts";
import type { FolderState } from "./place-state.ts";

const MOST_HOPS = 8;
const MOST_TARGETS = 200;

/** `tops`: folders in latin1 and what their places hold. Without what leads to one of the folders itself or around it. */
export function linkTargets(tops: Iterable<readonly [folder: string, state: FolderState]>): readonly string[] {
  const all = [...tops].map(([folder, state]) => ({ folder: pathTextOf(folder), state }));
  const targets = new Set<string>();
  for (const { folder, state } of all)
    for (const link of linksIn(state, folder)) for (const hop of hopsOf(link)) targets.add(hop);
  const isTop = (target: string): boolean => all.some(({ folder }) => isWithin(target, folder));
  return [...targets].filter((target) => !isTop(target)).slice(0, MOST_TARGETS);
}

function* linksIn(folder: FolderState, at: string): Generator<string> {
  for (const [name, state] of folder.entries) {
    const place = entryIn(at, pathTextOf(name));
    if (state.kind === "folder") yield* linksIn(state, place);
    else if (state.kind === "link" && state.rule.level === "settle") yield place;
  }
}

/** Every place on the way from a link to what it leads to; none when it is no link. */
export function hopsOf(link: string): string[] {
  const hops: string[] = [];
  for (let at = link; hops.length < MOST_HOPS && entryStat(at)?.isSymbolicLink() === true;) {
    const target = targetOf(at);
    if (target === undefined) break;
    at = resolvedIn(folderOf(at), target);
    hops.push(at);
  }
  const real = realPathOf(link);
  return real === undefined ? hops : [...hops, real];
}

function targetOf(link: string): string | undefined {
  try {
    return textOfPath(readlinkSync(fsPath(link), "buffer"));
  } catch {
    return undefined; // it is none any more
  }
}
