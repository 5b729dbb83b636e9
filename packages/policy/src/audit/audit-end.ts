// Where an audit log ends: its last whole line, what stands after it, and whether lines are gone.
import { statSync } from "node:fs";
import { filesOf, linesOf, readHead } from "./audit-files.ts";
import { CHAIN_START, MAX_LINE_CHARS, readLine, type ChainLink } from "./audit-line.ts";

const TAIL_BYTES = 1024 * 1024; // holds several of the longest lines

/** What stands after the last line feed. */
export type Torn = { kind: "none" } | { kind: "part"; text: string } | { kind: "whole" };

/** Where the chain goes on: after the last whole line of the newest file that has one, else after the head. */
export function endOfLog(file: string): { last: ChainLink; torn: Torn } {
  const files = filesOf(file);
  const current = endOfFile(file);
  if (current.last !== undefined) return { last: current.last, torn: current.torn };
  const rotated = files.findLast((name) => name !== file);
  const before = rotated === undefined ? undefined : endOfFile(rotated).last;
  const head = readHead(file);
  const link = before ?? (head.kind === "head" ? { n: head.n, hash: head.hash } : { n: 0, hash: CHAIN_START });
  return { last: link, torn: current.torn };
}

/** The head is written after its line, so it can be one behind, never ahead: if it is, lines are gone. */
export function lostSince(file: string, last: ChainLink, hasLines: boolean): string | undefined {
  const head = readHead(file);
  if (head.kind === "absent") return hasLines ? "the head record was gone" : undefined;
  if (head.kind === "damaged") return "the head record was damaged";
  if (head.n > last.n) return `${head.n - last.n} records at the end were gone`;
  return head.n === last.n && head.hash !== last.hash ? "the last record was another one" : undefined;
}

export function endOfFile(file: string): { last: ChainLink | undefined; torn: Torn } {
  let last: ChainLink | undefined;
  let torn: Torn = { kind: "none" };
  // Only the end of a long file: a start must not read megabytes. The first line there may be half a line.
  const from = Math.max(0, statSync(file).size - TAIL_BYTES);
  for (const { line, ended } of linesOf(file, MAX_LINE_CHARS, from)) {
    const read = readLine(line);
    const fits = read.kind === "record" && (ended || (last !== undefined && read.fits(last.hash)));
    if (!ended) torn = fits ? { kind: "whole" } : { kind: "part", text: line };
    if (fits) last = { n: read.record.n, hash: read.hash };
  }
  return { last, torn };
}
