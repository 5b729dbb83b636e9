// bosun version: one line, or JSON for a script.
import { command, UsageError } from "./options.ts";
import type { Synopsis } from "./options.ts";
import { VERSION } from "@bosun/platform/version";

export const SYNOPSIS: Synopsis = {
  name: "version",
  summary: "which Bosun this is",
  usage: ["bosun version [--json]"],
  options: [{ name: "json", help: "as a JSON object" }],
  examples: [["bosun version --json | jq -r .version", "for a script"]],
};

export const runVersion = command(SYNOPSIS, async (words) => {
  if (words.operands.length > 0) throw new UsageError(`unexpected ${JSON.stringify(words.operands[0])}`);
  const facts = { version: VERSION, bun: Bun.version, platform: process.platform, arch: process.arch };
  console.log(
    words.has("json")
      ? JSON.stringify(facts)
      : `bosun ${facts.version} (Bun ${facts.bun}, ${facts.platform} ${facts.arch})`,
  );
  return 0;
});
