// Writes audit lines and says each number after append returned, until it is killed.
import { writeSync } from "node:fs";
import { openAudit } from "../../src/audit/audit.ts";

const audit = openAudit({ folder: process.argv[2] ?? "" });
for (let i = 1; i < 1_000_000; i += 1) {
  audit.append({ kind: "notice", reason: `event ${i}` });
  writeSync(1, `${i}\n`);
}
