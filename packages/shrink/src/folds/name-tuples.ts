// Names side by side that differ only in their endings, such as a source and its test: written once, with a plus.
//
//   +.d.ts,.js           the mark: what a plus stands for
//   index+ main+         index.d.ts index.js main.d.ts main.js
//   index+=12;40         with labels of their own
import type { Named } from "./alike-folders.ts";
import { UnfoldError } from "./fold.ts";

const MAX_ENDINGS = 4;
/** So many names must go, or the mark costs more. */
const MIN_SPARED = 4;
const ENDING = /^(?:[.^][\w.^{}-]{0,20})?$/;
const PLUS = "+";

export type Tuple = readonly string[];

/** The endings that spare most names; undefined: none is worth its place in the mark. */
export function findTuple(lines: Iterable<readonly Named[]>): Tuple | undefined {
  const spared = new Map<string, number>();
  for (const names of lines) {
    for (let i = 0; i + 1 < names.length;) {
      const endings = endingsFrom(names, i);
      if (endings.length > 1) {
        const key = endings.join(",");
        spared.set(key, (spared.get(key) ?? 0) + endings.length - 1);
      }
      i += endings.length;
    }
  }
  let best: string | undefined;
  let most = MIN_SPARED - 1;
  for (const [key, count] of spared) if (count > most) [best, most] = [key, count];
  return best?.split(",");
}

/** The names with a plus where they go together. */
export function joinTuples(names: readonly Named[], tuple: Tuple): Named[] {
  const joined: Named[] = [];
  for (let i = 0; i < names.length;) {
    const stem = stemAt(names, i, tuple);
    if (stem === undefined) {
      joined.push(names[i] as Named);
      i++;
      continue;
    }
    const labels = names.slice(i, i + tuple.length).map(({ label }) => label ?? "");
    const label = labels.every((other) => other === labels[0]) ? labels[0] : labels.join(";");
    joined.push({ name: stem, label: label === "" ? undefined : label, together: true });
    i += tuple.length;
  }
  return joined;
}

export function writeTuple(tuple: Tuple | undefined): string {
  return tuple === undefined ? "" : PLUS + tuple.join(",");
}

/** A word of the mark. */
export function readTuple(word: string): Tuple | undefined {
  if (!word.startsWith(PLUS)) return undefined;
  const tuple = word.slice(1).split(",");
  if (tuple.length > MAX_ENDINGS) throw new UnfoldError("too many endings for a plus");
  return tuple;
}

export function isTogether(word: string): boolean {
  return word.endsWith(PLUS) && !word.startsWith(":");
}

/** Would this name be taken for several? */
export function looksTogether(name: string): boolean {
  return name.endsWith(PLUS);
}

export function plus(stem: string): string {
  return stem + PLUS;
}

/** The names that a word with a plus stands for, each with its label. */
export function splitTogether(stem: string, label: string, tuple: Tuple): { name: string; label: string }[] {
  const labels = label.split(";");
  if (labels.length !== 1 && labels.length !== tuple.length) throw new UnfoldError(`too many labels: ${label}`);
  return tuple.map((ending, i) => ({
    name: stem + ending,
    label: (labels.length === 1 ? labels[0] : labels[i]) ?? "",
  }));
}

// How the names from here on end that share what is before their first dot, or the second of which only adds a sign.
function endingsFrom(names: readonly Named[], from: number): string[] {
  const first = names[from]?.name ?? "";
  const second = names[from + 1]?.name ?? "";
  const dot = first.indexOf(".", 1);
  if (second.startsWith(`${first}^`)) return fit(["", second.slice(first.length)]);
  if (dot < 0) return [""];
  const stem = first.slice(0, dot);
  const endings = [first.slice(dot)];
  while (endings.length <= MAX_ENDINGS) {
    const next = names[from + endings.length]?.name ?? "";
    if (next.length <= dot || next.charCodeAt(dot) !== 0x2e || !next.startsWith(stem)) break;
    endings.push(next.slice(dot));
  }
  return fit(endings);
}

function fit(endings: string[]): string[] {
  const distinct = new Set(endings).size === endings.length;
  return distinct && endings.length <= MAX_ENDINGS && endings.every((ending) => ENDING.test(ending)) ? endings : [""];
}

function stemAt(names: readonly Named[], at: number, tuple: Tuple): string | undefined {
  const [ending = ""] = tuple;
  const first = names[at]?.name ?? "";
  if (first.length <= ending.length || !first.endsWith(ending)) return undefined;
  const stem = first.slice(0, first.length - ending.length);
  if (/^[:*|=]|\/$/.test(stem)) return undefined;
  for (let i = 0; i < tuple.length; i++) {
    const other = names[at + i];
    if (other === undefined || other.label?.includes(";") === true) return undefined;
    if (i > 0 && other.name !== stem + (tuple[i] ?? "")) return undefined;
  }
  return stem;
}
