import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { lastRecords, readAudit, readAuditFolder } from "../../src/audit/audit-read.ts";
import { verifyAudit, verifyAuditFolder } from "../../src/audit/audit-verify.ts";
import { openAudit, type AuditEvent } from "../../src/audit/audit.ts";
import { filesOf } from "../../src/audit/audit-files.ts";
import { temporaryFolder } from "../../../platform/test/temporary-folder.ts";

const fresh = temporaryFolder();

describe("what is written", () => {
  test("one line per event, mode 0600, in a folder of mode 0700", () => {
    const folder = fresh();
    const audit = openAudit({ folder, now: () => new Date("2026-01-02T03:04:05.678Z") });
    audit.append({ kind: "decision", tool: "git.push", verdict: "deny", rule: "no push", arguments: { b: 1, a: "x" } });
    audit.append({ kind: "outcome", tool: "git.push", outcome: "refused", durationMs: 12, exit: null, bytesOut: 0 });
    audit.close();
    expect(statSync(audit.file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect([...readAudit(audit.file)]).toEqual([
      expect.objectContaining({ n: 2, t: "2026-01-02T03:04:05.678Z", verdict: "deny", arguments: '{"b":1,"a":"x"}' }),
      expect.objectContaining({ n: 3, outcome: "refused", durationMs: 12, exit: null, bytesOut: 0 }),
    ]);
    expect(verifyAudit(audit.file)).toMatchObject({ ok: true, records: 3, files: 1, notes: [] });
  });

  test("secrets never reach the file, long things are cut, the digest covers the whole", () => {
    const folder = fresh();
    const audit = openAudit({ folder });
    audit.append({
      kind: "decision",
      command: "curl -H 'Authorization: Bearer abc123def456ghi789jkl' x",
      arguments: { password: "hunter2", text: "y".repeat(5000), token: "t0k3n" },
      environment: ["PATH", "GITHUB_TOKEN"],
      reason: "r".repeat(20_000),
    });
    audit.close();
    const text = readFileSync(audit.file, "utf8");
    for (const secret of ["abc123def456", "hunter2", "t0k3n"]) expect(text).not.toContain(secret);
    const [record] = readAudit(audit.file);
    expect(String(record?.["arguments"]).length).toBeLessThan(2100);
    expect(String(record?.["reason"]).length).toBeLessThan(8100);
    expect(record?.["digest"]).toMatch(/^[0-9a-f]{64}$/);
  });

  test("an event cannot forge the chain's own members", () => {
    const audit = openAudit({ folder: fresh() });
    audit.append({ kind: "notice", n: 99, t: "then", h: "x" } as unknown as AuditEvent);
    audit.close();
    expect(verifyAudit(audit.file).ok).toBe(true);
  });
});

describe("the log goes on", () => {
  test("after a restart, in one chain", () => {
    const folder = fresh();
    for (let i = 0; i < 3; i += 1) {
      const audit = openAudit({ folder });
      audit.append({ kind: "notice", reason: `run ${i}` });
      audit.close();
    }
    expect(verifyAudit(path.join(folder, "audit.jsonl"))).toMatchObject({ ok: true, records: 4, notes: [] });
  });

  test("over rotation, with the chain carried over, and old files removed with a note", () => {
    const folder = fresh();
    const audit = openAudit({ folder, maxBytes: 2000, keep: 3 });
    for (let i = 0; i < 100; i += 1) audit.append({ kind: "notice", reason: `event ${i}` });
    audit.close();
    expect(filesOf(audit.file)).toHaveLength(4);
    const report = verifyAudit(audit.file);
    expect(report.problems).toEqual([]);
    expect(report.notes).toEqual([expect.stringContaining("removed by rotation")]);
    const reasons = [...readAudit(audit.file)].map((record) => record["reason"]);
    expect(reasons.at(-1)).toBe("event 99");
    expect(filesOf(audit.file).every((file) => (statSync(file).mode & 0o777) === 0o600)).toBe(true);
  });

  test("after a crash between renaming and beginning the new file", () => {
    const folder = fresh();
    const first = openAudit({ folder });
    first.append({ kind: "notice" });
    first.close();
    renameSync(first.file, `${first.file}.000001`);
    expect(verifyAudit(first.file).problems).toEqual([]);
    const second = openAudit({ folder });
    second.append({ kind: "notice" });
    second.close();
    expect(verifyAudit(first.file)).toMatchObject({ ok: true, records: 4, files: 2 });
  });

  test("after a crash in the middle of a line, at every byte of it", () => {
    const folder = fresh();
    const audit = openAudit({ folder });
    audit.append({ kind: "notice", reason: "done" });
    audit.close();
    const whole = readFileSync(audit.file);
    const head = readFileSync(`${audit.file}.head`);
    const next = openAudit({ folder });
    next.append({ kind: "notice", reason: "torn" });
    next.close();
    const line = readFileSync(audit.file).subarray(whole.length);
    for (let cut = 1; cut < line.length; cut += 1) {
      writeFileSync(audit.file, Buffer.concat([whole, line.subarray(0, cut)]));
      writeFileSync(`${audit.file}.head`, head);
      const before = verifyAudit(audit.file);
      expect(before).toMatchObject({ ok: true, records: 2, notes: [expect.stringContaining("torn")] });
      const again = openAudit({ folder });
      again.append({ kind: "notice", reason: "later" });
      again.close();
      const isWhole = cut === line.length - 1; // only the line feed was missing: a record like any other
      const notes = isWhole ? [] : [expect.stringContaining("torn")];
      expect(verifyAudit(audit.file)).toMatchObject({ ok: true, records: 4, notes });
      // The torn bytes are vouched for: changing them later is found.
      const text = readFileSync(audit.file);
      text[whole.length] = (text[whole.length] ?? 0) ^ 1;
      writeFileSync(audit.file, text);
      expect(verifyAudit(audit.file).ok).toBe(false);
    }
  });

  test("after a crash between the line and the head record", () => {
    const folder = fresh();
    const audit = openAudit({ folder });
    audit.append({ kind: "notice" });
    const head = readFileSync(`${audit.file}.head`);
    audit.append({ kind: "notice" });
    audit.close();
    writeFileSync(`${audit.file}.head`, head);
    expect(verifyAudit(audit.file)).toMatchObject({ ok: true, notes: [expect.stringContaining("one behind")] });
  });

  test("two programs at once write two logs, both whole, read as one", () => {
    const folder = fresh();
    const left = openAudit({ folder });
    const right = openAudit({ folder });
    expect(left.file).not.toBe(right.file);
    for (let i = 0; i < 5; i += 1) {
      left.append({ kind: "notice", reason: `left ${i}` });
      right.append({ kind: "notice", reason: `right ${i}` });
    }
    left.close();
    right.close();
    expect(verifyAuditFolder(folder).map(({ report }) => report.ok)).toEqual([true, true]);
    expect([...readAuditFolder(folder)]).toHaveLength(10);
    const third = openAudit({ folder });
    expect(third.file).toBe(left.file);
    third.close();
  });

  test("a lock left by a dead program is taken over, a living one's is not", () => {
    const folder = fresh();
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path.join(folder, "audit.jsonl.lock"), "999999999 1 dead\n");
    const audit = openAudit({ folder });
    expect(path.basename(audit.file)).toBe("audit.jsonl");
    const other = openAudit({ folder });
    expect(path.basename(other.file)).toBe("audit-2.jsonl");
    other.close();
    audit.close();
    expect(existsSync(path.join(folder, "audit.jsonl.lock"))).toBe(false);
  });

  test("what a killed program had been told was written is there", async () => {
    const folder = fresh();
    const script = path.join(import.meta.dir, "audit-until-killed.ts");
    const child = Bun.spawn([process.execPath, script, folder], { stdout: "pipe", env: { PATH: process.env["PATH"] } });
    const reader = child.stdout.getReader();
    const decoder = new TextDecoder();
    let said = "";
    while (!said.includes("\n300\n")) {
      const { value, done } = await reader.read();
      if (done) break;
      said += decoder.decode(value);
    }
    child.kill("SIGKILL");
    await child.exited;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) said += decoder.decode(chunk.value);
    const reported = said.split("\n").filter((line) => line !== "");
    const written = new Set([...readAuditFolder(folder)].map((record) => record["reason"]));
    expect(reported.length).toBeGreaterThanOrEqual(300);
    expect(reported.slice(0, -1).filter((line) => !written.has(`event ${line}`))).toEqual([]);
    expect(verifyAudit(path.join(folder, "audit.jsonl")).problems).toEqual([]);
  });
});

