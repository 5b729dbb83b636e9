// Gitlinks as git itself lists them, from indexes that git wrote, and from bytes that it would never write.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { GitlinkFinder, gitlinksOf, readGitlinks } from "../../src/protect/git-index.ts";
import { bytesOfPath, textOfPath } from "../../src/sandbox/path-text.ts";
import { GitFolder } from "./git.ts";

const ODD_NAMES = [
  "sub",
  "a/b/c/d/e/deep",
  "node_modules/x",
  "with space",
  "new\nline",
  'quo"te',
  "käse",
  "-dash",
  "a/b/c2",
];

type Row = [name: string, init: string[], change: (folder: GitFolder) => void];

const KINDS: Row[] = [
  ["version 2", [], (folder) => folder.git("w", "update-index", "--index-version", "2")],
  ["version 3", [], (folder) => intentToAdd(folder)],
  ["version 4", [], (folder) => folder.git("w", "-c", "index.version=4", "update-index", "--index-version", "4")],
  ["split", [], (folder) => folder.git("w", "update-index", "--split-index")],
  ["split, then changed", [], (folder) => splitAndChange(folder)],
  ["split in version 4, then changed", [], (folder) => splitAndChange(folder, "4")],
  ["sha256", ["--object-format=sha256"], () => {}],
  [
    "sha256 in version 4",
    ["--object-format=sha256"],
    (folder) => folder.git("w", "update-index", "--index-version", "4"),
  ],
  ["sha256, split, then changed", ["--object-format=sha256"], (folder) => splitAndChange(folder)],
];

test.each(KINDS)("all gitlinks are found: %s", (_, init, change) => {
  using folder = new GitFolder();
  makeRepository(folder, init);
  change(folder);
  const expected = listedByGit(folder);
  expect(expected.length).toBeGreaterThanOrEqual(ODD_NAMES.length - 1);
  expect(readGitlinks(indexOf(folder))?.isComplete).toBe(true);
  expect(sorted(gitlinksOf(indexOf(folder)))).toEqual(expected);
  const objectIdBytes = init.length === 0 ? 20 : 32;
  expect(sorted(gitlinksOf(indexOf(folder), { objectIdBytes }))).toEqual(expected);
  expect(gitlinksOf(indexOf(folder), { objectIdBytes: objectIdBytes === 20 ? 32 : 20 })).toBeUndefined();
});

test("a repository that was added with git add is found", () => {
  using folder = new GitFolder();
  folder.repository("w");
  folder.repository("w/a/b/c/d/e/own");
  folder.git("w", "add", "a");
  expect(gitlinksOf(indexOf(folder))).toEqual(["a/b/c/d/e/own"]);
});

test("a name that is not UTF-8 keeps its bytes", () => {
  using folder = new GitFolder();
  folder.repository("w");
  const name = Buffer.from("caf\xe9/\xff", "latin1");
  addGitlinks(folder, [name]);
  expect(gitlinksOf(indexOf(folder))?.map((one) => bytesOfPath(one))).toEqual([name]);
});

test.each(["2", "4"])("25,000 files, and what git's threads read from in an index of version %s", (version) => {
  using folder = new GitFolder();
  folder.repository("w");
  const blob = folder.git("w", "hash-object", "-w", "--stdin").trim();
  const files = Array.from({ length: 25_000 }, (_, at) => `100644 ${blob}\tfolder${at % 100}/file${at}\0`);
  update(folder, Buffer.from(files.join("")));
  addGitlinks(folder, ["folder50/sub", "z/last"]);
  folder.git("w", "-c", "index.threads=4", "update-index", "--index-version", version, "--force-write-index");
  const bytes = fs.readFileSync(indexOf(folder));
  expect(bytes.includes("IEOT")).toBe(true);
  expect(gitlinksOf(indexOf(folder))).toEqual(["folder50/sub", "z/last"]);

  const offset = bytes.lastIndexOf("IEOT") + 12;
  bytes.writeUInt32BE(bytes.readUInt32BE(offset) + 64, offset);
  fs.writeFileSync(indexOf(folder), bytes);
  expect(gitlinksOf(indexOf(folder))).toBeUndefined();
});

test("each side of a conflict is the same gitlink", () => {
  using folder = new GitFolder();
  folder.repository("w");
  const head = folder.git("w", "rev-parse", "HEAD").trim();
  update(folder, Buffer.from([1, 2, 3].map((side) => `160000 ${head} ${side}\tsub\0`).join("")));
  expect(readGitlinks(indexOf(folder))).toMatchObject({ paths: ["sub"], isComplete: true });
});

test("above 1,000 gitlinks the rest is not given, and that is said", () => {
  using folder = new GitFolder();
  folder.repository("w");
  addGitlinks(
    folder,
    Array.from({ length: 1_001 }, (_, at) => `sub${at}`),
  );
  const found = readGitlinks(indexOf(folder));
  expect(found?.paths).toHaveLength(1_000);
  expect(found?.isComplete).toBe(false);
});

