// What a check of the audit logs found, in words: each problem with the file and the line it is in.
import { screenSafe } from "@bosun/platform/safe-text";
import type { AuditReport } from "@bosun/policy";

export function reportVerification(folder: string, lanes: readonly { file: string; report: AuditReport }[]): string {
  if (lanes.length === 0) return screenSafe(`${folder} holds no audit log yet.`);
  const lines = lanes.flatMap(({ file, report }) => [
    `${report.ok ? "whole" : "BROKEN"}  ${file}  ${count(report.records, "record")} in ${count(report.files, "file")}`,
    ...report.problems.map(({ file, line, what }) => `        ${file}${line > 0 ? `:${line}` : ""}: ${what}`),
    ...report.notes.map((note) => `        note: ${note}`),
    ...(report.head === undefined ? [] : [`        head ${report.head.n} ${report.head.hash}`]),
  ]);
  const ok = lanes.every(({ report }) => report.ok);
  return screenSafe(
    [
      ...lines,
      "",
      ok
        ? "Every line is chained to the one before; none is missing or changed. Who keeps the head elsewhere can also tell a log that was rewritten as a whole."
        : "The record was changed after it was written.",
    ].join("\n"),
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
