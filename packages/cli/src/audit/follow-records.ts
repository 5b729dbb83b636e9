// Audit records as they come: every log of the folder is looked at again when it has grown, and only what is new is shown.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { lastRecords, readAudit } from "@bosun/policy";
import type { AuditFilter, AuditRecord } from "@bosun/policy";

const POLL_MS = 300;

/** The last few first, then each as it comes, without a gap between; ends on SIGINT or SIGTERM. */
export async function followRecords(
  folder: string,
  filter: AuditFilter,
  last: number,
  write: (record: AuditRecord) => void,
): Promise<number> {
  const logs = new Map<string, { size: number; n: number }>();
  const fresh = (): AuditRecord[] =>
    logsOf(folder)
      .flatMap((file) => grownBy(file, filter, logs))
      .toSorted(byTime);
  for (const record of lastRecords(fresh(), last)) write(record);
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      for (const record of fresh()) write(record);
    }, POLL_MS);
    const stop = (): void => {
      clearInterval(timer);
      resolve(0);
    };
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  });
}

function grownBy(file: string, filter: AuditFilter, logs: Map<string, { size: number; n: number }>): AuditRecord[] {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const known = logs.get(file) ?? { size: -1, n: 0 };
  if (size === known.size) return [];
  const records = [...readAudit(file, filter)].filter(({ n }) => n > known.n);
  logs.set(file, { size, n: records.at(-1)?.n ?? known.n });
  return records;
}

function byTime(a: AuditRecord, b: AuditRecord): number {
  return a.t < b.t ? -1 : a.t > b.t ? 1 : 0;
}

function logsOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^audit(-\d+)?\.jsonl$/.test(name))
      .map((name) => path.join(folder, name));
  } catch {
    return []; // made with the first record
  }
}
