// What is remembered between runs: lines typed, eras of servers, switches of models; and what is not.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEFAULT_COMPAT } from "../../src/model/compat.ts";
import { InputHistory } from "../../src/settings/input-history.ts";
import { CapabilityCache } from "../../src/settings/capability-cache.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), "aish-state-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("lines are kept, but not those that begin with a blank, repeat, or set a key", () => {
  const history = new InputHistory(folder);
  for (const line of ["one", " secret", "one", "two", ":config set models.x.key abc", ""]) history.add(line);
  expect(new InputHistory(folder).lines).toEqual(["one", "two"]);
  expect(statSync(path.join(folder, "input-history.json")).mode & 0o077).toBe(0);
  expect(new InputHistory(undefined).lines).toEqual([]);
});

test("an era and a switch survive; a damaged file is started over", () => {
  const state = new CapabilityCache(folder);
  state.eras.set("id", "modern");
  state.compats.set("url model", { ...DEFAULT_COMPAT, toolIds: "short9" });
  const again = new CapabilityCache(folder);
  expect(again.eras.get("id")).toBe("modern");
  expect(again.compats.get("url model")).toEqual({ toolIds: "short9" });
  writeFileSync(path.join(folder, "aish.json"), "{ broken");
  expect(new CapabilityCache(folder).eras.get("id")).toBeUndefined();
});

test("an old verdict that a server is old is asked again", () => {
  const at = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  writeFileSync(
    path.join(folder, "aish.json"),
    JSON.stringify({
      eras: { a: { era: "legacy", at: at(1) }, b: { era: "legacy", at: at(30) }, c: { era: "modern", at: at(30) } },
    }),
  );
  const { eras } = new CapabilityCache(folder);
  expect([eras.get("a"), eras.get("b"), eras.get("c")]).toEqual(["legacy", undefined, "modern"]);
});

test("two programs at once: each keeps what the other wrote", () => {
  const [one, two] = [new InputHistory(folder), new InputHistory(folder)];
  one.add("from the first");
  two.add("from the second");
  expect(new InputHistory(folder).lines).toEqual(["from the first", "from the second"]);
  const [left, right] = [new CapabilityCache(folder), new CapabilityCache(folder)];
  left.eras.set("a", "modern");
  right.eras.set("b", "modern");
  const { eras } = new CapabilityCache(folder);
  expect([eras.get("a"), eras.get("b")]).toEqual(["modern", "modern"]);
});

test("what cannot be written is still known while we run, and a link is never followed", () => {
  const target = path.join(folder, "elsewhere");
  writeFileSync(target, "untouched");
  symlinkSync(target, path.join(folder, "aish.json"));
  const state = new CapabilityCache(folder);
  state.eras.set("a", "modern");
  expect(state.eras.get("a")).toBe("modern");
  expect(readFileSync(target, "utf8")).toBe("untouched");
});

test("many long lines never make the file unreadable", () => {
  const history = new InputHistory(folder);
  for (let n = 0; n < 70; n += 1) history.add(`${n} ${"x".repeat(19_000)}`);
  const { lines } = new InputHistory(folder);
  expect(lines.at(-1)).toStartWith("69 ");
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.length).toBeLessThan(70);
});
