// Generated scenarios with a fixed seed: whatever commands and tools do, each step taken back gives the tree of before it,
// byte for byte with modes, and files that no step changed keep their times.
import { expect, test } from "bun:test";
import fs from "node:fs";
import { RecordedTree } from "./harness/recorded-tree.ts";
import { Random } from "./harness/random.ts";

const TREES = 32;
const SCENARIOS = 10;

function fill(random: Random): (root: string) => void {
  return (root) => {
    for (const folder of ["src/a", "src/b/c", "docs", "data", "empty"])
      fs.mkdirSync(`${root}/${folder}`, { recursive: true });
    for (let at = 0; at < 20; at += 1)
      fs.writeFileSync(
        `${root}/${random.pick(["src", "src/a", "src/b", "src/b/c", "docs"])}/f${at}.txt`,
        lines(random),
      );
    fs.writeFileSync(`${root}/data/blob.bin`, random.bytes(5000));
    fs.writeFileSync(`${root}/data/large.bin`, Buffer.alloc(300_000, random.bytes(977)));
    fs.symlinkSync("../src", `${root}/docs/link`);
    fs.chmodSync(`${root}/src/a`, 0o750);
    fs.writeFileSync(`${root}/untouched`, "never");
    fs.utimesSync(`${root}/untouched`, 1_000_000_000, 1_000_000_000);
  };
}

function lines(random: Random): string {
  const ends = random.pick(["\n", "\r\n"]);
  const text = Array.from({ length: random.below(40) }, (_, at) => `line ${at} ${random.below(1000)}`).join(ends);
  return random.below(3) === 0 ? text : text + ends;
}

/** One shell text of one to four actions on what is there. */
function command(random: Random, tree: RecordedTree): string {
  const all = [...tree.tree().entries()].filter(([name]) => name !== "untouched");
  const files = all.filter(([, state]) => state.startsWith("file")).map(([name]) => name);
  const folders = all.filter(([, state]) => state.startsWith("folder")).map(([name]) => name);
  const file = (): string => (files.length === 0 ? "none" : random.pick(files));
  const folder = (): string => (folders.length === 0 ? "." : random.pick(folders));
  const fresh = (): string => `${folder()}/n${random.below(10_000)}`;
  const actions: (() => string)[] = [
    () => `echo more ${random.below(1000)} >> '${file()}'`,
    () => `sed -i 's/line/row ${random.below(100)}/' '${file()}'`,
    () => `find src -name '*.txt' -exec sed -i 's/[0-9]$/X/' {} +`,
    () => `mv '${file()}' '${fresh()}'`,
    () => `mv '${folder()}' '${fresh()}'`,
    () => `rm -f '${file()}'`,
    () => `rm -rf '${folder()}'`,
    () => `mkdir -p '${fresh()}/deep/er' && echo x > '${fresh()}'`,
    () => `cp -a '${folder()}' '${fresh()}'`,
    () => `chmod ${random.pick(["600", "644", "755", "500"])} '${file()}'`,
    () => `chmod ${random.pick(["700", "755", "711"])} '${folder()}'`,
    () => `ln -sfn '${random.pick(["nowhere", "../src", "/etc/passwd"])}' '${fresh()}'`,
    () => `f='${file()}'; rm -rf "$f"; mkdir -p "$f/in"; echo 1 > "$f/in/one"`,
    () => `d='${folder()}'; rm -rf "$d"; echo file > "$d"`,
    () => `head -c ${random.below(400_000)} /dev/urandom > '${fresh()}'`,
    () => `f='${fresh()}'; echo gone > "$f"; rm -f "$f"`,
    () => `f='${file()}'; cp -p "$f" "$f.tmp"; tr a-z A-Z < "$f.tmp" > "$f"; touch -r "$f.tmp" "$f"; rm "$f.tmp"`,
    () => `ln '${file()}' '${fresh()}'`,
    () => `: > '${file()}'`,
    () => `printf 'a\\000b' > '${fresh()}'`,
  ];
  return Array.from({ length: 1 + random.below(4) }, () => random.pick(actions)()).join("; ");
}

