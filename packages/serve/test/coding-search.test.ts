// grep and glob as the contract has them.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { announceRows, row, rows } from "./harness/contract.ts";
import { TestServer } from "./harness/server.ts";

announceRows();

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    args: ["--sandbox", "off", "--max-file-size", "1MB", "--deny-dir", "**/secret.txt"],
    files: {
      "src/one.ts": "import x\nconst needle = 1\nconst other = 2\nlast needle\n",
      "src/two.py": "needle = 3\n",
      "src/deep/three.ts": "a\nb\nc\nNEEDLE\nd\ne\nf\nneedle\n",
      "ignored/x.ts": "needle\n",
      ".gitignore": "ignored/\n*.log\n!keep.log\n",
      "skip.log": "needle\n",
      "keep.log": "needle\n",
      "node_modules/m.ts": "needle\n",
      ".git/config": "needle\n",
      "binary.bin": Buffer.from("needle\0needle"),
      "secret.txt": "needle\n",
      "multi.txt": "begin\nmiddle\nend\nbegin end\n",
      "crlf.txt": "tail\r\n",
      "-dash.txt": "-e needle\n",
      "wide.txt": `${"w".repeat(1_500_000)}needle\nsecond needle\n`,
    },
  });
  const old = new Date("2020-01-01T00:00:00Z");
  for (const [i, name] of ["src/two.py", "src/one.ts", "src/deep/three.ts"].entries()) {
    utimesSync(server.at(name), old, new Date(old.getTime() + i * 1000));
  }
  symlinkSync("../src", server.at("src/deep/loop"));
  symlinkSync("/etc", server.at("outside"));
  Bun.spawnSync(["mkfifo", server.at("src/pipe")]);
});
afterAll(async () => server[Symbol.asyncDispose]());

rows(
  "coding",
  [
    ["files, newest first, by default", { pattern: "needle", path: "src" }, "deep/three.ts\none.ts\ntwo.py"],
    ["offset and limit after sorting", { pattern: "needle", path: "src", offset: 1, head_limit: 1 }, "one.ts"],
    [
      "content with numbers",
      { pattern: "needle", path: "src/two.py", output_mode: "content" },
      "src/two.py:1:needle = 3",
    ],
    [
      "content without numbers",
      { pattern: "needle", path: "src/two.py", output_mode: "content", line_numbers: false },
      "src/two.py:needle = 3",
    ],
    [
      "groups are separated, context has dashes",
      { pattern: "needle", path: "src", include: "one.ts", output_mode: "content", context_after: 1 },
      "one.ts:2:const needle = 1\none.ts-3-const other = 2\none.ts:4:last needle",
    ],
    [
      "groups without context too",
      { pattern: "needle", path: "src", include: "one.ts", output_mode: "content" },
      "one.ts:2:const needle = 1\n--\none.ts:4:last needle",
    ],
    [
      "the specific context overrides its side",
      { pattern: "NEEDLE", path: "src/deep/three.ts", output_mode: "content", context: 1, context_before: 0 },
      "src/deep/three.ts:4:NEEDLE\nsrc/deep/three.ts-5-d",
    ],
    [
      "limits count every output line",
      { pattern: "needle", path: "src", include: "one.ts", output_mode: "content", head_limit: 2 },
      "one.ts:2:const needle = 1\n--",
    ],
    [
      "count counts lines",
      { pattern: "needle", path: "src", output_mode: "count", include: "*.ts" },
      "deep/three.ts:1\none.ts:2",
    ],
    [
      "case-insensitive",
      { pattern: "needle", path: "src/deep", output_mode: "count", case_insensitive: true },
      "three.ts:2",
    ],
    ["an inline flag is RE2's", { pattern: "(?i)needle", path: "src/deep", output_mode: "count" }, "three.ts:2"],
    ["a type is its extensions", { pattern: "needle", path: "src", type: "py" }, "two.py"],
    ["an alias of a type", { pattern: "needle", path: "src", type: "python" }, "two.py"],
    ["include with braces", { pattern: "needle", path: "src", include: "*.{py,js}" }, "two.py"],
    [
      "a single file ignores the filters",
      { pattern: "needle", path: "src/two.py", include: "*.ts", type: "go" },
      "src/two.py",
    ],
    [
      "multiline crosses lines, anchors stay at lines",
      { pattern: "begin.*?end$", path: "multi.txt", multiline: true, output_mode: "count" },
      "multi.txt:4",
    ],
    ["$ before CRLF", { pattern: "tail$", path: "crlf.txt", output_mode: "content" }, "crlf.txt:1:tail"],
    ["no match is empty text", { pattern: "nowhere to be found" }, ""],
    [
      "a pattern that looks like an option is a pattern",
      { pattern: "-e needle", path: ".", output_mode: "count" },
      "-dash.txt:1",
    ],
    [
      "an empty text is a parameter left out",
      { pattern: "^needle = 3$", path: "", include: "", type: "", output_mode: "" },
      "src/two.py",
    ],
    [
      "ignored, binary, denied and hidden trees are skipped",
      { pattern: "^needle$", path: ".", output_mode: "count" },
      "keep.log:1\nsrc/deep/three.ts:1",
    ],
  ] satisfies [string, unknown, string][],
  async (_, args, expected) => {
    const result = await server.call("grep", args);
    expect(result.content[0]?.text).toBe(expected);
    expect(result.isError).toBeUndefined();
  },
);

