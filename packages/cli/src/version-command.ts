// bosun version: one line, or JSON for a script.
import type { Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";
import { VERSION } from "@bosun/platform/version";

export const PROGRAM: Program = {
  name: "bosun version",
  once: true,
  summary: "which Bosun this is",
  usage: ["bosun version [--json]"],
  flags: [{ name: "json", help: "as a JSON object" }],
  examples: [["bosun version --json | jq -r .version", "for a script"]],
};

export const runVersion = command(PROGRAM, async (flags) => {
  const facts = { version: VERSION, bun: Bun.version, platform: process.platform, arch: process.arch };
  console.log(
    flags.has("json")
      ? JSON.stringify(facts)
      : `bosun ${facts.version} (Bun ${facts.bun}, ${facts.platform} ${facts.arch})`,
  );
  return 0;
});
