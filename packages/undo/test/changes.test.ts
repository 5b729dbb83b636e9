// Diffs that git takes, lists, JSON lines; names that are hostile; what is not covered.
import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { changesDiff, changesJson, changesStat, coverageLines, stepList } from "../src/index.ts";
import { diffLines } from "../src/diff-lines.ts";
import { RecordedTree } from "./harness/recorded-tree.ts";
import { Random } from "./harness/random.ts";

const diffOf = (tree: RecordedTree): Buffer => Buffer.concat([...changesDiff(tree.store, {})]);

test("a diff taken back with git apply -R gives the tree of before, whatever the texts", async () => {
  const random = new Random(42);
  const text = (): string =>
    Array.from({ length: random.below(60) }, () => random.pick(["a", "b", "c", "dd", "", "é", "x y"])).join("\n") +
    random.pick(["", "\n", "\r\n"]);
  const names = ["plain", "with space", 'qu"ote', "tab\tname", "ümlaut", "deep/er/x"];
  using tree = new RecordedTree((root) => {
    fs.mkdirSync(`${root}/deep/er`, { recursive: true });
    for (const name of names) fs.writeFileSync(`${root}/${name}`, text());
    fs.writeFileSync(`${root}/gone`, "gone\n");
    fs.writeFileSync(`${root}/latin`, Buffer.from([0xe9, 0x0a, 0x41, 0x0a]));
    fs.symlinkSync("one", `${root}/link`);
  });
  const before = new Map([...names, "latin"].map((name) => [name, fs.readFileSync(tree.at(name))]));
  for (let round = 0; round < 25; round += 1) {
    tree.tool([...names, "new", "latin"], () => {
      for (const name of names) tree.write(name, text());
      tree.write("new", `${text()}!`);
      tree.write("latin", Buffer.from([0xe8, 0x0a, 0x41, 0x0a, round + 1]));
    });
    const copy = `${tree.home}/copy${round}`;
    fs.cpSync(tree.root, copy, { recursive: true, verbatimSymlinks: true });
    fs.writeFileSync(`${tree.home}/patch`, diffOf(tree));
    const code = await tree.unrecorded(`cd ${copy} && { git init -q . && git apply -R ../patch; } 2> ../problem`);
    expect({ code, problem: code === 0 ? "" : fs.readFileSync(`${tree.home}/problem`, "utf8") }).toEqual({
      code: 0,
      problem: "",
    });
    for (const [name, content] of before) expect(fs.readFileSync(`${copy}/${name}`)).toEqual(content);
    expect(fs.existsSync(`${copy}/new`)).toBe(false);
  }
  await tree.bash("rm gone; ln -sfn two link; chmod +x plain");
  fs.writeFileSync(`${tree.home}/last.diff`, diffOf(tree));
  expect(
    await tree.unrecorded(
      `git init -q ../empty && git --git-dir=../empty/.git --work-tree=. apply -R --check ../last.diff`,
    ),
  ).toBe(0);
});

test("changed lines are found, and too many count as replaced", () => {
  expect(diffLines(["a", "b", "c"], ["a", "x", "c", "d"])).toEqual([
    { beforeFrom: 1, beforeTo: 2, afterFrom: 1, afterTo: 2 },
    { beforeFrom: 3, beforeTo: 3, afterFrom: 3, afterTo: 4 },
  ]);
  expect(diffLines([], [])).toEqual([]);
  const many = (mark: string): string[] => Array.from({ length: 5000 }, (_, at) => `${mark}${at}`);
  expect(diffLines(many("a"), many("b"))).toEqual([{ beforeFrom: 0, beforeTo: 5000, afterFrom: 0, afterTo: 5000 }]);
});

test("several steps are one change for each path; what came back is none", async () => {
  using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/a`, "1\n"));
  await tree.bash("echo 2 > a; echo 1 > b");
  await tree.bash("echo 3 > a; rm b");
  expect(diffOf(tree).toString()).toBe("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+3\n");
  expect(changesStat(tree.store, {})).toEqual(["~ a (+1 -1)", "1 path changed."]);
  await tree.undo({ to: 1 });
  expect(diffOf(tree).toString()).toBe("");
});

test("binary files and large ones are named, not shown", async () => {
  using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/bin`, Buffer.from([1, 0, 2])));
  await tree.bash("printf '\\0' > bin; yes line | head -c 3000000 > large");
  const diff = diffOf(tree).toString();
  expect(diff).toContain("Binary files a/bin and b/bin differ");
  expect(diff).toContain("(diff left out: 2.9 MB)");
});

