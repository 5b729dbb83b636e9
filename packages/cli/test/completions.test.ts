// Completion scripts: valid for the shells that are here, and complete what --help documents.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { optionsInHelp, wordsInHelp } from "../src/completions/read-help.ts";
import { Place } from "./harness/bosun.ts";
import type { Ended } from "./harness/bosun.ts";

describe.each(["bash", "zsh", "fish"])("%s", (shell) => {
  const program = Bun.which(shell);

  test.skipIf(program === null)(`is syntactically right (needs ${shell})`, async () => {
    using place = new Place();
    const { code, out } = await place.run(["completions", shell]);
    expect(code).toBe(0);
    writeFileSync(path.join(place.work, "script"), out);
    const check = shell === "fish" ? ["--no-execute"] : ["-n"];
    expect(await place.run([...check, "script"], "", [program ?? shell])).toEqual({ code: 0, out: "", err: "" });
  });

  test("knows every command, and no text of it leaves its quotes", async () => {
    using place = new Place();
    const { out } = await place.run(["completions", shell]);
    for (const word of [
      "serve",
      "proxy",
      "doctor",
      "audit",
      "init",
      "verify",
      "claude-code",
      "compress-tools",
      "inspect",
    ]) {
      expect(out).toContain(word);
    }
    // What is left without quoted parts is ours alone: no description is in it.
    const bare =
      shell === "fish" ? out.replace(/'(?:[^'\\]|\\.)*'/g, "") : out.replaceAll("'\\''", "").replace(/'[^']*'/g, "");
    expect(bare).not.toContain("loopback");
  });
});

const bash = Bun.which("bash");
let script: Promise<Ended> | undefined;
test.skipIf(bash === null).each<[string, string[], string[]]>([
  ["commands", ["bosun", "do"], ["doctor"]],
  [
    "options of a command",
    ["bosun", "serve", "--allow-"],
    ["--allow-host", "--allow-origin", "--allow-dir", "--allow-network"],
  ],
  ["choices of an option", ["bosun", "serve", "--sandbox", ""], ["auto", "require", "off"]],
  ["choices of our own tables", ["bosun", "audit", "--verdict", "d"], ["deny"]],
  ["words of a command", ["bosun", "init", "cl"], ["claude-code", "claude-desktop"]],
  ["topics", ["bosun", "help", "sec"], ["security"]],
  ["a command called by its own name", ["bcp", "ins"], ["inspect"]],
  ["options of bcp's commands", ["bosun", "bcp", "--compress-p"], ["--compress-payload"]],
  ["the other name of chat", ["aish", "--mcp-c"], ["--mcp-config"]],
  ["nothing where any text may stand", ["bosun", "serve", "--token", ""], []],
])("bash completes %s", async (_, words, expected) => {
  using place = new Place();
  script ??= place.run(["completions", "bash"]);
  writeFileSync(path.join(place.work, "script"), (await script).out);
  const list = words.map((word) => `'${word}'`).join(" ");
  const ask = `source ./script; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _bosun; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { out, err } = await place.run(["-c", ask], "", [bash ?? "bash"]);
  expect(err).toBe("");
  expect(out.split("\n").filter((line) => line !== "")).toEqual(expected);
});

test("what stands in two columns of a help text is found too", () => {
  const text = `Usage: x

Models
  -m, --model NAME      a model of the settings         --demo   a scripted stand-in
  --format text|json    how                             --trace FILE        record

Commands:
  one   the first
  two   the second

`;
  expect(optionsInHelp(text).map(({ name, value, short }) => [name, value, short])).toEqual([
    ["model", "NAME", "m"],
    ["demo", undefined, undefined],
    ["format", "text|json", undefined],
    ["trace", "FILE", undefined],
  ]);
  expect(wordsInHelp(text)).toEqual([
    ["one", "the first"],
    ["two", "the second"],
  ]);
});
