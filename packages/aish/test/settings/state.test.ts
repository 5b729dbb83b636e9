// What is remembered between runs: lines typed, eras of servers, switches of models; and what is not.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DEFAULT_COMPAT } from "../../src/model/compat.ts";
import { InputHistory } from "../../src/settings/input-history.ts";
import { LearntState } from "../../src/settings/learnt-state.ts";

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
  const state = new LearntState(folder);
  state.eras.set("id", "modern");
  state.compats.set("url model", { ...DEFAULT_COMPAT, toolIds: "short9" });
  const again = new LearntState(folder);
  expect(again.eras.get("id")).toBe("modern");
  expect(again.compats.get("url model")).toEqual({ toolIds: "short9" });
  writeFileSync(path.join(folder, "aish.json"), "{ broken");
  expect(new LearntState(folder).eras.get("id")).toBeUndefined();
});

test("an old verdict that a server is old is asked again", () => {
  const at = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();
  writeFileSync(
    path.join(folder, "aish.json"),
    JSON.stringify({
      eras: { a: { era: "legacy", at: at(1) }, b: { era: "legacy", at: at(30) }, c: { era: "modern", at: at(30) } },
    }),
  );
  const { eras } = new LearntState(folder);
  expect([eras.get("a"), eras.get("b"), eras.get("c")]).toEqual(["legacy", undefined, "modern"]);
});
