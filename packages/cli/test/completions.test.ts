// Completion scripts: valid for the shells that are here, and complete with what the tables of the commands hold.
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { COMMANDS } from "../src/commands.ts";
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
    for (const word of ["serve", "proxy", "doctor", "audit", "init", "verify", "claude-code", "tool-list", "inspect"]) {
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

describe("manual pages", () => {
  const mandoc = Bun.which("mandoc") ?? Bun.which("groff");

  test.concurrent.each(Object.keys(COMMANDS))("bosun help --man %s has every option of its table", async (name) => {
    using place = new Place();
    const { code, out, err } = await place.run(["help", "--man", name]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toStartWith(".TH ");
    const programs = (await COMMANDS[name]?.programs()) ?? [];
    for (const { flags } of programs) {
      for (const flag of flags.filter((one) => one.isHidden !== true && one.variableOnly !== true))
        expect(out).toContain(`\\-\\-${flag.name.replaceAll("-", "\\-")}`);
    }
    // A line that begins with a dot is a macro; ours are these.
    for (const line of out.split("\n")) if (/^[.']/.test(line)) expect(line).toMatch(/^\.(TH|SH|TP|nf|fi)\b/);
  });

  test.skipIf(mandoc === null)("groff or mandoc reads it without a complaint", async () => {
    using place = new Place();
    writeFileSync(path.join(place.work, "page.1"), (await place.run(["help", "--man", "serve"])).out);
    const words = mandoc?.endsWith("groff") === true ? ["-man", "-Tascii", "-ww", "page.1"] : ["-T", "lint", "page.1"];
    expect((await place.run(words, "", [mandoc ?? ""])).err).toBe("");
  });
});
