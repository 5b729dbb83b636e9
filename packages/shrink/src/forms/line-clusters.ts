// Lines of one shape → groups that share as many words as pays: a word that only some of them have becomes part of a
// pattern of their own when that saves more than the pattern costs.
import { countTokens } from "../tokens/count.ts";

/** Lines of one shape: which of their words all have, and which stay open. */
export type Cluster = { rows: number[]; isOpen: boolean[] };

const MIN_ROWS = 3;
/** Values that may become a pattern of their own, by column: the most frequent. */
const TRIED_VALUES = 2;
const MAX_CLUSTERS = 24;

/** `words[row][column]`; `patternTokens`: about what one more pattern costs. */
export function clusterRows(words: readonly (readonly string[])[], patternTokens: number): Cluster[] {
  const table = internWords(words);
  const all = Array.from({ length: words.length }, (_, row) => row);
  const clusters = [makeCluster(table, all)];
  for (let at = 0; at < clusters.length;) {
    const split = clusters.length < MAX_CLUSTERS ? bestSplit(table, clusters[at] as Cluster, patternTokens) : undefined;
    if (split === undefined) at++;
    else clusters.splice(at, 1, ...split);
  }
  return clusters;
}

/** Words as numbers, column by column, and what each costs. */
type Table = { columns: Int32Array[]; costs: number[] };

function internWords(words: readonly (readonly string[])[]): Table {
  const ids = new Map<string, number>();
  const costs: number[] = [];
  const width = words[0]?.length ?? 0;
  const columns = Array.from({ length: width }, () => new Int32Array(words.length));
  words.forEach((row, i) => {
    row.forEach((word, column) => {
      let id = ids.get(word);
      if (id === undefined) {
        ids.set(word, (id = costs.length));
        costs.push(countTokens(` ${word}`));
      }
      (columns[column] as Int32Array)[i] = id;
    });
  });
  return { columns, costs };
}

function makeCluster({ columns }: Table, rows: number[]): Cluster {
  const first = rows[0] ?? 0;
  return { rows, isOpen: columns.map((column) => rows.some((row) => column[row] !== column[first])) };
}

// The value that, with everything that goes along with it, saves most when it is written once.
function bestSplit(table: Table, { rows, isOpen }: Cluster, patternTokens: number): [Cluster, Cluster] | undefined {
  let best: { gain: number; inside: number[] } | undefined;
  const { columns, costs } = table;
  columns.forEach((column, at) => {
    if (isOpen[at] !== true) return;
    for (const [value, count] of mostFrequent(column, rows)) {
      if (count < MIN_ROWS || count === rows.length || rows.length - count < 1) continue;
      const inside = rows.filter((row) => column[row] === value);
      const [first = 0] = inside;
      let gain = -patternTokens;
      columns.forEach((other, i) => {
        if (isOpen[i] !== true) return;
        const id = other[first] ?? 0;
        if (i === at || inside.every((row) => other[row] === id))
          gain += ((costs[id] ?? 0) + 0.25) * count - (costs[id] ?? 0);
      });
      if (gain > 0 && gain > (best?.gain ?? 0)) best = { gain, inside };
    }
  });
  if (best === undefined) return undefined;
  const taken = new Set(best.inside);
  return [
    makeCluster(table, best.inside),
    makeCluster(
      table,
      rows.filter((row) => !taken.has(row)),
    ),
  ];
}

function mostFrequent(column: Int32Array, rows: readonly number[]): [value: number, count: number][] {
  const counts = new Map<number, number>();
  for (const row of rows) counts.set(column[row] ?? 0, (counts.get(column[row] ?? 0) ?? 0) + 1);
  const top: [number, number][] = [];
  for (const entry of counts) {
    if (top.length < TRIED_VALUES) top.push(entry);
    else {
      const least = (top[0]?.[1] ?? 0) <= (top[1]?.[1] ?? 0) ? 0 : 1;
      if (entry[1] > (top[least]?.[1] ?? 0)) top[least] = entry;
    }
  }
  return top;
}
