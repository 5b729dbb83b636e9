// bosun audit as a process, over a log that the real writer wrote.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { openAudit } from "@bosun/policy";
import { FROM_SOURCES, Place } from "./harness/bosun.ts";

function logIn(place: Place): string {
  const folder = path.join(place.home, ".local/state/bosun/audit");
  const audit = openAudit({ folder });
  audit.append({ kind: "decision", tool: "bosun.bash", verdict: "allow", rule: "default", command: "echo one" });
  audit.append({ kind: "outcome", tool: "bosun.bash", command: "echo one", outcome: "ok", durationMs: 12, exit: 0 });
  audit.append({
    kind: "decision",
    tool: "bosun.bash",
    verdict: "deny",
    rule: "no rm (config.toml:3)",
    command: "rm -rf \u001b]0;x\u0007/",
  });
  audit.append({
    kind: "outcome",
    tool: "bosun.view",
    outcome: "error",
    durationMs: 1500,
    arguments: { path: "a.txt" },
  });
  audit.close();
  return folder;
}

test("shows what happened, oldest first, and nothing in it moves the cursor", async () => {
  using place = new Place();
  logIn(place);
  const { code, out } = await place.run(["audit"]);
  const lines = out.trimEnd().split("\n");
  expect({ code, lines: lines.length }).toEqual({ code: 0, lines: 4 });
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}ok {9}bosun\.bash {10}echo one {2}\(12 ms\)$/);
  expect(lines[2]).toContain("deny");
  expect(lines[2]).toContain("by no rm (config.toml:3)");
  expect(out).not.toContain("\u001b");
});

test.each<[string, string[], number]>([
  ["--verdict", ["--verdict", "deny"], 1],
  ["--outcome", ["--outcome", "error"], 1],
  ["--tool", ["--tool", "bosun.bash"], 3],
  ["--tool with a star", ["--tool", "bosun.*"], 4],
  ["--contains", ["--contains", "ECHO"], 2],
  ["--kind", ["--kind", "outcome"], 2],
  ["--last", ["--last", "2"], 2],
  ["--since", ["--since", "1h"], 4],
  ["--until", ["--until", "1h"], 0],
  ["--since a date", ["--since", "2999-01-01"], 0],
  ["--housekeeping", ["--housekeeping"], 5],
])("%s filters", async (_, words, expected) => {
  using place = new Place();
  const folder = logIn(place);
  const { code, out } = await place.run(["audit", "show", "--folder", folder, "--json", ...words]);
  const records = out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
  expect({ code, count: records.length }).toEqual({ code: 0, count: expected });
});

test.each([
  ["a time that is none", ["--since", "yesterday"], "30m, 2h, 7d"],
  ["a count that is none", ["--last", "-3"], "neither a number above 0 nor all"],
  ["a filter with verify", ["verify", "--tool", "x"], "verify looks at every record"],
])("%s is refused", async (_, words, said) => {
  using place = new Place();
  const { code, err } = await place.run(["audit", ...words]);
  expect({ code, said: err.includes(said) }).toEqual({ code: 2, said: true });
});

test("a folder that is none is said, without a stack", async () => {
  using place = new Place();
  writeFileSync(path.join(place.work, "file"), "");
  const { code, err } = await place.run(["audit", "--folder", "file"]);
  expect({ code, lines: err.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
  expect(err).toContain("ENOTDIR");
});

test.each<[string, (log: string) => string, RegExp]>([
  ["one byte changed", (log) => log.replace("echo one", "echo two"), /audit\.jsonl:2: changed/],
  [
    "a line taken out",
    (log) => log.split("\n").toSpliced(2, 1).join("\n"),
    /audit\.jsonl:3: record 4 where 3 should be: 1 missing/,
  ],
  ["the end cut off", (log) => log.split("\n").slice(0, -2).join("\n") + "\n", /cut off at the end/],
])("verify finds %s, with the file and the line", async (_, damage, said) => {
  using place = new Place();
  const file = path.join(logIn(place), "audit.jsonl");
  const whole = await place.run(["audit", "verify"]);
  expect({ code: whole.code, said: whole.out.startsWith("whole") }).toEqual({ code: 0, said: true });
  writeFileSync(file, damage(readFileSync(file, "utf8")));
  const { code, out } = await place.run(["audit", "verify"]);
  expect(out).toMatch(said);
  expect(code).toBe(1);
  const json = await place.run(["audit", "verify", "--json"]);
  expect({ code: json.code, ok: (JSON.parse(json.out) as { ok: boolean }).ok }).toEqual({ code: 1, ok: false });
});

test("--follow shows a record that is written later, once", async () => {
  using place = new Place();
  const folder = logIn(place);
  const child = Bun.spawn([...FROM_SOURCES, "audit", "-f", "--json", "--last", "1"], {
    cwd: place.work,
    env: place.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const lines = linesOf(child.stdout);
  expect(JSON.parse(await lines()) as object).toMatchObject({ tool: "bosun.view" });
  const audit = openAudit({ folder });
  audit.append({ kind: "notice", reason: "first" });
  expect(JSON.parse(await lines()) as object).toMatchObject({ reason: "first" });
  audit.append({ kind: "notice", reason: "second" });
  audit.close();
  expect(JSON.parse(await lines()) as object).toMatchObject({ reason: "second" });
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader();
  let text = "";
  return async () => {
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error("ended");
      text += new TextDecoder().decode(value);
    }
    const [line = ""] = text.split("\n");
    text = text.slice(line.length + 1);
    return line;
  };
}

test("a changed place shows where it is, what was done and where the version lies", async () => {
  using place = new Place();
  const folder = logIn(place);
  const audit = openAudit({ folder });
  audit.append({
    kind: "changed-place",
    place: "/w/.vscode/tasks.json",
    level: "settle",
    done: "put back",
    reason: "editors run it",
    aside: "/state/aside/1/.vscode/tasks.json",
  });
  audit.close();
  const { out } = await place.run(["audit", "--folder", folder, "--kind", "changed-place"]);
  expect(out.trimEnd()).toMatch(
    /put back {3}changed-place {7}\/w\/\.vscode\/tasks\.json {2}\(editors run it, aside: \/state\/aside\/1\/\.vscode\/tasks\.json\)$/,
  );
});