test("a full disk stops the program, and the log goes on when there is room again", async () => {
  const folder = fresh();
  const script = path.join(import.meta.dir, "audit-until-full.ts");
  // A limit on file size behaves like a full disk: the last write comes out short, the next one fails.
  const child = Bun.spawn(
    ["bash", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" "$1" "$2"', process.execPath, script, folder],
    {
      stdout: "pipe",
      env: { PATH: process.env["PATH"] },
    },
  );
  const said = await new Response(child.stdout).text();
  expect(said).toContain("so nothing may run");
  const file = path.join(folder, "audit.jsonl");
  expect(verifyAudit(file).problems).toEqual([]);
  const audit = openAudit({ folder });
  audit.append({ kind: "notice", reason: "room again" });
  audit.close();
  expect(verifyAudit(file).problems).toEqual([]);
  expect(lastRecords(readAudit(file), 1)[0]?.["reason"]).toBe("room again");
});

describe("what was done to it is found", () => {
  function small(): { file: string; lines: string[] } {
    const audit = openAudit({ folder: fresh() });
    for (const tool of ["a.one", "b.two", "c.three"]) audit.append({ kind: "decision", tool, verdict: "allow" });
    audit.close();
    return { file: audit.file, lines: readFileSync(audit.file, "utf8").split("\n").slice(0, -1) };
  }

  test("any byte changed, anywhere, in any bit", () => {
    const { file } = small();
    const original = readFileSync(file);
    const missed: string[] = [];
    for (let at = 0; at < original.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(original);
        changed[at] = (original[at] ?? 0) ^ (1 << bit);
        writeFileSync(file, changed);
        if (verifyAudit(file).ok) missed.push(`byte ${at} bit ${bit}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test("any byte of the head record", () => {
    const { file } = small();
    const original = readFileSync(`${file}.head`);
    for (let at = 0; at < original.length; at += 1) {
      const changed = Buffer.from(original);
      changed[at] = (original[at] ?? 0) ^ 1;
      writeFileSync(`${file}.head`, changed);
      expect(verifyAudit(file).ok).toBe(false);
    }
  });

  test("cut off at any byte", () => {
    const { file } = small();
    const { size } = statSync(file);
    for (let at = size - 1; at >= 0; at -= 1) {
      truncateSync(file, at);
      expect(verifyAudit(file).ok).toBe(false);
    }
  });

  test.each<[string, (lines: string[]) => string[], RegExp]>([
    ["a line removed", (lines) => lines.toSpliced(2, 1), /1 missing/],
    ["the first line removed", (lines) => lines.slice(1), /beginning|missing/],
    ["the last line removed", (lines) => lines.slice(0, -1), /cut off/],
    ["two lines swapped", ([a, b, c, d]) => [a, c, b, d].map(String), /missing|order/],
    ["a line twice", (lines) => [...lines, String(lines.at(-1))], /order/],
    ["a line added", (lines) => [...lines, '{"n":5,"t":"x","kind":"notice"}'], /not a line/],
    ["a line of another place", (lines) => lines.toSpliced(3, 1, String(lines[1])), /order/],
    ["an empty line", (lines) => lines.toSpliced(1, 0, ""), /not a line/],
    ["everything removed", () => [], /cut off/],
  ])("%s", (_, change, what) => {
    const { file, lines } = small();
    const changed = change(lines);
    writeFileSync(file, changed.map((line) => `${line}\n`).join(""));
    const report = verifyAudit(file);
    expect(report.ok).toBe(false);
    expect(report.problems.map((problem) => problem.what).join("\n")).toMatch(what);
  });

  test("one changed line is one problem, with file and line", () => {
    const { file, lines } = small();
    const text = lines.with(2, String(lines[2]).replace("allow", "deny!"));
    writeFileSync(file, `${text.join("\n")}\n`);
    expect(verifyAudit(file).problems).toEqual([{ file, line: 3, what: expect.stringContaining("changed") }]);
  });

  test("the head record, a rotated file or the whole current file taken away", () => {
    const { file } = small();
    rmSync(`${file}.head`);
    expect(verifyAudit(file).ok).toBe(false);
    const audit = openAudit({ folder: fresh(), maxBytes: 800 });
    for (let i = 0; i < 20; i += 1) audit.append({ kind: "notice", reason: `event ${i}` });
    audit.close();
    for (const name of filesOf(audit.file)) {
      const kept = readFileSync(name);
      rmSync(name);
      expect(verifyAudit(audit.file).ok).toBe(false);
      writeFileSync(name, kept);
    }
    expect(verifyAudit(audit.file).ok).toBe(true);
  });
});

describe("what was done to it while nobody wrote stays found", () => {
  test.each<[string, (file: string) => void]>([
    [
      "lines cut off at the end",
      (file) => truncateSync(file, readFileSync(file, "utf8").lastIndexOf("\n", statSync(file).size - 2) + 1),
    ],
    ["all lines cut off", (file) => truncateSync(file, 0)],
    ["the file removed", (file) => rmSync(file)],
    ["the head record removed", (file) => rmSync(`${file}.head`)],
    ["the head record emptied", (file) => truncateSync(`${file}.head`, 0)],
    ["the head record changed", (file) => writeFileSync(`${file}.head`, "x")],
  ])("%s", (_, change) => {
    const folder = fresh();
    for (let i = 0; i < 2; i += 1) {
      const audit = openAudit({ folder });
      audit.append({ kind: "notice", reason: "one" });
      audit.append({ kind: "notice", reason: "two" });
      audit.close();
    }
    const file = path.join(folder, "audit.jsonl");
    change(file);
    const again = openAudit({ folder });
    again.append({ kind: "notice", reason: "later" });
    again.close();
    const report = verifyAudit(file);
    expect(report.ok).toBe(false);
    expect(report.problems.map(({ what }) => what).join("\n")).toMatch(/gone|damaged|missing/);
  });
});

describe("nobody is let in between", () => {
  test("a link, a second name, a pipe's place or a folder open to others is refused", () => {
    const folder = fresh();
    mkdirSync(folder, { mode: 0o700 });
    const target = path.join(folder, "target");
    symlinkSync(target, path.join(folder, "audit.jsonl"));
    expect(() => openAudit({ folder })).toThrow(/symbolic link/);
    expect(existsSync(target)).toBe(false);
    rmSync(path.join(folder, "audit.jsonl"));

    writeFileSync(target, "", { mode: 0o600 });
    linkSync(target, path.join(folder, "audit.jsonl"));
    expect(() => openAudit({ folder })).toThrow(/2 names/);
    rmSync(path.join(folder, "audit.jsonl"));

    chmodSync(folder, 0o777);
    expect(() => openAudit({ folder })).toThrow(/other users/);
    chmodSync(folder, 0o700);

    const link = fresh();
    symlinkSync(folder, link);
    expect(() => openAudit({ folder: link })).toThrow(/plain folder/);
  });

  test("a head record that is a link is not written through", () => {
    const folder = fresh();
    mkdirSync(folder, { mode: 0o700 });
    const target = path.join(folder, "target");
    symlinkSync(target, path.join(folder, "audit.jsonl.head"));
    expect(() => openAudit({ folder })).toThrow();
    expect(existsSync(target)).toBe(false);
  });

  test.each<[string, (file: string) => void]>([
    ["a foreign line", (file) => appendFileSync(file, "{}\n")],
    ["a cut", (file) => truncateSync(file, 10)],
    ["a removal", (file) => rmSync(file)],
  ])("%s under a running program stops it: nothing runs unrecorded", (_, change) => {
    const audit = openAudit({ folder: fresh() });
    audit.append({ kind: "notice" });
    change(audit.file);
    expect(() => audit.append({ kind: "notice" })).toThrow(/restart/);
    audit.close();
  });
});

test.each<[string, Parameters<typeof readAudit>[1], number]>([
  ["by tool", { tool: "a.one" }, 2],
  ["by server", { tool: "a.*" }, 3],
  ["by verdict", { verdict: "deny" }, 1],
  ["by outcome", { outcome: "ok" }, 1],
  ["by session", { session: "s2" }, 1],
  ["by kind", { kind: "outcome" }, 1],
  ["by text, any case", { contains: "RM -RF" }, 1],
  ["by time", { since: new Date("2026-01-01T00:00:03Z"), until: new Date("2026-01-01T00:00:05Z") }, 2],
  ["with housekeeping", { housekeeping: true }, 6],
])("records are found %s", (_, filter, count) => {
  let second = 0;
  const audit = openAudit({ folder: fresh(), now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, second++)) });
  audit.append({ kind: "decision", tool: "a.one", verdict: "allow", session: "s1" });
  audit.append({ kind: "outcome", tool: "a.one", outcome: "ok", session: "s1" });
  audit.append({ kind: "decision", tool: "a.two", verdict: "ask", session: "s1" });
  audit.append({ kind: "decision", tool: "b.shell", verdict: "deny", command: "rm -rf /", session: "s2" });
  audit.append({ kind: "notice" });
  audit.close();
  expect([...readAudit(audit.file, filter)]).toHaveLength(count);
  expect(lastRecords(readAudit(audit.file, filter), 1)).toHaveLength(1);
});
