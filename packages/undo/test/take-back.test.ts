// What a person does with `bosun undo` and `bosun redo`: real folders, real commands.
import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { RecordedTree } from "./harness/recorded-tree.ts";

const random = (bytes: number): Uint8Array =>
  new Uint8Array(bytes).map((_, at) => (at * 2654435761 + (at >> 7) * 97) & 0xff);

function sample(root: string): void {
  fs.mkdirSync(`${root}/src/deep/er`, { recursive: true });
  for (let at = 0; at < 12; at += 1) fs.writeFileSync(`${root}/src/f${at}.txt`, `a line\nfile ${at}\nend`);
  fs.writeFileSync(`${root}/src/deep/er/x`, "x\r\ny\r\nno newline");
  fs.writeFileSync(`${root}/b`, "move me\n");
  fs.writeFileSync(`${root}/run.sh`, "#!/bin/sh\n", { mode: 0o644 });
  fs.writeFileSync(`${root}/big.bin`, random(1024 * 1024));
  fs.symlinkSync("v1", `${root}/cur`);
  fs.mkdirSync(`${root}/empty`, { mode: 0o750 });
}

describe("a command is taken back whole", () => {
  test.each<[string, string]>([
    ["files edited by sed", "sed -i s/line/LINE/ src/*.txt"],
    ["a tree removed", "rm -rf src"],
    ["a file moved", "mv b c"],
    ["a folder moved", "mv src lib"],
    ["a mode", "chmod +x run.sh"],
    ["a mode and the content", "chmod 600 run.sh; echo more >> run.sh"],
    ["a link to elsewhere", "ln -sfn v2 cur"],
    ["a link replaced by a file", "rm cur; echo file > cur"],
    ["a file replaced by a folder", "rm b; mkdir -p b/in; echo 1 > b/in/f"],
    ["a folder replaced by a file", "rm -rf src; echo file > src"],
    ["a folder replaced by a link", "mv src /tmp/bosun-never-$$ && ln -s /etc src; rm -rf /tmp/bosun-never-$$"],
    ["new folders", "mkdir -p e/m/p"],
    ["an empty folder removed", "rmdir empty"],
    ["a binary file overwritten", "head -c 1000000 /dev/zero > big.bin"],
    ["the old time put back after a change of the same size", "touch -r b t; echo mOve me > b; touch -r t b; rm t"],
    [
      "many things at once",
      "rm -rf src/deep; mv src other; mkdir src; mv other/f1.txt src; ln -s b l; chmod 500 empty",
    ],
    ["a closed folder removed", "mkdir -p shut/in; echo 1 > shut/in/f; chmod 500 shut; rm -rf src"],
  ])("%s", async (_, command) => {
    using tree = new RecordedTree(sample);
    const before = tree.tree();
    await tree.bash(command);
    const after = tree.tree();
    expect(after).not.toEqual(before);
    expect(tree.steps()).toHaveLength(1);
    expect((await tree.undo()).err).toBe("");
    expect(tree.tree()).toEqual(before);
    expect((await tree.redo()).err).toBe("");
    expect(tree.tree()).toEqual(after);
    expect((await tree.undo()).code).toBe(0);
    expect(tree.tree()).toEqual(before);
  });
});