rows(
  "coding",
  [
    ["an empty pattern", { pattern: "" }, "[INVALID_INPUT] pattern must not be empty"],
    ["a bad pattern", { pattern: "(" }, /^\[GREP_INVALID_PATTERN\] invalid regex pattern: /],
    ["look-around is not RE2", { pattern: "(?=x)" }, /^\[GREP_INVALID_PATTERN\] invalid regex pattern: /],
    [
      "a bad mode",
      { pattern: "x", output_mode: "lines" },
      '[GREP_INVALID_OUTPUT_MODE] invalid output_mode "lines"; valid values: content, files_with_matches, count',
    ],
    [
      "an unknown type lists the valid ones",
      { pattern: "x", type: "cobol" },
      /^\[INVALID_INPUT\] invalid file type: unknown file type "cobol"; valid types: c, cpp, css, go, html, java, js, json, markdown, md, py, python, rust, ts, typescript, yaml$/,
    ],
    ["a missing path", { pattern: "x", path: "nowhere" }, "[PATH_NOT_FOUND] nowhere does not exist"],
    [
      "a path outside",
      { pattern: "x", path: "/etc" },
      '[ACCESS_DENIED] path not allowed: access denied: path "/etc" is outside allowed directories',
    ],
    [
      "a large file in multiline mode",
      { pattern: "x", path: "wide.txt", multiline: true },
      /^\[FILE_TOO_LARGE\] file wide\.txt is \d+ bytes, exceeds maximum 1048576 bytes for multiline grep$/,
    ],
    ["a FIFO", { pattern: "x", path: "src/pipe" }, /^\[INVALID_INPUT\] src\/pipe is not a regular file$/],
    ["a bad include", { pattern: "x", include: "[" }, /^\[INVALID_INPUT\]/],
  ] satisfies [string, unknown, string | RegExp][],
  async (_, args, expected) => {
    const result = await server.call("grep", args);
    expect(result.isError).toBe(true);
    if (typeof expected === "string") expect(result.content[0]?.text).toBe(expected);
    else expect(result.content[0]?.text).toMatch(expected);
  },
);

row("coding", "a line over a megabyte hides nothing, and is shown cut", async () => {
  const said = await server.text("grep", { pattern: "needle", path: "wide.txt", output_mode: "content" });
  expect(said.length).toBeLessThan(5000);
  expect(said.endsWith("wide.txt:2:second needle")).toBe(true);
});

