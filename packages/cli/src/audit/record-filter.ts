// Which records are wanted: options → the filter of the audit reader.
import type { AuditFilter } from "@bosun/policy";
import { UsageError } from "@bosun/platform/flags";
import type { Flag, FlagValues } from "@bosun/platform/flags";

export const FILTERS: readonly Flag[] = [
  { name: "tool", value: "NAME", help: "alias.tool, or a beginning: 'bosun.*'" },
  { name: "verdict", value: "allow|ask|deny", help: "what the rules said" },
  { name: "outcome", value: "ok|error|timeout|cancelled|refused", help: "how it ended" },
  { name: "kind", value: "decision|outcome|notice|changed-place|lost", help: "only such records" },
  { name: "session", value: "ID", help: "of one client" },
  { name: "contains", value: "TEXT", help: "text anywhere in the record, whatever the case" },
  { name: "since", value: "TIME", help: "30m, 2h, 7d ago, or a date: 2026-11-15, 2026-11-15T09:30" },
  { name: "until", value: "TIME", help: "the same, for the end" },
  { name: "housekeeping", help: "the log's own records too (opened, rotated, …)" },
];

export function filterFrom(flags: FlagValues, now: Date): AuditFilter {
  const filter: AuditFilter = { housekeeping: flags.has("housekeeping") };
  for (const name of ["tool", "verdict", "outcome", "kind", "session", "contains"] as const) {
    const value = flags.text(name);
    if (value !== undefined) filter[name] = value;
  }
  for (const name of ["since", "until"] as const) {
    const value = flags.text(name);
    if (value !== undefined) filter[name] = timeFrom(name, value, now);
  }
  return filter;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30m` ago, or a date. */
export function timeFrom(name: string, text: string, now: Date): Date {
  const [, count, unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(now.getTime() - Number(count) * (UNIT_MS[unit] ?? 0));
  // A date alone is midnight here, not in Greenwich.
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new UsageError(
    `--${name}: ${JSON.stringify(text)} is no time; write 30m, 2h, 7d, or a date such as 2026-11-15T09:30`,
  );
}
