// Sums of what was saved: per server, tool and class, in one or two vocabularies. Kept in the state folder, bounded.
import path from "node:path";
import { isObject } from "@bosun/mcp/server";
import { changeJson, readJson } from "../locked-json-file.ts";

/** Tokens in our vocabulary and in the second one; 0 where it was not there. */
export type TokenPair = [first: number, second: number];
export type Sum = { results: number; smaller: number; before: TokenPair; after: TokenPair };
export type ServerSums = { results: number; tools: Record<string, Sum>; classes: Record<string, Sum> };

export type SavingsLedger = {
  since: string;
  sessions: number;
  servers: Record<string, ServerSums>;
  /** What was fetched back: it counts against us. */
  retrievals: { count: number; tokens: number };
  /** Tokens of our own tools in the lists that were sent: they count against us. */
  ownTools: number;
  lists: { before: number; after: number };
};

const FILE = "proxy-savings.json";
const MAX_SERVERS = 100;
const MAX_ROWS = 200;
const OTHERS = "(others)";

export function emptyLedger(): SavingsLedger {
  return {
    since: new Date().toISOString(),
    sessions: 0,
    servers: noRows(),
    retrievals: { count: 0, tokens: 0 },
    ownTools: 0,
    lists: { before: 0, after: 0 },
  };
}

export function serverIn({ servers }: SavingsLedger, name: string): ServerSums {
  const key = rowIn(servers, name, MAX_SERVERS);
  return (servers[key] ??= { results: 0, tools: noRows(), classes: noRows() });
}

export function add(
  sums: Record<string, Sum>,
  row: string,
  { before, after }: { before: TokenPair; after: TokenPair },
  isSmaller: boolean,
): void {
  addSum(sums, row, { results: 1, smaller: isSmaller ? 1 : 0, before, after });
}

/** This session's sums on top of all earlier ones. */
export async function keepLedger(folder: string, ledger: SavingsLedger): Promise<void> {
  await changeJson(path.join(folder, FILE), (value) => {
    const kept = parsed(value) ?? emptyLedger();
    kept.sessions += ledger.sessions;
    kept.ownTools += ledger.ownTools;
    kept.retrievals.count += ledger.retrievals.count;
    kept.retrievals.tokens += ledger.retrievals.tokens;
    kept.lists.before += ledger.lists.before;
    kept.lists.after += ledger.lists.after;
    for (const [name, sums] of Object.entries(ledger.servers)) {
      const row = serverIn(kept, name);
      row.results += sums.results;
      for (const [tool, sum] of Object.entries(sums.tools)) addSum(row.tools, tool, sum);
      for (const [kind, sum] of Object.entries(sums.classes)) addSum(row.classes, kind, sum);
    }
    return kept;
  });
}

export function readLedger(folder: string): SavingsLedger | undefined {
  return parsed(readJson(path.join(folder, FILE)));
}

export function ledgerFile(folder: string): string {
  return path.join(folder, FILE);
}

function addSum(sums: Record<string, Sum>, row: string, { results, smaller, before, after }: Sum): void {
  const key = rowIn(sums, row, MAX_ROWS);
  const sum = (sums[key] ??= { results: 0, smaller: 0, before: [0, 0], after: [0, 0] });
  sum.results += results;
  sum.smaller += smaller;
  sum.before = [sum.before[0] + before[0], sum.before[1] + before[1]];
  sum.after = [sum.after[0] + after[0], sum.after[1] + after[1]];
}

/** Servers choose the names of rows: no prototype, so that none of them means anything. */
function noRows<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

function rowIn(rows: object, name: string, limit: number): string {
  const key = name.slice(0, 100);
  return Object.hasOwn(rows, key) || Object.keys(rows).length < limit ? key : OTHERS;
}

/** A file that is not what we wrote is started over: nothing hangs on it. */
function parsed(value: unknown): SavingsLedger | undefined {
  if (!isObject(value) || !isObject(value["servers"])) return undefined;
  const ledger = emptyLedger();
  const { since, sessions, ownTools, retrievals, lists } = value;
  if (typeof since === "string") ledger.since = since;
  ledger.sessions = numberIn(sessions);
  ledger.ownTools = numberIn(ownTools);
  if (isObject(retrievals))
    ledger.retrievals = { count: numberIn(retrievals["count"]), tokens: numberIn(retrievals["tokens"]) };
  if (isObject(lists)) ledger.lists = { before: numberIn(lists["before"]), after: numberIn(lists["after"]) };
  for (const [name, row] of Object.entries(value["servers"])) {
    if (!isObject(row)) continue;
    const sums = serverIn(ledger, name);
    sums.results = numberIn(row["results"]);
    for (const member of ["tools", "classes"] as const) {
      for (const [key, sum] of Object.entries(isObject(row[member]) ? row[member] : {})) {
        const read = sumIn(sum);
        if (read) addSum(sums[member], key, read);
      }
    }
  }
  return ledger;
}

function sumIn(value: unknown): Sum | undefined {
  if (!isObject(value)) return undefined;
  const pair = (given: unknown): TokenPair =>
    Array.isArray(given) ? [numberIn(given[0]), numberIn(given[1])] : [0, 0];
  const { results, smaller, before, after } = value;
  return { results: numberIn(results), smaller: numberIn(smaller), before: pair(before), after: pair(after) };
}

function numberIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
