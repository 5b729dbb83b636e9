// bosun doctor: can commands be confined here, and by what?
import type { Program } from "@bosun/platform/flags";
import { command } from "./define-command.ts";

export const PROGRAM: Program = {
  name: "bosun doctor",
  once: true,
  summary: "what works on this machine: sandbox, search, shell, settings",
  usage: ["bosun doctor [options]"],
  flags: [
    { name: "config", value: "FILE", help: "look at this settings file instead of the usual one" },
    { name: "json", help: "the same as one JSON object" },
  ],
  examples: [
    ["bosun doctor", "in the folder an agent will work in"],
    ["bosun doctor --json | jq .sandbox.mechanism", "for a script"],
    ["bosun doctor && bosun serve --sandbox require", "serve only where commands can be confined"],
  ],
  notes: `Every sandbox of this platform is tried by running a command in it and looking whether it was kept in.
Exit: 0 commands can be confined and the settings are valid · 1 not · 2 wrong usage`,
};

export const runDoctor = command(PROGRAM, async (flags) => {
  const { examine } = await import("./doctor/examine.ts");
  const found = await examine({ cwd: process.cwd(), env: process.env }, flags.text("config"));
  if (flags.has("json")) console.log(JSON.stringify(found, undefined, 2));
  else console.log((await import("./doctor/report.ts")).reportOf(found));
  return found.ok ? 0 : 1;
});