row("coding", "too much output is paged, with the way on", async () => {
  writeFileSync(server.at("many.txt"), "needle in a line of some length\n".repeat(5000));
  const first = await server.text("grep", { pattern: "needle in", path: "many.txt", output_mode: "content" });
  const offset = Number(/Continue with offset (\d+)\.\]$/.exec(first)?.[1]);
  expect(first.length).toBeLessThan(30_200);
  const next = await server.text("grep", {
    pattern: "needle in",
    path: "many.txt",
    output_mode: "content",
    offset,
    head_limit: 1,
  });
  expect(next).toBe(`many.txt:${offset + 1}:needle in a line of some length`);
});

row("coding", "without a path from a directory outside the scope: access denied", async () => {
  await using own = await TestServer.start({ args: ["--sandbox", "off"] });
  await own.bash("cd /tmp");
  for (const tool of ["grep", "glob"]) expect(await own.text(tool, { pattern: "x" })).toMatch(/^\[ACCESS_DENIED\]/);
});

row("coding", "a hostile pattern does not keep others waiting", async () => {
  writeFileSync(server.at("aaa.txt"), `${"a".repeat(100_000)}!`);
  const slow = server.text("grep", { pattern: "^(a+)+$", path: "aaa.txt", output_mode: "count" });
  const view = server.text("view", { path: "src/two.py" });
  expect(await view).toBe("1\tneedle = 3\n");
  expect(await slow).toBe("");
});

rows(
  "coding",
  [
    ["a bare pattern matches at any depth, newest first", { pattern: "*.ts", path: "src" }, "deep/three.ts\none.ts"],
    ["a path pattern", { pattern: "src/*.py" }, "src/two.py"],
    ["** crosses", { pattern: "src/**/*.ts" }, "src/deep/three.ts\nsrc/one.ts"],
    ["./ in front is nothing", { pattern: "./src/*.py" }, "src/two.py"],
    ["directories too, unless files are asked for", { pattern: "deep", path: "src" }, "deep"],
    ["only directories", { pattern: "*", path: "src", type: "directory" }, "deep"],
    ["only files", { pattern: "{deep,two.py}", path: "src", type: "file" }, "two.py"],
    ["classes and their negation", { pattern: "[!o]*.{py,ts}", path: "src", type: "file" }, "deep/three.ts\ntwo.py"],
    ["dotfiles match", { pattern: ".gitignore" }, ".gitignore"],
    ["an empty text is left out here too", { pattern: "two.*", path: "", type: "" }, "src/two.py"],
    ["nothing found", { pattern: "*.none" }, "No files found"],
    ["a missing directory", { pattern: "*", path: "nowhere" }, "No files found"],
    ["a file as the directory", { pattern: "*", path: "keep.log" }, "No files found"],
    ["ignored and denied ones are skipped", { pattern: "{skip.log,secret.txt,x.ts,keep.log}" }, "keep.log"],
    ["a link that leads out is not listed", { pattern: "outside" }, "No files found"],
  ] satisfies [string, unknown, string][],
  async (_, args, expected) => {
    const result = await server.call("glob", args);
    expect(result.content[0]?.text).toBe(expected);
    expect(result.isError).toBeUndefined();
  },
);

row("coding", "an absolute pattern under the root matches", async () => {
  expect(await server.text("glob", { pattern: `${server.root}/src/*.py` })).toBe("src/two.py");
});

