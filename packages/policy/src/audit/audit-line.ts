// One line of the audit log, and the chain that ties each to the one before: bytes ↔ record.
// A line is {"n":…,…,"h":"<sha256>"}; h covers the previous line's h and every byte of this line before its own.
import { sha256 } from "@bosun/platform/hash";

export const CHAIN_START = "0".repeat(64);
export const MAX_LINE_CHARS = 64 * 1024;

const TAIL = /,"h":"([0-9a-f]{64})"\}$/;
const TAIL_LENGTH = 72;

/** What stands in a line. The chain's own members are n (count), t (time), kind; the rest is the event's. */
export type AuditRecord = { readonly n: number; readonly t: string; readonly kind: string } & Readonly<
  Record<string, unknown>
>;

/** A record without what ties it into the chain. */
export type Members = { kind: string } & Record<string, unknown>;

export type ChainLink = { n: number; hash: string };

/** `members` begin with the kind. */
export function writeLine(n: number, t: Date, members: Members, previous: string): { line: string; hash: string } {
  const body = `{"n":${n},"t":"${t.toISOString()}",${JSON.stringify(members).slice(1, -1)}`;
  const hash = linkHash(previous, body);
  return { line: `${body},"h":"${hash}"}\n`, hash };
}

export type ReadLine =
  { kind: "record"; record: AuditRecord; hash: string; fits: (previous: string) => boolean } | { kind: "broken" };

/** Reads one line without its line feed. Anything that writeLine would not have written is broken. */
export function readLine(line: string): ReadLine {
  const hash = TAIL.exec(line)?.[1];
  if (hash === undefined) return { kind: "broken" };
  const body = line.slice(0, -TAIL_LENGTH);
  const record = parseRecord(`${body}}`);
  if (record === undefined) return { kind: "broken" };
  return { kind: "record", record, hash, fits: (previous) => linkHash(previous, body) === hash };
}

function linkHash(previous: string, body: string): string {
  return sha256(`${previous}\n${body}`);
}

function parseRecord(text: string): AuditRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A line that is no JSON is a finding of the verifier, not an error.
    return undefined;
  }
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is AuditRecord {
  if (typeof value !== "object" || value === null) return false;
  const { n, t, kind } = value as Partial<Record<string, unknown>>;
  return Number.isSafeInteger(n) && typeof t === "string" && typeof kind === "string";
}
