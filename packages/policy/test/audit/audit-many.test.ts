// Several records at once are the same chain as one after the other.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openAudit } from "../../src/audit/audit.ts";
import type { AuditEvent } from "../../src/audit/audit.ts";
import { verifyAudit } from "../../src/audit/audit-verify.ts";

test("records appended together are chained, redacted and in order, also across a rotation", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "bosun-audit-"));
  try {
    const audit = openAudit({ folder: path.join(folder, "audit"), maxBytes: 4096 });
    const events = (from: number): AuditEvent[] =>
      Array.from({ length: 20 }, (_, i) => ({
        kind: "outcome",
        tool: `t.${from + i}`,
        outcome: "ok",
        arguments: { password: "hunter2-hunter2" },
      }));
    for (let from = 0; from < 100; from += 20) audit.appendAll(events(from));
    audit.appendAll([]);
    audit.append({ kind: "notice", reason: "single" });
    audit.close();
    const report = verifyAudit(audit.file);
    expect(report.problems).toEqual([]);
    expect(report.files).toBeGreaterThan(1);
    const text = readFileSync(audit.file, "utf8");
    expect(text).not.toContain("hunter2");
    expect(text).toContain('"reason":"single"');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