rows(
  "coding",
  [
    ["an empty glob", { pattern: "" }, "[INVALID_INPUT] pattern must not be empty"],
    ["a bad glob", { pattern: "[" }, /^\[GLOB_INVALID_PATTERN\] invalid glob pattern: \[/],
    [
      "a bad type",
      { pattern: "*", type: "link" },
      '[GLOB_INVALID_TYPE] invalid type "link"; valid values: file, directory',
    ],
    ["a root outside", { pattern: "*", path: "/etc" }, /^\[ACCESS_DENIED\]/],
  ] satisfies [string, unknown, string | RegExp][],
  async (_, args, expected) => {
    const result = await server.call("glob", args);
    expect(result.isError).toBe(true);
    if (typeof expected === "string") expect(result.content[0]?.text).toBe(expected);
    else expect(result.content[0]?.text).toMatch(expected);
  },
);

row("coding", "over 30000 characters: whole lines and the notice", async () => {
  mkdirSync(server.at("lots"));
  for (let i = 0; i < 1200; i += 1) writeFileSync(server.at(`lots/${"n".repeat(40)}${i}`), "");
  const said = await server.text("glob", { pattern: "*", path: "lots" });
  expect(said.endsWith("\n... output truncated (exceeded 30,000 characters)")).toBe(true);
  const lines = said.split("\n");
  expect(lines.slice(0, -1).every((line) => /^n{40}\d+$/.test(line))).toBe(true);
  expect(lines.slice(0, -1).join("\n").length).toBeLessThanOrEqual(30_000);
});

row(
  "coding",
  "a hostile .gitignore holds neither glob nor anybody else up, and glob says what it gave up",
  async () => {
    const names = Array.from({ length: 2000 }, (_, i) => [`${"a".repeat(200)}${i}`, ""]);
    const files = { ...Object.fromEntries(names), ".gitignore": `*${"a".repeat(20)}b*\n`.repeat(11_000) };
    await using own = await TestServer.start({ args: ["--sandbox", "off"], files });
    const answered: string[] = [];
    const glob = own.text("glob", { pattern: "aaa*1" }).finally(() => answered.push("glob"));
    await own.request("ping", {}).finally(() => answered.push("ping"));
    const said = await glob;
    expect(answered).toEqual(["ping", "glob"]);
    expect(said).toEndWith("\n... the .gitignore rules here take too long to apply; ignored files may be listed");
  },
);

// A repository is somebody else's: where its rules should be can stand anything.
rows(
  "coding",
  [
    ["a FIFO as .gitignore holds no search up", (at) => void Bun.spawnSync(["mkfifo", at(".gitignore")])],
    ["an endless .gitignore holds no search up", (at) => symlinkSync("/dev/zero", at(".gitignore"))],
    ["a sparse .gitignore holds no search up", (at) => void Bun.spawnSync(["truncate", "-s", "1T", at(".gitignore")])],
    [
      "a FIFO as .gitignore of a linked folder holds no search up",
      (at) => void Bun.spawnSync(["mkfifo", at("linked/.gitignore")]),
    ],
    [
      "a FIFO as info/exclude holds no search up",
      (at) => {
        mkdirSync(at(".git/info"), { recursive: true });
        Bun.spawnSync(["mkfifo", at(".git/info/exclude")]);
      },
    ],
    [
      "a FIFO behind a .git that is a file holds no search up",
      (at) => {
        writeFileSync(at(".git"), "gitdir: elsewhere\n");
        mkdirSync(at("elsewhere"));
        Bun.spawnSync(["mkfifo", at("elsewhere/commondir")]);
      },
    ],
  ] satisfies [string, (at: (name: string) => string) => void][],
  async (_, lay) => {
    const files = {
      "tree/a": "needle\n",
      "tree/sub/b": "needle\n",
      "tree/sub/.gitignore": "c\n",
      "tree/sub/c": "needle\n",
    };
    await using own = await TestServer.start({
      args: ["--sandbox", "off", "--allow-dir", "."],
      files: { ...files, "tree/linked/d": "needle\n" },
    });
    Bun.spawnSync(["mv", own.at("tree/linked"), own.at("linked")]);
    symlinkSync("../linked", own.at("tree/linked"));
    lay((name) => own.at(`tree/${name}`));
    // A search that waited would say after 60 s that it is incomplete.
    for (const args of [{ output_mode: "count" }, { output_mode: "count", head_limit: 5 }]) {
      const said = await own.text("grep", { pattern: "needle", path: "tree", ...args });
      expect(said.split("\n").toSorted()).toEqual(["a:1", "linked/d:1", "sub/b:1"]);
    }
  },
);
