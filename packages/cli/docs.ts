// Writes the pages of docs/ that are made from tables: the settings, and the help in the pages of our own commands.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { settingsReference } from "@bosun/settings";
import { SYNOPSIS as AUDIT } from "./src/audit.ts";
import { SYNOPSIS as DOCTOR } from "./src/doctor.ts";
import { SYNOPSIS as INIT } from "./src/init.ts";
import { helpOf } from "./src/options.ts";

const docs = path.resolve(import.meta.dir, "../../docs");

writeFileSync(path.join(docs, "settings.md"), settingsReference());
for (const synopsis of [AUDIT, DOCTOR, INIT]) {
  const file = path.join(docs, `${synopsis.name}.md`);
  const page = readFileSync(file, "utf8");
  writeFileSync(
    file,
    page.replace(/```text\n[^]*?```/, () => `\`\`\`text\n${helpOf(synopsis)}\n\`\`\``),
  );
}
