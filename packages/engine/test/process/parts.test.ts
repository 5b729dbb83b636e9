// The smaller parts of the process half, each by itself.
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { spawnFailure } from "../../src/process/command-checks.ts";
import { sweepFolders } from "../../src/process/private-files.ts";
import { parsePs, parseStat, readProcesses } from "@bosun/platform/process-tree";
import { parseRecord } from "../../src/process/shell-words.ts";
import { TagSpace, limitsPattern } from "../../src/process/process-tags.ts";
import { after } from "../../src/process/timers.ts";

test.each([
  ["ENOENT", "program"],
  ["EACCES", "program"],
  ["E2BIG", "argument"],
  ["EAGAIN", "limit"],
  ["ENOMEM", "limit"],
  ["EMFILE", "limit"],
  ["EWHATEVER", "program"],
])("a spawn that fails with %s is START_FAILED for reason %s", (errno, reason) => {
  const error = spawnFailure(Object.assign(new Error("posix_spawn"), { code: errno }), "/bin/x");
  expect(error).toMatchObject({ code: "START_FAILED", details: { reason, errno } });
  expect(error.message).not.toContain("posix_spawn");
});

describe("the process table", () => {
  test.each<[string, string, object]>([
    ["a plain name", "5 (sh) S 1 5 5 0 -1", { parent: 1, group: 5, zombie: false }],
    ["a name with blanks and brackets", "5 (a) Z (b c) R 7 6 5 0", { parent: 7, group: 6, zombie: false }],
    ["a zombie", "5 (sh) Z 1 5 5", { zombie: true }],
  ])("%s", (_, stat, expected) => {
    expect(parseStat(5, stat)).toMatchObject({ pid: 5, ...expected });
  });

  test("ps output is read where there is no /proc", () => {
    expect(parsePs("    1     0     1 Ss\n  23     1    23 S+\n 24    23    23 Z\n\n")).toEqual([
      { pid: 1, parent: 0, group: 1, zombie: false, started: undefined },
      { pid: 23, parent: 1, group: 23, zombie: false, started: undefined },
      { pid: 24, parent: 23, group: 23, zombie: true, started: undefined },
    ]);
  });

  test("we are in it", async () => {
    expect((await readProcesses()).find((row) => row.pid === process.pid)).toMatchObject({ parent: process.ppid });
  });
});

describe("tags", () => {
  const space = new TagSpace();
  test("never repeat between sessions and are found by the pattern", () => {
    const [one, two] = [space.session(), space.session()];
    const tags = [one.next(), one.next(), two.next()];
    expect(new Set(tags).size).toBe(3);
    expect(tags.map((tag) => one.matches(tag))).toEqual([true, true, false]);
    for (const tag of tags) {
      expect(Number.isSafeInteger(Number(tag.slice(0, 15)))).toBe(true);
      expect(BigInt(tag) < 2n ** 63n).toBe(true);
      const line = `Max file locks            ${tag}    ${tag}    locks`;
      expect(new RegExp(limitsPattern(space.prefix).replaceAll("[[:space:]]", "\\s")).test(line)).toBe(true);
    }
    expect(one.matches("unlimited")).toBe(false);
  });
});

describe("records", () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
  test.each<[string, string, string | undefined]>([
    ["whole", "M\n/usr\nM\n", "/usr"],
    ["the first of two", "M\n/usr\nM\nM\n/etc\nM\n", "/usr"],
    ["with newlines in the name", "M\n/a\n\nb\n\nM\n", "/a\n\nb\n"],
    ["of another command", "N\n/usr\nN\n", undefined],
    ["cut short", "M\n/usr", undefined],
    ["without a directory", "M\nM\n", undefined],
    ["not absolute", "M\nusr\nM\n", undefined],
    ["not UTF-8", "M\n/\xff\nM\n", undefined],
    ["nothing", "", undefined],
  ])("%s", (_, record, directory) => {
    expect(parseRecord(bytes(record), "M")).toBe(directory as string);
  });
});

test("a timer longer than any timer does not fire at once, and can be cancelled", async () => {
  let fired = false;
  const timer = after(2_147_483_648, () => (fired = true));
  await Bun.sleep(30); // a timer that fires at once would have fired
  timer.cancel();
  expect(fired).toBe(false);
});

test("folders of killed servers go after a day, nothing else does", async () => {
  const within = mkdtempSync(path.join(tmpdir(), "sweep-"));
  const dead = Bun.spawnSync(["true"]).pid;
  const old = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
  const names = {
    stale: `bosun-${dead}-abcdef`,
    young: `bosun-${dead}-ghijkl`,
    alive: `bosun-${process.pid}-abcdef`,
    other: "bosun-notes",
  };
  for (const name of Object.values(names)) mkdirSync(path.join(within, name, "tmp-x"), { recursive: true });
  for (const name of [names.stale, names.alive, names.other]) utimesSync(path.join(within, name), old, old);
  await sweepFolders(within);
  expect(readdirSync(within).sort()).toEqual([names.young, names.alive, names.other].sort());
  rmSync(within, { recursive: true });
});
