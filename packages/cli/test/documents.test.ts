// Pages that are made from tables are as fresh as the tables, and examples in the README do what they say.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { helpText } from "@bosun/platform/flags";
import { PROGRAM as SERVE } from "@bosun/serve";
import { PROGRAM as AUDIT } from "../src/audit-command.ts";
import { PROGRAM as DOCTOR } from "../src/doctor-command.ts";
import { PROGRAM as INIT } from "../src/init-command.ts";
import { COMMANDS } from "../src/commands.ts";
import { settingsPage } from "../src/help-topics.ts";
import { Place, ROOT } from "./harness/bosun.ts";

test("docs/settings.md is what the table of settings says (else: node scripts/bun.mjs packages/cli/docs.ts)", async () => {
  expect(readFileSync(path.join(ROOT, "docs/settings.md"), "utf8")).toBe(await settingsPage());
});

test("every flag that names a setting names one that there is", async () => {
  const page = await settingsPage();
  const named = SERVE.flags.filter(({ setting }) => setting !== undefined);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ name }) => !page.includes(`(\`--${name}\`)`))).toEqual([]);
});

test.each([
  ["doctor", DOCTOR],
  ["audit", AUDIT],
  ["init", INIT],
])("docs/%s.md has the command's own help", (name, program) => {
  expect(readFileSync(path.join(ROOT, `docs/${name}.md`), "utf8")).toContain(
    `\`\`\`text\n${helpText(program)}\n\`\`\``,
  );
});

test("the README's example does what it says", async () => {
  const readme = readFileSync(path.join(ROOT, "packages/cli/README.md"), "utf8");
  const [, command = "", said = ""] = /\$ bosun (.*)\n([^]*?)```/.exec(readme) ?? [];
  using place = new Place();
  const { out, err } = await place.run(command.split(" "));
  expect(out + err).toBe(said);
});

test("every option that a page names is one that a command knows", async () => {
  using place = new Place();
  const helps = await Promise.all(
    Object.keys(COMMANDS).map(async (name) => (await place.run([...(name === "help" ? [] : [name]), "--help"])).out),
  );
  // What is typed at the prompt of the chat has options, too.
  helps.push(readFileSync(path.join(ROOT, "packages/chat/src/repl/help-text.ts"), "utf8"));
  const known = new Set([...helps.join("\n").matchAll(/--[a-z][a-z-]*/g)].map(([option]) => option));
  const named = readdirSync(path.join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => {
      const page = readFileSync(path.join(ROOT, "docs", name), "utf8");
      return [...page.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => ({ name, option }));
    });
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ option }) => !known.has(option))).toEqual([]);
});
