// Is the audit log whole? Every line chained to the one before, none missing, none changed, none cut off at the end.
import { statSync } from "node:fs";
import path from "node:path";
import { sha256 } from "@bosun/platform/hash";
import { filesOf, logsOf, linesOf, readHead } from "./audit-files.ts";
import { CHAIN_START, MAX_LINE_CHARS, readLine, type ChainLink, type ReadLine } from "./audit-line.ts";

const MAX_PROBLEMS = 50; // one changed line can make many; a person needs the first
const ATTEMPTS = 5; // a program may be writing while we read

export type AuditProblem = { file: string; line: number; what: string };

export type AuditReport = {
  ok: boolean;
  records: number;
  files: number;
  /** Worth writing down elsewhere: a log that was rewritten as a whole has another one. */
  head: ChainLink | undefined;
  problems: AuditProblem[];
  /** What is not an attack but should be known: a torn line, older files removed by rotation. */
  notes: string[];
};

/** Verifies one log: the current file and those rotated away from it. */
export function verifyAudit(file: string): AuditReport {
  let report = verifyOnce(file);
  for (let attempt = 1; attempt < ATTEMPTS && !report.ok && report.moved; attempt += 1) report = verifyOnce(file);
  const { moved: _, ...result } = report;
  return result;
}

/** Verifies every log of a folder, one per program that wrote there at the same time. */
export function verifyAuditFolder(folder: string): { file: string; report: AuditReport }[] {
  return logsOf(folder).map((file) => ({ file, report: verifyAudit(file) }));
}

type Walk = {
  problems: AuditProblem[];
  notes: string[];
  last: ChainLink | undefined;
  before: ChainLink | undefined; // the record before the last: a crash may leave the head there
  firstN: number;
  prunedUpto: number;
  records: number;
  torn: string | undefined; // a broken line that the next record must vouch for
  tornAt: AuditProblem | undefined;
};

function verifyOnce(file: string): AuditReport & { moved: boolean } {
  const files = filesOf(file);
  const sizes = sizesOf(files);
  const walk: Walk = {
    problems: [],
    notes: [],
    last: undefined,
    before: undefined,
    firstN: 1,
    prunedUpto: 0,
    records: 0,
    torn: undefined,
    tornAt: undefined,
  };
  for (const name of files) walkFile(walk, name);
  checkBeginning(walk, file);
  const head = readHead(file);
  if (head.kind === "damaged")
    walk.problems.push({ file: `${file}.head`, line: 1, what: "the head record was changed" });
  else if (head.kind === "absent") {
    if (files.length > 0) walk.problems.push({ file: `${file}.head`, line: 1, what: "the head record is missing" });
  } else checkEnd(walk, file, head);
  const moved = JSON.stringify(sizesOf(filesOf(file))) !== JSON.stringify(sizes);
  return {
    ok: walk.problems.length === 0,
    records: walk.records,
    files: files.length,
    head: walk.last,
    problems: walk.problems.slice(0, MAX_PROBLEMS),
    notes: walk.notes,
    moved,
  };
}

function walkFile(walk: Walk, file: string): void {
  let number = 0;
  for (const { line, ended } of linesOf(file, MAX_LINE_CHARS)) {
    number += 1;
    const here = (what: string): AuditProblem => ({ file, line: number, what });
    if (!ended) {
      // Never reported as done: append had not returned. If it had, the head is ahead and says so.
      walk.notes.push(`${path.basename(file)} line ${number}: torn by a crash while it was written`);
      return;
    }
    const read = readLine(line);
    if (read.kind === "broken") {
      if (walk.tornAt !== undefined) walk.problems.push(walk.tornAt);
      walk.torn = line;
      walk.tornAt = here("not a line of this log: changed, or two lines made into one");
      continue;
    }
    checkRecord(walk, read, number, here);
  }
  if (walk.tornAt !== undefined) walk.problems.push(walk.tornAt);
  walk.torn = undefined;
  walk.tornAt = undefined;
}

function checkRecord(
  walk: Walk,
  read: Extract<ReadLine, { kind: "record" }>,
  number: number,
  here: (what: string) => AuditProblem,
): void {
  const { record, hash } = read;
  if (number === 1 && record.kind !== "opened") walk.problems.push(here("the beginning of this file is missing"));
  if (walk.last === undefined) {
    walk.firstN = record.n;
    const previous = typeof record["previous"] === "string" ? record["previous"] : CHAIN_START;
    if (record.n === 1 && previous !== CHAIN_START) walk.problems.push(here("the first record does not begin a chain"));
    if (!read.fits(previous)) walk.problems.push(here("changed: its hash does not fit"));
  } else {
    const expected = walk.last.n + 1;
    if (record.n !== expected)
      walk.problems.push(here(`record ${record.n} where ${expected} should be: ${gap(record.n, expected)}`));
    else if (!read.fits(walk.last.hash))
      walk.problems.push(here("changed: its hash does not fit, or the line before was changed"));
    if (record.kind === "opened" && record["previous"] !== walk.last.hash && record.n === expected) {
      walk.problems.push(here("this file does not continue the one before"));
    }
  }
  if (walk.tornAt !== undefined) {
    const vouched = record.kind === "recovered" && record["torn_sha256"] === sha256(walk.torn ?? "");
    if (vouched) walk.notes.push(`line ${number - 1}: torn by a crash, noted by record ${record.n}`);
    else walk.problems.push(walk.tornAt);
    walk.torn = undefined;
    walk.tornAt = undefined;
  }
  if (record.kind === "lost")
    walk.problems.push(here(`found when the log was opened again: ${String(record["reason"])}`));
  if (record.kind === "pruned" && typeof record["upto"] === "number") walk.prunedUpto = record["upto"];
  walk.before = walk.last;
  walk.last = { n: record.n, hash };
  walk.records += 1;
}

function gap(found: number, expected: number): string {
  return found > expected ? `${found - expected} missing` : "out of order";
}

function checkBeginning(walk: Walk, file: string): void {
  if (walk.last === undefined || walk.firstN === 1) return;
  if (walk.prunedUpto >= walk.firstN - 1) {
    walk.notes.push(`records 1 to ${walk.firstN - 1} were removed by rotation`);
  } else walk.problems.push({ file, line: 1, what: `records 1 to ${walk.firstN - 1} are missing` });
}

function checkEnd(walk: Walk, file: string, head: ChainLink): void {
  const last = walk.last ?? { n: 0, hash: CHAIN_START };
  const problem = (what: string): void => {
    walk.problems.push({ file, line: 0, what });
  };
  if (head.n > last.n) problem(`cut off at the end: record ${head.n} was written, the log ends at ${last.n}`);
  else if (head.n === last.n && head.hash !== last.hash) problem("the last record is not the one that was written");
  else if (head.n === last.n - 1) {
    if (walk.before !== undefined && head.hash !== walk.before.hash) problem("the head record does not fit the log");
    else walk.notes.push("the head record is one behind: a crash came between the two");
  } else if (head.n < last.n - 1) problem(`the head record is old: it stands at ${head.n}, the log at ${last.n}`);
}

function sizesOf(files: readonly string[]): [string, number][] {
  return files.map((file) => [file, statSync(file, { throwIfNoEntry: false })?.size ?? -1]);
}