test.each(Array.from({ length: TREES }, (_, seed) => [seed]))(
  `tree %d: ${SCENARIOS} scenarios taken back one by one, and brought back`,
  async (seed) => {
    const random = new Random(seed * 7919 + 1);
    using tree = new RecordedTree(fill(random));
    const states = [tree.tree()];
    const commands: string[] = [];
    for (let at = 0; at < SCENARIOS; at += 1) {
      const before = tree.store.records.steps().length;
      if (random.below(4) === 0) {
        const name = `src/tool-${random.below(5)}/f.txt`;
        const kinds = ["src", `src/${name.split("/")[1]}`].map((folder) => tree.tree().get(folder) ?? "");
        const isFree = kinds.every((kind) => !/^(file|link)/.test(kind));
        commands.push(`tool ${name}`);
        if (isFree) tree.tool([name], () => tree.write(name, lines(random)));
      } else {
        const text = command(random, tree);
        commands.push(text);
        await tree.bash(text);
      }
      const steps = tree.store.records.steps();
      // Some commands come to nothing.
      if (steps.length === before)
        expect({ tree: tree.tree(), commands }).toEqual({ tree: states.at(-1) ?? new Map(), commands });
      else states.push(tree.tree());
      expect({ steps: steps.length, commands }).toEqual({ steps: states.length - 1, commands });
    }
    for (let at = states.length - 2; at >= 0; at -= 1) {
      const { code, err } = await tree.undo();
      expect({ code, err, commands }).toEqual({ code: 0, err: "", commands });
      expect({ tree: tree.tree(), commands }).toEqual({ tree: states[at] ?? new Map(), commands });
    }
    expect(fs.statSync(tree.at("untouched")).mtimeMs).toBe(1_000_000_000_000);
    for (let at = 1; at < states.length; at += 1) {
      expect((await tree.redo()).err).toBe("");
      expect({ tree: tree.tree(), commands }).toEqual({ tree: states[at] ?? new Map(), commands });
    }
  },
);

test.each<[string, string]>([
  ["git reset --hard over work that was not committed", "git reset -q --hard"],
  ["git checkout and clean", "git checkout -q -- . ; git clean -fdxq"],
  ["git commit", "git add -A; git commit -qm two"],
  ["a branch switched and the other deleted", "git stash -uq; git switch -qc other; git branch -D main -q"],
  ["git gc after a commit", "git commit -qam two; git gc -q --prune=now"],
  ["the repository removed", "rm -rf .git"],
  ["a tree removed and checked out again", "rm -rf src && git checkout -q -- ."],
])("%s is taken back, and git is well", async (_, command) => {
  using tree = new RecordedTree((root) => {
    fs.mkdirSync(`${root}/src`);
    fs.writeFileSync(`${root}/src/a`, "committed\n");
    fs.writeFileSync(`${root}/.gitignore`, "ignored\n");
  });
  await tree.unrecorded("git init -qb main; git add -A; git commit -qm one; git tag t");
  await tree.unrecorded("echo work >> src/a; echo new > src/untracked; echo precious > ignored; git add src/a");
  tree.keeper.freshen();
  const before = tree.tree();
  await tree.bash(command);
  expect(tree.tree()).not.toEqual(before);
  expect(await tree.undo()).toMatchObject({ code: 0, err: "" });
  expect(tree.tree()).toEqual(before);
  expect(await tree.unrecorded("git fsck --no-dangling >fsck 2>&1 && git status --porcelain > st")).toBe(0);
  expect(tree.read("st")).toContain("src/untracked");
});

test("a formatter over 5,000 files is one step", async () => {
  using tree = new RecordedTree((root) => {
    for (let folder = 0; folder < 50; folder += 1) {
      fs.mkdirSync(`${root}/d${folder}`);
      for (let at = 0; at < 100; at += 1)
        fs.writeFileSync(`${root}/d${folder}/f${at}`, `const a=${at}\nconst b = ${folder}\n`);
    }
  });
  const before = tree.tree();
  await tree.bash("find . -type f -exec sed -i 's/const a=/const a = /' {} +");
  expect(tree.store.records.steps()).toHaveLength(1);
  expect(tree.store.records.changesOf(1)).toHaveLength(5000);
  expect(await tree.undo()).toMatchObject({ code: 0, err: "" });
  expect(tree.tree()).toEqual(before);
});