test.each(["../ab", "/abcd", "a/../"])("the path %p is dropped, and that is said", (odd) => {
  using folder = new GitFolder();
  folder.repository("w");
  const name = "x".repeat(odd.length);
  addGitlinks(folder, [name, "zz"]);
  const bytes = fs.readFileSync(indexOf(folder));
  bytes.write(odd, bytes.indexOf(name));
  fs.writeFileSync(indexOf(folder), bytes);
  expect(readGitlinks(indexOf(folder))).toMatchObject({ paths: ["zz"], isComplete: false });
});

test("a folder that a sparse index leaves out may hold others, and that is said", () => {
  using folder = new GitFolder();
  folder.repository("w");
  for (const name of ["in", "out"]) {
    fs.mkdirSync(folder.at("w", name));
    fs.writeFileSync(folder.at("w", name, "file"), name);
  }
  folder.git("w", "add", ".");
  addGitlinks(folder, ["in/sub"]);
  folder.git("w", "commit", "-q", "-m", "second");
  folder.git("w", "sparse-checkout", "set", "--cone", "--sparse-index", "in");
  expect(folder.git("w", "ls-files", "--sparse")).toContain("out/\n");
  expect(readGitlinks(indexOf(folder))).toMatchObject({ paths: ["in/sub"], isComplete: false });
});

test("without an index there are none; what is no regular file, too large or not an index is not known", () => {
  using folder = new GitFolder();
  folder.repository("w");
  addGitlinks(folder, ["sub"]);
  expect(gitlinksOf(folder.at("absent"))).toEqual([]);
  expect(gitlinksOf(folder.at("w"))).toBeUndefined();
  fs.symlinkSync(indexOf(folder), folder.at("link"));
  expect(gitlinksOf(folder.at("link"))).toBeUndefined();
  Bun.spawnSync(["mkfifo", folder.at("fifo")]);
  expect(gitlinksOf(folder.at("fifo"))).toBeUndefined();
  fs.writeFileSync(folder.at("empty"), "");
  expect(gitlinksOf(folder.at("empty"))).toBeUndefined();
  fs.truncateSync(indexOf(folder), 64 * 1024 * 1024 + 1);
  expect(gitlinksOf(indexOf(folder))).toBeUndefined();
});

test.each(KINDS)("cut off anywhere, or with bytes changed, nothing is thrown: %s", (_, init, change) => {
  using folder = new GitFolder();
  makeRepository(folder, init);
  change(folder);
  const random = numbersFrom(17);
  const gitDir = folder.at("w", ".git");
  const names = fs.readdirSync(gitDir).filter((name) => name === "index" || name.startsWith("sharedindex."));
  for (const file of names.map((name) => path.join(gitDir, name))) {
    const whole = fs.readFileSync(file);
    for (let length = 0; length < whole.length; length += 97) {
      fs.writeFileSync(file, whole.subarray(0, length));
      expect(gitlinksOf(indexOf(folder))).toBeUndefined();
    }
    for (let round = 0; round < 300; round += 1) {
      const changed = Buffer.from(whole);
      for (let at = 0; at < 3; at += 1) changed[random() % changed.length] = random() % 256;
      fs.writeFileSync(file, changed);
      gitlinksOf(indexOf(folder));
    }
    fs.writeFileSync(file, whole);
  }
});

test("random bytes behind the header of an index are not known", () => {
  using folder = new GitFolder();
  const random = numbersFrom(4);
  for (let round = 0; round < 300; round += 1) {
    const bytes = Buffer.from(Array.from({ length: 12 + (random() % 600) }, () => random() % 256));
    bytes.write("DIRC");
    bytes.writeUInt32BE(2 + (round % 3), 4);
    bytes.writeUInt32BE(round % 2 === 0 ? 1 + (random() % 5) : 0xffff_ffff, 8);
    fs.writeFileSync(folder.at("index"), bytes);
    expect(gitlinksOf(folder.at("index"))).toBeUndefined();
  }
});

test("the finder gives absolute paths, and the very same array until they change", () => {
  using folder = new GitFolder();
  const repositories = ["w", "v"].map((name) => ({ top: folder.repository(name), gitDir: folder.at(name, ".git") }));
  const finder = new GitlinkFinder();
  expect(finder.find(repositories)).toEqual([]);
  addGitlinks(folder, ["a/sub", "b"]);
  const found = finder.find(repositories);
  expect(found).toEqual([folder.at("w/a/sub"), folder.at("w/b")]);
  expect(finder.find(repositories)).toBe(found);

  // Another index, the same gitlinks.
  folder.git("w", "update-index", "--index-version", "4");
  expect(finder.find(repositories)).toBe(found);
  folder.git("w", "update-index", "--force-remove", "b");
  expect(finder.find(repositories)).toEqual([folder.at("w/a/sub")]);
  expect(finder.find(repositories.slice(1))).toEqual([]);
});