describe("names that are hostile", () => {
  const names = ["new\nline", "\u001b[2Jescape", "bidi\u202etxt", "-rf", "back\\slash", " "];
  test("are recorded, taken back, and never act on a screen", async () => {
    using tree = new RecordedTree((root) => {
      for (const name of names) fs.writeFileSync(`${root}/${name}`, "before");
      fs.writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff, 0xfe])]), "before");
    });
    const before = tree.tree();
    await tree.bash("for f in ./*; do echo after > \"$f\"; done; mkdir $'d\\xff'; echo 1 > $'d\\xff/in'");
    const shown = [
      stepList(tree.store.records),
      ...changesStat(tree.store, {}),
      diffOf(tree).toString("latin1"),
      (await tree.undo({ isDryRun: true })).out,
    ].join("\n");
    const json = [...changesJson(tree.store, {})].join("\n");
    // oxlint-disable-next-line no-control-regex -- these are what is looked for
    expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]|\u202e/);
    // oxlint-disable-next-line no-control-regex -- JSON escapes them
    expect(json).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
    expect(json).toContain('"path64":"YmFk//4="');
    expect(await tree.undo()).toMatchObject({ code: 0, err: "" });
    expect(tree.tree()).toEqual(before);
  });

  test("a label with a secret is masked, and one that acts is shown", async () => {
    using tree = new RecordedTree();
    await tree.bash("echo \u001b[2J > a # token=ghp_0123456789abcdefghijABCDEFGHIJ456789");
    const list = stepList(tree.store.records);
    expect(list).not.toContain("\u001b");
    expect(JSON.stringify(tree.steps())).not.toContain("ghp_0123456789abcdefghijABCDEFGHIJ456789");
  });
});

describe("what is not covered", () => {
  test("is said, and removing it does not keep the rest from being taken back", async () => {
    using tree = new RecordedTree((root) => {
      for (const folder of ["node_modules/x", "cache", "dist", "keep/dist"])
        fs.mkdirSync(`${root}/${folder}`, { recursive: true });
      fs.writeFileSync(`${root}/node_modules/x/i.js`, "1");
      fs.writeFileSync(`${root}/cache/CACHEDIR.TAG`, "Signature: 8a477f597d28d172789f06886806bc55");
      fs.writeFileSync(`${root}/package.json`, "{}");
      fs.writeFileSync(`${root}/.gitignore`, "/dist\n");
      fs.writeFileSync(`${root}/a`, "a");
    });
    expect(coverageLines(tree.store.records)[0]).toMatch(/^Not covered: .*node_modules.*\(regenerable\)/);
    expect(coverageLines(tree.store.records)[0]).toContain("dist (built)");
    expect(coverageLines(tree.store.records)[0]).toContain("cache (cache)");
    await tree.bash("rm -rf node_modules a");
    const { out, code } = await tree.undo();
    expect(code).toBe(0);
    expect(out).toContain("skip node_modules/ (not covered)");
    expect(tree.read("a")).toBe("a");
  });

  test("an agent cannot end the coverage of a folder with a file", async () => {
    using tree = new RecordedTree((root) => {
      fs.mkdirSync(`${root}/src`);
      fs.writeFileSync(`${root}/src/a`, "a");
      fs.mkdirSync(`${root}/out`);
      fs.writeFileSync(`${root}/out/b`, "b");
    });
    const before = tree.tree();
    await tree.bash("echo x > src/CACHEDIR.TAG; echo {} > package.json; echo out > .gitignore");
    await tree.bash("rm src/a out/b");
    await tree.undo({ to: 1 });
    expect(tree.tree()).toEqual(before);
  });

  test("a file above the limit is listed as not kept, and refuses an undo", async () => {
    using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/big`, Buffer.alloc(3 * 1024 ** 2)), {
      maxFileSize: 1024 ** 2,
    });
    await tree.bash("echo 1 > big; echo 1 > small");
    expect(stepList(tree.store.records)).toContain("not kept");
    const { code, out, err } = await tree.undo();
    expect(code).toBe(3);
    expect(out).toContain("LOST big (content not kept: 3 MB, above 1 MB)");
    expect(err).toBe(
      "bosun undo: 1 file cannot be restored, its content was not kept; nothing was changed. --path takes back the others",
    );
    expect((await tree.undo({ paths: ["small"] })).code).toBe(0);
    expect(tree.has("small")).toBe(false);
  });

  test("a tree with too many files has file tools only, and says so", async () => {
    using tree = new RecordedTree(
      (root) => {
        for (let at = 0; at < 30; at += 1) fs.writeFileSync(`${root}/f${at}`, "x");
      },
      { maxFiles: 20 },
    );
    expect(coverageLines(tree.store.records)).toEqual(["Coverage: file tools only (above 20 files)"]);
    await tree.bash("echo 1 > f1");
    tree.tool(["f2"], () => tree.write("f2", "2"));
    await tree.undo();
    expect([tree.read("f1"), tree.read("f2")]).toEqual(["1\n", "x"]);
  });

  test("a denied path is never read", async () => {
    using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/.env`, "SECRET"));
    using other = new RecordedTree((root) => fs.writeFileSync(`${root}/.env`, "SECRET"), { deny: [`${tree.root}/x`] });
    expect(other.store.records.entry(".env")?.blob).toBeDefined();
    using denied = new RecordedTree((root) => fs.writeFileSync(`${root}/a`, "1"), { exclude: [".env"] });
    denied.write(".env", "SECRET");
    await denied.bash("echo more >> .env; echo 2 > a");
    expect(denied.store.records.changesOf(1).map(({ path }) => path)).toEqual(["a"]);
  });
});

