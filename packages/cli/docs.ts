// Writes the pages of docs/ that are made from tables: the settings, and the help in the pages of our own commands.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { helpText } from "@bosun/platform/flags";
import { PROGRAM as AUDIT } from "./src/audit-command.ts";
import { PROGRAM as DOCTOR } from "./src/doctor-command.ts";
import { PROGRAM as INIT } from "./src/init-command.ts";
import { settingsPage } from "./src/help-topics.ts";

const docs = path.resolve(import.meta.dir, "../../docs");

writeFileSync(path.join(docs, "settings.md"), await settingsPage());
for (const [name, program] of [
  ["audit", AUDIT],
  ["doctor", DOCTOR],
  ["init", INIT],
] as const) {
  const file = path.join(docs, `${name}.md`);
  const page = readFileSync(file, "utf8");
  writeFileSync(
    file,
    page.replace(/```text\n[^]*?```/, () => `\`\`\`text\n${helpText(program)}\n\`\`\``),
  );
}
