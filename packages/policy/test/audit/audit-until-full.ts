// Writes audit lines until one cannot be written, tries once more, and says why.
import { writeSync } from "node:fs";
import { openAudit } from "../../src/audit/audit.ts";

const audit = openAudit({ folder: process.argv[2] ?? "" });
for (let failures = 0; failures < 2;) {
  try {
    audit.append({ kind: "notice", reason: "x".repeat(100) });
  } catch (error) {
    failures += 1;
    writeSync(1, `${String(error)}\n`);
  }
}