describe("file tools", () => {
  test("a new file goes, a replaced one gets its bytes back", async () => {
    using tree = new RecordedTree(sample);
    const before = tree.tree();
    tree.tool(["new/in/f.txt"], () => tree.write("new/in/f.txt", "new"));
    tree.tool(["src/deep/er/x"], () => tree.write("src/deep/er/x", "other"));
    expect(tree.steps().map(({ certainty }) => certainty)).toEqual(["exact", "exact"]);
    await tree.undo();
    await tree.undo();
    expect(tree.tree()).toEqual(before);
    expect((await tree.undo()).err).toBe(`bosun undo: nothing to undo in ${tree.root}`);
  });

  test("a folder that a tool deletes or moves comes back", async () => {
    using tree = new RecordedTree(sample);
    const before = tree.tree();
    tree.tool(["src"], () => fs.rmSync(tree.at("src"), { recursive: true }));
    tree.tool(["b", "c"], () => fs.renameSync(tree.at("b"), tree.at("c")));
    await tree.undo({ to: 1 });
    expect(tree.tree()).toEqual(before);
  });

  test("what is not covered is recorded all the same", async () => {
    using tree = new RecordedTree((root) => fs.mkdirSync(`${root}/node_modules`));
    tree.tool(["node_modules/x"], () => tree.write("node_modules/x", "1"));
    expect((await tree.undo()).code).toBe(0);
    expect(tree.has("node_modules/x")).toBe(false);
  });

  test("what somebody changed before the tool is not the tool's", async () => {
    using tree = new RecordedTree(sample);
    await tree.unrecorded("echo person > b");
    tree.tool(["b"], () => tree.write("b", "agent\n"));
    expect(tree.steps().map(({ certainty }) => certainty)).toEqual(["outside", "exact"]);
    await tree.undo();
    expect(tree.read("b")).toBe("person\n");
  });
});

describe("which steps", () => {
  test("undo goes back one step at a time, --to several", async () => {
    using tree = new RecordedTree();
    for (const n of [1, 2, 3, 4, 5]) await tree.bash(`echo ${n} >> log`);
    await tree.undo();
    expect(tree.read("log")).toBe("1\n2\n3\n4\n");
    await tree.undo();
    expect(tree.read("log")).toBe("1\n2\n3\n");
    await tree.undo({ to: 2 });
    expect(tree.read("log")).toBe("1\n");
    for (const text of ["1\n2\n3\n", "1\n2\n3\n4\n", "1\n2\n3\n4\n5\n"]) {
      await tree.redo();
      expect(tree.read("log")).toBe(text);
    }
    expect((await tree.redo()).err).toBe(`bosun redo: nothing to redo in ${tree.root}`);
  });

  test("by call, by session, by path, by time", async () => {
    using tree = new RecordedTree(sample);
    const call = await tree.bash("echo 1 > one; echo 1 > b");
    await tree.bash("echo 2 > two", "bob");
    await tree.bash("echo 3 > src/f1.txt; echo 3 > src/f2.txt; echo 3 > three");
    await tree.undo({ session: "bob" });
    expect([tree.has("one"), tree.has("two")]).toEqual([true, false]);
    await tree.undo({ paths: ["src/f1.txt"] });
    expect([tree.read("src/f1.txt").length > 2, tree.read("src/f2.txt"), tree.has("three")]).toEqual([
      true,
      "3\n",
      true,
    ]);
    await tree.undo({ call });
    expect([tree.has("one"), tree.read("b"), tree.has("three")]).toEqual([false, "move me\n", true]);
    const [, , third] = tree.store.records.steps();
    await tree.undo({ sinceMs: third?.timeMs ?? 0 });
    expect(tree.has("three")).toBe(false);
  });

  test("an unknown step or call is named", async () => {
    using tree = new RecordedTree();
    await tree.bash("echo 1 > one");
    expect(await tree.undo({ to: 99 })).toMatchObject({
      code: 3,
      err: `bosun undo: no step 99 in ${tree.root}; the newest is 1`,
    });
    expect(await tree.undo({ call: "x" })).toMatchObject({
      code: 3,
      err: `bosun undo: no call "x" on record in ${tree.root}`,
    });
  });

  test("nothing changed, no step", async () => {
    using tree = new RecordedTree();
    await tree.bash("touch t; rm t");
    expect(tree.steps()).toEqual([]);
  });
});

