// Reading the audit log back, oldest first, one record at a time: for `bosun audit` and `:audit`.
// Says nothing about whether the log is whole: that is audit-verify.
import { filesOf, logsOf, linesOf } from "./audit-files.ts";
import { MAX_LINE_CHARS, readLine, type AuditRecord } from "./audit-line.ts";

export type AuditFilter = {
  since?: Date;
  until?: Date;
  /** `alias.tool`, or a beginning with a star: `alias.*`. */
  tool?: string;
  session?: string;
  kind?: string;
  verdict?: string;
  outcome?: string;
  /** Text anywhere in the record, whatever the case. */
  contains?: string;
  /** The housekeeping records of the log itself (opened, rotated, …) are left out unless asked for. */
  housekeeping?: boolean;
};

const HOUSEKEEPING = new Set(["opened", "rotated", "pruned", "recovered"]); // "lost" is news

/** Matching records of one log and its rotated files. */
export function* readAudit(file: string, filter: AuditFilter = {}): Generator<AuditRecord> {
  for (const name of filesOf(file)) {
    for (const { line, ended } of linesOf(name, MAX_LINE_CHARS)) {
      const read = ended ? readLine(line) : undefined;
      if (read?.kind === "record" && matches(read.record, filter)) yield read.record;
    }
  }
}

/** Matching records of all logs of a folder, merged by time. */
export function* readAuditFolder(folder: string, filter: AuditFilter = {}): Generator<AuditRecord> {
  const sources = logsOf(folder).map((file) => readAudit(file, filter));
  const waiting = sources.map((source) => source.next());
  for (;;) {
    let next = -1;
    for (let i = 0; i < waiting.length; i += 1) {
      if (waiting[i]?.done === false && (next < 0 || timeOf(waiting[i]) < timeOf(waiting[next]))) next = i;
    }
    const chosen = waiting[next];
    const source = sources[next];
    if (chosen === undefined || source === undefined || chosen.done) return;
    yield chosen.value;
    waiting[next] = source.next();
  }
}

/** The last few of them, in order. */
export function lastRecords(records: Iterable<AuditRecord>, count: number): AuditRecord[] {
  const kept: AuditRecord[] = [];
  for (const record of records) {
    kept.push(record);
    if (kept.length > count) kept.shift();
  }
  return kept;
}

function matches(record: AuditRecord, filter: AuditFilter): boolean {
  if (!filter.housekeeping && HOUSEKEEPING.has(record.kind)) return false;
  if (filter.since !== undefined && record.t < filter.since.toISOString()) return false;
  if (filter.until !== undefined && record.t >= filter.until.toISOString()) return false;
  if (filter.kind !== undefined && record.kind !== filter.kind) return false;
  if (filter.session !== undefined && record["session"] !== filter.session) return false;
  if (filter.verdict !== undefined && record["verdict"] !== filter.verdict) return false;
  if (filter.outcome !== undefined && record["outcome"] !== filter.outcome) return false;
  if (filter.tool !== undefined && !matchesTool(record["tool"], filter.tool)) return false;
  return filter.contains === undefined || JSON.stringify(record).toLowerCase().includes(filter.contains.toLowerCase());
}

function matchesTool(tool: unknown, pattern: string): boolean {
  if (typeof tool !== "string") return false;
  return pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern;
}

function timeOf(result: IteratorResult<AuditRecord> | undefined): string {
  return result?.done === false ? result.value.t : "";
}