test("an index that cannot be read leaves what was known, and is named", () => {
  using folder = new GitFolder();
  const repositories = [{ top: folder.repository("w"), gitDir: folder.at("w", ".git") }];
  addGitlinks(folder, ["sub"]);
  const finder = new GitlinkFinder();
  const found = finder.find(repositories);
  expect(finder.unknown).toEqual([]);
  const whole = fs.readFileSync(indexOf(folder));
  fs.writeFileSync(indexOf(folder), whole.subarray(0, 50));
  expect(finder.find(repositories)).toBe(found);
  expect(finder.unknown).toEqual([folder.at("w", ".git")]);
  fs.writeFileSync(indexOf(folder), whole);
  expect(finder.find(repositories)).toBe(found);
  expect(finder.unknown).toEqual([]);
});

test("a shared index that is replaced or appears while the index stays is read again", () => {
  using folder = new GitFolder();
  const repositories = [{ top: folder.repository("w"), gitDir: folder.at("w", ".git") }];
  addGitlinks(folder, ["aaa"]);
  folder.git("w", "update-index", "--split-index");
  const finder = new GitlinkFinder();
  expect(finder.find(repositories)).toEqual([folder.at("w/aaa")]);
  const name = fs.readdirSync(folder.at("w/.git")).find((one) => one.startsWith("sharedindex.")) ?? "";
  const shared = folder.at("w/.git", name);
  const bytes = fs.readFileSync(shared);
  bytes.write("bbb", bytes.indexOf("aaa"));
  fs.writeFileSync(shared, bytes);
  expect(finder.find(repositories)).toEqual([folder.at("w/bbb")]);

  fs.rmSync(shared);
  const other = new GitlinkFinder();
  expect(other.find(repositories)).toEqual([]);
  expect(other.unknown).toEqual([folder.at("w/.git")]);
  fs.writeFileSync(shared, bytes);
  expect(other.find(repositories)).toEqual([folder.at("w/bbb")]);
  expect(other.unknown).toEqual([]);
});

function makeRepository(folder: GitFolder, init: readonly string[]): void {
  folder.git(".", "init", "-q", "-b", "main", ...init, "w");
  folder.git("w", "commit", "-q", "--allow-empty", "-m", "first");
  for (const name of ["a/file", "b/file", "c", "zz/file"]) {
    fs.mkdirSync(path.dirname(folder.at("w", name)), { recursive: true });
    fs.writeFileSync(folder.at("w", name), name);
  }
  folder.git("w", "add", ".");
  addGitlinks(folder, ODD_NAMES);
}

function intentToAdd(folder: GitFolder): void {
  fs.writeFileSync(folder.at("w", "later"), "later");
  folder.git("w", "add", "--intent-to-add", "later");
  expect(fs.readFileSync(indexOf(folder)).readUInt32BE(4)).toBe(3);
}

/** One gitlink gone, one new, one file that became a gitlink and one gitlink that became a file. */
function splitAndChange(folder: GitFolder, version = "2"): void {
  folder.git("w", "update-index", "--index-version", version);
  folder.git("w", "-c", "splitIndex.maxPercentChange=100", "update-index", "--split-index");
  const config = ["-c", "core.splitIndex=true", "-c", "splitIndex.maxPercentChange=100"];
  const blob = folder.git("w", "rev-parse", ":c").trim();
  const head = folder.git("w", "rev-parse", "HEAD").trim();
  folder.git("w", ...config, "update-index", "--force-remove", "sub");
  folder.git("w", ...config, "update-index", "--add", "--cacheinfo", `160000,${head},new/one`);
  folder.git("w", ...config, "update-index", "--cacheinfo", `160000,${head},c`);
  folder.git("w", ...config, "update-index", "--cacheinfo", `100644,${blob},with space`);
  expect(fs.readFileSync(indexOf(folder)).includes("link")).toBe(true);
}

function addGitlinks(folder: GitFolder, names: readonly (string | Buffer)[]): void {
  const head = folder.git("w", "rev-parse", "HEAD").trim();
  update(
    folder,
    Buffer.concat(
      names.map((name) => Buffer.concat([Buffer.from(`160000 ${head}\t`), Buffer.from(name), Buffer.alloc(1)])),
    ),
  );
}

function update(folder: GitFolder, entries: Buffer): void {
  const { exitCode, stderr } = Bun.spawnSync(["git", "update-index", "-z", "--index-info"], {
    cwd: folder.at("w"),
    env: { PATH: process.env["PATH"] ?? "", HOME: folder.at("no-home"), GIT_CONFIG_NOSYSTEM: "1" },
    stdin: entries,
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
}

function listedByGit(folder: GitFolder): string[] {
  const entries = folder.git("w", "ls-files", "--stage", "-z").split("\0");
  const gitlinks = entries.filter((entry) => entry.startsWith("160000 "));
  return sorted(gitlinks.map((entry) => textOfPath(Buffer.from(entry.slice(entry.indexOf("\t") + 1)))));
}

function sorted(paths: readonly string[] | undefined): string[] {
  return [...(paths ?? [])].toSorted();
}

function indexOf(folder: GitFolder): string {
  return folder.at("w", ".git", "index");
}

/** The same numbers in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
