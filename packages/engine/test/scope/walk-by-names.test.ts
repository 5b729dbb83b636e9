// The way for systems without /proc: everything must work there too, only without the guarantee against swaps.
import { expect, test } from "bun:test";
import fs from "node:fs";
import {
  deletePath,
  encodeContent,
  glob,
  grep,
  listEntries,
  makeDirectory,
  movePath,
  openForReading,
  readWhole,
  replaceText,
  writeFile,
} from "../../src/index.ts";
import { Workspace, link, openDescriptors, outcome } from "../workspace.ts";

test("every operation, by names", async () => {
  using workspace = new Workspace({ "a/f": "hit one", alias: link("a/f"), "to-a": link("a") }, { walkMode: "names" });
  const before = openDescriptors(workspace);
  {
    using place = workspace.resolve("alias", { writing: true });
    using file = openForReading(place);
    expect((await readWhole(file, { maxBytes: 100 })).toString()).toBe("hit one");
    expect((await replaceText(place, { find: "one", replace: "two", all: false, maxBytes: 100 })).replacements).toBe(1);
  }
  {
    using place = workspace.resolve("new/deep/er", { writing: true });
    await writeFile(place, encodeContent("hit three", 100));
  }
  {
    using place = workspace.resolve("new/dir", { writing: true });
    expect(makeDirectory(place, { recursive: false })).toEqual({ created: true });
  }
  {
    using from = workspace.resolve("new/deep", { follow: false, writing: true });
    using to = workspace.resolve("moved", { follow: false, writing: true });
    expect(await movePath(from, to, { overwrite: false })).toEqual({ overwritten: false });
  }
  {
    using place = workspace.resolve(".");
    const limits = { maxChars: 1000, maxLineChars: 100, maxFileBytes: 1000, timeoutMs: 30_000 };
    const counted = await grep(place, { pattern: "hit", mode: "count", ...limits });
    expect(counted.mode === "count" ? counted.counts.map(({ path }) => path) : []).toEqual([
      "a/f",
      "alias",
      "moved/er",
    ]);
    const listed = await listEntries(place, { recursive: true, maxEntries: 100 });
    expect(listed.entries.map(({ path }) => path)).toEqual([
      "a",
      "a/f",
      "alias",
      "moved",
      "moved/er",
      "new",
      "new/dir",
      "to-a",
    ]);
    const globbed = await glob(place, { pattern: "**/{f,er}", maxResults: 10, timeoutMs: 30_000 });
    expect([...globbed.paths].sort()).toEqual(["a/f", "moved/er"]);
  }
  {
    using place = workspace.resolve("new", { follow: false, writing: true });
    expect(await deletePath(place, { recursive: true })).toEqual({ deleted: "directory" });
  }
  expect(fs.readdirSync(workspace.root).sort()).toEqual(["a", "alias", "moved", "to-a"]);
  expect(openDescriptors(workspace)).toBe(before);
});

test("by names, a directory replaced meanwhile is noticed", async () => {
  using workspace = new Workspace({ "d/f": "x" }, { walkMode: "names" });
  using place = workspace.resolve("d/f");
  fs.renameSync(workspace.at("d"), workspace.at("e"));
  workspace.put({ "d/f": "another" });
  expect(await outcome(() => openForReading(place))).toBe("CHANGED_ON_DISK");
});