describe("whose a change is", () => {
  test("another session, a task or a terminal that was open makes it shared; --shared takes it back", async () => {
    using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/a`, "1\n"));
    const task = await tree.recorder.openWindow(
      { session: "bob", call: "t1", tool: "bosun.bash", label: "npm run dev" },
      "task",
    );
    await tree.bash("echo 2 > a");
    expect(await tree.undo()).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^bosun undo: 1 change may be somebody else's/) as string,
    });
    expect((await tree.undo({ isShared: true })).err).toBe(
      "bosun undo: session bob still runs a command here (task t1); stop it, or use --force",
    );
    await task.close();
    expect((await tree.undo({ isShared: true })).code).toBe(0);
    expect(tree.read("a")).toBe("1\n");
  });

  test("what a command leaves running is the command's, as long as its window is open", async () => {
    using tree = new RecordedTree();
    const window = await tree.recorder.openWindow(
      { session: "s", call: "c", tool: "bosun.bash", label: "later &" },
      "command",
    );
    await tree.unrecorded("(echo x > late) & wait");
    await window.close();
    expect(tree.steps()[0]).toMatchObject({ certainty: "window", calls: ["c"] });
  });

  test("nobody's change is shown with --all only, and never taken back", async () => {
    using tree = new RecordedTree();
    await tree.unrecorded("echo mine > mine");
    tree.keeper.scan();
    expect(tree.steps()[0]).toMatchObject({ certainty: "outside" });
    expect(changesStat(tree.store, {})).toEqual(["0 paths changed."]);
    expect(changesStat(tree.store, { withOutside: true })).toEqual(["+ mine (+1 -0)", "1 path changed."]);
    expect((await tree.undo()).err).toStartWith("bosun undo: nothing to undo in");
  });
});

test("the list is as documented", async () => {
  using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/a`, "1\n"));
  await tree.bash("sed -i s/1/2/ a");
  tree.tool(["a"], () => tree.write("a", "3\n"));
  await tree.undo();
  expect(
    stepList(tree.store.records)
      .replace(/\d\d:\d\d:\d\d/g, "10:42:07")
      .split("\n"),
  ).toEqual([
    "STEP  WHEN      SESSION   BY                     FILES        MARK",
    "   3  10:42:07            undo of step 2         ~1",
    "   2  10:42:07  alice     str_replace a          ~1           undone",
    "   1  10:42:07  alice     bash: sed -i s/1/2/ a  ~1",
  ]);
});