describe("what others did since stays", () => {
  test("a later edit is a conflict: nothing changes; forced, redo brings it back", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("echo agent > b; echo agent > src/f1.txt");
    await tree.unrecorded("echo person > b");
    const before = tree.tree();
    const refused = await tree.undo();
    expect(refused.code).toBe(3);
    expect(refused.out).toMatch(/CONFLICT b \(changed since by nobody's call, \d\d:\d\d:\d\d\)/);
    expect(refused.out).toContain("1 to restore, 0 to remove, 1 conflict. Nothing was changed.");
    expect(refused.err).toBe(
      "bosun undo: 1 of 2 files was changed since; nothing was changed. --path takes back the others, --force all (redo brings this state back)",
    );
    expect(tree.tree()).toEqual(before);
    expect((await tree.undo({ isForced: true })).code).toBe(0);
    expect(tree.read("b")).toBe("move me\n");
    await tree.redo();
    expect(tree.tree()).toEqual(before);
  });

  test("another file of a person's is kept, and a folder with something of theirs", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("echo agent > src/f1.txt; mkdir made; echo 1 > made/one");
    await tree.unrecorded("echo person > b; echo person > made/mine");
    const { out, code } = await tree.undo();
    expect(code).toBe(0);
    expect(out).toContain("keep made/ (something else is in it)");
    expect([tree.read("b"), tree.read("made/mine"), tree.has("made/one")]).toEqual(["person\n", "person\n", false]);
  });

  test("a later step is named", async () => {
    using tree = new RecordedTree(sample);
    const first = await tree.bash("echo 1 > b");
    await tree.bash("echo 2 > b");
    expect(await tree.undo({ call: first })).toMatchObject({
      code: 3,
      err: "bosun undo: b was changed again by step 2; undo that first, or use --to 1",
    });
  });

  test("what a person has put back already is the same", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("echo 1 > b");
    await tree.unrecorded("printf 'move me\\n' > b");
    const { code, out } = await tree.undo();
    expect(code).toBe(0);
    expect(out).toContain("same b (already so)");
  });

  test("a change between two steps of a session is not lost", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("echo 1 > b");
    await tree.bash("echo 2 > b", "bob");
    await tree.bash("echo 3 > b");
    expect((await tree.undo({ session: "alice" })).code).toBe(3);
    expect(tree.read("b")).toBe("3\n");
  });

  test("only the mode was changed since: it stays, the content comes back", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("echo 1 > b");
    await tree.unrecorded("chmod 600 b");
    expect((await tree.undo()).code).toBe(0);
    expect(tree.tree().get("b")).toStartWith("file 600 ");
    expect(tree.read("b")).toBe("move me\n");
  });

  test("no file is written through a link that stands in the way", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("echo 1 > src/f1.txt");
    fs.mkdirSync(`${tree.home}/elsewhere`);
    await tree.bash(`mv src gone; ln -s ${tree.home}/elsewhere src`);
    const { code, err } = await tree.undo({ call: "c1", isForced: true });
    expect(code).toBe(3);
    expect(err).toBe("bosun undo: src is now a link; refused to write through it");
    expect(fs.readdirSync(`${tree.home}/elsewhere`)).toEqual([]);
  });

  test("two names of one file keep one content", async () => {
    using tree = new RecordedTree((root) => {
      fs.writeFileSync(`${root}/a`, "old");
      fs.linkSync(`${root}/a`, `${root}/z`);
    });
    await tree.bash("echo new > a");
    expect((await tree.undo()).code).toBe(0);
    expect([tree.read("a"), tree.read("z")]).toEqual(["old", "old"]);
    expect(fs.statSync(tree.at("a")).ino).toBe(fs.statSync(tree.at("z")).ino);
  });
});

describe("asking", () => {
  test("without anybody to ask it needs --yes", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("rm b");
    expect(await tree.undo({ isAgreed: false })).toMatchObject({
      code: 3,
      out: "restore b (+1 -0)\n1 to restore, 0 to remove. Nothing was changed.",
    });
    expect(tree.has("b")).toBe(false);
  });

  test("a no changes nothing, a yes does; a dry run never", async () => {
    using tree = new RecordedTree(sample);
    await tree.bash("rm b");
    expect((await tree.undo({ isDryRun: true })).code).toBe(0);
    expect((await tree.undo({}, false)).code).toBe(3);
    expect(tree.has("b")).toBe(false);
    expect((await tree.undo({}, true)).code).toBe(0);
    expect(tree.read("b")).toBe("move me\n");
  });
});
