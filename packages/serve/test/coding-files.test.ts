// view, str_replace, create_file and the combined editor as the contract has them.
import { afterAll, beforeAll, expect } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { announceRows, row, rows } from "./harness/contract.ts";
import { scratch, TestServer } from "./harness/server.ts";

announceRows();

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const LONG = Array.from({ length: 2001 }, (_, i) => `line ${i + 1}\n`).join("");

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    args: ["--sandbox", "off", "--max-file-size", "1MB", "--deny-dir", "**/secret,**/.env"],
    files: {
      "a.txt": "one\ntwo\nthree\n",
      "no-newline.txt": "last",
      "empty.txt": "",
      "crlf.txt": "one\r\ntwo\r\n",
      "bom.txt": "\ufeffmarked\n",
      "utf16.txt": Buffer.from("\ufeffwide\n", "utf16le"),
      "latin1.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]),
      "long.txt": LONG,
      "wide.txt": `${"é".repeat(2001)}\nshort\n${"x".repeat(70_000)}\nafter\n`,
      "picture.dat": PNG,
      "bm.txt": "BM is how this text begins\n",
      "icon.svg": "<svg></svg>\n",
      "empty.svg": "",
      "binary.bin": Buffer.from([1, 2, 0, 4]),
      "large.bin": Buffer.concat([Buffer.from([0]), Buffer.alloc(5119)]),
      "big.txt": "x".repeat(1024 * 1024 + 1),
      "tree/.dotfile": "",
      "tree/b/inner.txt": "",
      "tree/b/deep/hidden.txt": "",
      "tree/a.txt": "",
      "tree/node_modules/x.js": "",
      "tree/.git/config": "",
      "tree/secret/key": "k",
      "secret/key": "k",
      ".env": "TOKEN=1\n",
    },
  });
  symlinkSync("a.txt", server.at("tree/link"));
  Bun.spawnSync(["mkfifo", server.at("fifo")]);
});
afterAll(async () => server[Symbol.asyncDispose]());

rows(
  "coding",
  [
    ["lines have right-aligned numbers and a tab", { path: "a.txt" }, "1\tone\n2\ttwo\n3\tthree\n"],
    ["a lone last line is shown with a newline", { path: "no-newline.txt" }, "1\tlast\n"],
    ["an empty file is empty text", { path: "empty.txt" }, ""],
    ["a CR before the newline is hidden", { path: "crlf.txt" }, "1\tone\n2\ttwo\n"],
    ["a range hides it the same way", { path: "crlf.txt", view_range: [2, 2] }, "2\ttwo\n"],
    ["a byte-order mark is not shown", { path: "bom.txt" }, "1\tmarked\n"],
    ["UTF-16 with a mark is text", { path: "utf16.txt" }, "1\twide\n"],
    ["invalid UTF-8 shows as U+FFFD", { path: "latin1.txt" }, "1\tcaf\ufffd\n"],
    ["a range is inclusive", { path: "a.txt", view_range: [2, 3] }, "2\ttwo\n3\tthree\n"],
    ["an end past the end is clamped", { path: "a.txt", view_range: [3, 99] }, "3\tthree\n"],
    [
      "numbers are as wide as the last one",
      { path: "long.txt", view_range: [999, 1000] },
      " 999\tline 999\n1000\tline 1000\n",
    ],
    ["a line after one of 70000 characters exists", { path: "wide.txt", view_range: [4, 4] }, "4\tafter\n"],
    ["a binary file is named with its size", { path: "binary.bin" }, "Binary file (4 bytes)"],
    ["larger ones in units", { path: "large.bin" }, "Binary file (5.0 KB)"],
    ["a text that begins with BM is text", { path: "bm.txt" }, "1\tBM is how this text begins\n"],
    ["an empty svg is empty text, not an empty image", { path: "empty.svg" }, ""],
    [
      "a directory is a tree of two levels",
      { path: "tree" },
      "tree/\n├── .dotfile\n├── a.txt\n├── b/\n│   ├── deep/\n│   └── inner.txt\n└── link -> a.txt\n",
    ],
  ] satisfies [string, unknown, string][],
  async (_, args, expected) => {
    const result = await server.call("view", args);
    expect(result.isError).toBeUndefined();
    expect(result.content[0]?.text).toBe(expected);
  },
);

row("coding", "more than 2000 lines: the first 2000 and the notice", async () => {
  const said = await server.text("view", { path: "long.txt" });
  expect(
    said.endsWith("2000\tline 2000\n\n[Truncated: file has 2001 lines. Use view_range to read specific sections.]"),
  ).toBe(true);
  const range = await server.text("view", { path: "long.txt", view_range: [1, 2001] });
  expect(range.endsWith("2001\tline 2001\n")).toBe(true);
});

row("coding", "a line over 2000 characters is cut by code points", async () => {
  const said = await server.text("view", { path: "wide.txt", view_range: [1, 2] });
  expect(said).toBe(`1\t${"é".repeat(2000)}... [truncated, 2001 chars total]\n2\tshort\n`);
});

row("coding", "an image is an image block, by content and not by name", async () => {
  const result = await server.call("view", { path: "picture.dat" });
  expect(result.content).toEqual([{ type: "image", data: PNG.toString("base64"), mimeType: "image/png" }]);
});

row("coding", "an svg is an image and its source", async () => {
  const result = await server.call("view", { path: "icon.svg" });
  expect(result.content.map(({ type }) => type)).toEqual(["image", "text"]);
  expect(result.content[0]?.mimeType).toBe("image/svg+xml");
  expect(result.content[1]?.text).toBe("1\t<svg></svg>\n");
});

rows(
  "coding",
  [
    [
      "a start below 1",
      { path: "a.txt", view_range: [0, 2] },
      () => "[INVALID_INPUT] invalid view_range: start must be >= 1, got 0",
    ],
    [
      "a start past the end of the range",
      { path: "a.txt", view_range: [3, 2] },
      () => "[INVALID_INPUT] invalid view_range: start 3 > end 2",
    ],
    [
      "a start past the end of the file",
      { path: "a.txt", view_range: [9, 9] },
      () => `[INVALID_INPUT] invalid view_range: start 9 exceeds total lines 3 in ${server.at("a.txt")}`,
    ],
    [
      "any range of an empty file",
      { path: "empty.txt", view_range: [1, 1] },
      () => `[INVALID_INPUT] invalid view_range: start 1 exceeds total lines 0 in ${server.at("empty.txt")}`,
    ],
    [
      "a range that is not two numbers",
      { path: "a.txt", view_range: [1] },
      () => "[INVALID_INPUT] invalid view_range: expected [start, end], got 1 items",
    ],
    ["a missing file", { path: "missing.txt" }, () => `[PATH_NOT_FOUND] ${server.at("missing.txt")} does not exist`],
    [
      "a missing folder on the way back to a file that is there",
      { path: "nowhere/../a.txt" },
      () => `[PATH_NOT_FOUND] ${server.at("nowhere")} does not exist`,
    ],
    ["a denied one on the way tells nothing", { path: "tree/secret/../a.txt" }, () => /^\[ACCESS_DENIED\] /],
    ["whether it is there or not", { path: "tree/b/secret/../inner.txt" }, () => /^\[ACCESS_DENIED\] /],
    ["a file as a directory", { path: "a.txt/x" }, () => /^\[PATH_NOT_FOUND\] /],
    [
      "outside the scope",
      { path: "/etc/passwd" },
      () => '[ACCESS_DENIED] path not allowed: access denied: path "/etc/passwd" is outside allowed directories',
    ],
    [
      "a denied path",
      { path: ".env" },
      () =>
        `[ACCESS_DENIED] path not allowed: access denied: path "${server.at(".env")}" matches deny pattern "**/.env"`,
    ],
    [
      "below a denied directory",
      { path: "secret/key" },
      () => /^\[ACCESS_DENIED\] path not allowed: access denied: path ".*" matches deny pattern "\*\*\/secret"$/,
    ],
    ["a denied path that does not exist tells nothing", { path: "secret/none" }, () => /^\[ACCESS_DENIED\] /],
    [
      "a file over the limit",
      { path: "big.txt" },
      () => `[FILE_TOO_LARGE] file ${server.at("big.txt")} is 1048577 bytes, exceeds maximum 1048576 bytes`,
    ],
    ["a FIFO", { path: "fifo" }, () => `[INVALID_INPUT] ${server.at("fifo")} is not a regular file`],
    ["a NUL in the path", { path: "a\0b" }, () => /^\[INVALID_INPUT\] /],
    ["a missing path argument", {}, () => /^\[INVALID_INPUT\] path is required/],
  ] satisfies [string, unknown, () => string | RegExp][],
  async (_, args, expected) => {
    const result = await server.call("view", args);
    expect(result.isError).toBe(true);
    const wanted = expected();
    if (typeof wanted === "string") expect(result.content[0]?.text).toBe(wanted);
    else expect(result.content[0]?.text).toMatch(wanted);
  },
);

row("coding", "denied entries are not in listings", async () => {
  expect(await server.text("view", { path: "." })).not.toMatch(/secret|\.env/);
});

type Edit = {
  before: string | Buffer;
  args: Record<string, unknown>;
  after?: string | Buffer;
  said: (file: string) => string | RegExp;
};

rows(
  "coding",
  [
    [
      "one match, with a snippet",
      {
        before: "a\nb\nc\n",
        args: { old_str: "b", new_str: "B" },
        after: "a\nB\nc\n",
        said: (f) => `Replaced in ${f}\n\n1\ta\n2\tB\n3\tc\n`,
      },
    ],
    [
      "four lines either side",
      {
        before: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
        args: { old_str: "6", new_str: "six" },
        after: "1\n2\n3\n4\n5\nsix\n7\n8\n9\n10\n11\n",
        said: (f) => `Replaced in ${f}\n\n 2\t2\n 3\t3\n 4\t4\n 5\t5\n 6\tsix\n 7\t7\n 8\t8\n 9\t9\n10\t10\n`,
      },
    ],
    [
      "new_str left out deletes",
      { before: "a\nb\n", args: { old_str: "b\n" }, after: "a\n", said: /^Replaced in / as unknown as () => RegExp },
    ],
    [
      "a deletion that empties the file shows an empty snippet",
      { before: "all", args: { old_str: "all", new_str: "" }, after: "", said: (f) => `Replaced in ${f}\n\n` },
    ],
    [
      "replace_all counts, without a snippet",
      {
        before: "x x x",
        args: { old_str: "x", new_str: "y", replace_all: true },
        after: "y y y",
        said: (f) => `Replaced 3 occurrences in ${f}`,
      },
    ],
    [
      "replace_all with one match counts too",
      {
        before: "x",
        args: { old_str: "x", new_str: "y", replace_all: true },
        after: "y",
        said: (f) => `Replaced 1 occurrences in ${f}`,
      },
    ],
    [
      "no match",
      { before: "abc", args: { old_str: "zzz" }, said: (f) => `[STR_REPLACE_NOT_FOUND] old_str not found in ${f}` },
    ],
    [
      "no match is an error with replace_all too",
      {
        before: "abc",
        args: { old_str: "zzz", replace_all: true },
        said: /^\[STR_REPLACE_NOT_FOUND\]/ as unknown as () => RegExp,
      },
    ],
    [
      "a near miss is named, never applied",
      {
        before: "  indented line\n",
        args: { old_str: "\tindented line\n" },
        said: /^\[STR_REPLACE_NOT_FOUND\] old_str not found in .*\n\n.+/s as unknown as () => RegExp,
      },
    ],
    [
      "blanks that are missing are a near miss",
      {
        before: "f(a, b)\n",
        args: { old_str: "f(a,b)" },
        said: (f) =>
          `[STR_REPLACE_NOT_FOUND] old_str not found in ${f}\n\nThe text at line 1 differs only in whitespace.`,
      },
    ],
    [
      "a slip in a word is a near miss",
      {
        before: "let one = 1;\nconst value = compute(total);\n",
        args: { old_str: "const values = compute(total);" },
        said: (f) =>
          `[STR_REPLACE_NOT_FOUND] old_str not found in ${f}\n\nLine 2 is most like it: the file has "const value = compute(total);" where it has "const values = compute(total);".`,
      },
    ],
    [
      "a slip in the first of several lines is a near miss",
      {
        before: "x = 0\ndef f():\n    return compute(total)\n\ny = 1\n",
        args: { old_str: "def g():\n    return compute(total)\n" },
        said: (f) =>
          `[STR_REPLACE_NOT_FOUND] old_str not found in ${f}\n\nIt is like what begins at line 2, but at line 2 the file has "def f():" where it has "def g():".`,
      },
    ],
    [
      "several matches",
      {
        before: "x x",
        args: { old_str: "x" },
        said: (f) =>
          `[STR_REPLACE_AMBIGUOUS] found 2 occurrences in ${f}; match must be unique (use replace_all to replace all)`,
      },
    ],
    [
      "overlapping matches are not unique",
      {
        before: "aaa",
        args: { old_str: "aa" },
        said: /^\[STR_REPLACE_AMBIGUOUS\] found 2 occurrences/ as unknown as () => RegExp,
      },
    ],
    [
      "an empty old_str",
      { before: "abc", args: { old_str: "" }, said: () => "[INVALID_INPUT] old_str must not be empty" },
    ],
    [
      "dollar signs are text",
      {
        before: "price",
        args: { old_str: "price", new_str: "$& $1 $$ $`" },
        after: "$& $1 $$ $`",
        said: /^Replaced in / as unknown as () => RegExp,
      },
    ],
    [
      "legacy bytes elsewhere are untouched",
      {
        before: Buffer.from([0x63, 0xe9, 0x0a, 0x78, 0x0a]),
        args: { old_str: "x", new_str: "y" },
        after: Buffer.from([0x63, 0xe9, 0x0a, 0x79, 0x0a]),
        said: /^Replaced in / as unknown as () => RegExp,
      },
    ],
    [
      "CRLF files match bare newlines and keep their endings",
      {
        before: "a\r\nb\r\nc\r\n",
        args: { old_str: "a\nb", new_str: "x\ny" },
        after: "x\r\ny\r\nc\r\n",
        said: /^Replaced in / as unknown as () => RegExp,
      },
    ],
    [
      "a byte-order mark is kept",
      {
        before: "\ufeffa\n",
        args: { old_str: "a", new_str: "b" },
        after: "\ufeffb\n",
        said: /^Replaced in / as unknown as () => RegExp,
      },
    ],
    [
      "a binary file is not edited",
      {
        before: Buffer.from([0, 0x61]),
        args: { old_str: "a", new_str: "b" },
        said: /^\[INVALID_INPUT\] .* is a binary file/ as unknown as () => RegExp,
      },
    ],
    [
      "a result over the limit is refused",
      {
        before: "x",
        args: { old_str: "x", new_str: "y".repeat(1024 * 1024 + 1) },
        said: /^\[FILE_TOO_LARGE\]/ as unknown as () => RegExp,
      },
    ],
  ] as [string, Edit][],
  async (_, { before, args, after, said }) => {
    const file = server.at("edit.txt");
    writeFileSync(file, before);
    const text = await server.text("str_replace", { path: "edit.txt", ...args });
    const wanted = said instanceof RegExp ? said : said(file);
    if (typeof wanted === "string") expect(text).toBe(wanted);
    else expect(text).toMatch(wanted);
    expect(readFileSync(file)).toEqual(Buffer.from(after ?? before));
  },
);

rows(
  "coding",
  [
    ["a directory", { path: "tree", old_str: "x" }, () => `[INVALID_INPUT] ${server.at("tree")} is a directory`],
    [
      "a missing file",
      { path: "missing", old_str: "x" },
      () => `[PATH_NOT_FOUND] ${server.at("missing")} does not exist`,
    ],
    [
      "an empty old_str before the scope",
      { path: "/etc/passwd", old_str: "" },
      () => "[INVALID_INPUT] old_str must not be empty",
    ],
    ["a path outside", { path: "/etc/passwd", old_str: "root" }, () => /^\[ACCESS_DENIED\]/],
  ] satisfies [string, unknown, () => string | RegExp][],
  async (_, args, expected) => {
    const said = await server.text("str_replace", args);
    const wanted = expected();
    if (typeof wanted === "string") expect(said).toBe(wanted);
    else expect(said).toMatch(wanted);
  },
);

row("coding", "an edit keeps the mode, and a file with several names stays one", async () => {
  writeFileSync(server.at("mode.sh"), "echo a\n");
  chmodSync(server.at("mode.sh"), 0o755);
  linkSync(server.at("mode.sh"), server.at("other.sh"));
  await server.call("str_replace", { path: "mode.sh", old_str: "a", new_str: "b" });
  expect(statSync(server.at("mode.sh")).mode & 0o777).toBe(0o755);
  expect(readFileSync(server.at("other.sh"), "utf8")).toBe("echo b\n");
});

row("coding", "edits at once do not lose each other", async () => {
  writeFileSync(server.at("race.txt"), Array.from({ length: 20 }, (_, i) => `<${i}>\n`).join(""));
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      server.call("str_replace", { path: "race.txt", old_str: `<${i}>`, new_str: `[${i}]` }),
    ),
  );
  expect(readFileSync(server.at("race.txt"), "utf8")).toBe(Array.from({ length: 20 }, (_, i) => `[${i}]\n`).join(""));
});

rows(
  "coding",
  [
    [
      "a new file, parents made",
      { path: "new/dir/f.txt", content: "héllo" },
      () => `Created ${server.at("new/dir/f.txt")} (6 bytes)`,
    ],
    [
      "overwriting says the same",
      { path: "new/dir/f.txt", content: "x" },
      () => `Created ${server.at("new/dir/f.txt")} (1 bytes)`,
    ],
    [
      "content over the limit, before the path is looked at",
      { path: "/etc/x", content: "x".repeat(1024 * 1024 + 1) },
      () => "[FILE_TOO_LARGE] content is 1048577 bytes, exceeds maximum 1048576 bytes",
    ],
    ["a directory", { path: "tree", content: "" }, () => `[INVALID_INPUT] ${server.at("tree")} is a directory`],
    ["an unpaired surrogate", { path: "s.txt", content: "\ud800" }, () => /^\[INVALID_INPUT\] .*surrogate/],
    ["outside", { path: "../evil.txt", content: "" }, () => /^\[ACCESS_DENIED\]/],
    ["a denied name", { path: "deep/.env", content: "" }, () => /^\[ACCESS_DENIED\]/],
    ["a file as parent", { path: "a.txt/x", content: "" }, () => /^\[PATH_NOT_FOUND\]/],
  ] satisfies [string, unknown, () => string | RegExp][],
  async (_, args, expected) => {
    const said = await server.text("create_file", args);
    const wanted = expected();
    if (typeof wanted === "string") expect(said).toBe(wanted);
    else expect(said).toMatch(wanted);
  },
);

row("coding", "new files are 0644, made folders 0755, an existing mode stays", async () => {
  await server.call("create_file", { path: "modes/f.txt", content: "" });
  const mask = ~process.umask();
  expect(statSync(server.at("modes/f.txt")).mode & 0o777).toBe(0o644 & mask);
  expect(statSync(server.at("modes")).mode & 0o777).toBe(0o755 & mask);
  chmodSync(server.at("modes/f.txt"), 0o600);
  await server.call("create_file", { path: "modes/f.txt", content: "again" });
  expect(statSync(server.at("modes/f.txt")).mode & 0o777).toBe(0o600);
});

row("coding", "a dangling link never creates its target outside", async () => {
  const target = `${server.base}/created-outside`;
  symlinkSync(target, server.at("dangling"));
  expect(await server.text("create_file", { path: "dangling", content: "x" })).toMatch(/^\[ACCESS_DENIED\]/);
  expect(existsSync(target)).toBe(false);
});

row("coding", "view before edit: off on the plain surface, on when asked for", async () => {
  await using strict = await TestServer.start({
    args: ["--sandbox", "off", "--require-view-before-edit", "true"],
    files: { "f.txt": "a\n" },
  });
  const file = strict.at("f.txt");
  expect(await strict.text("str_replace", { path: "f.txt", old_str: "a", new_str: "b" })).toBe(
    `[FILE_NOT_VIEWED] file ${file} must be viewed before editing. Use the view tool first.`,
  );
  expect(await strict.text("create_file", { path: "f.txt", content: "b" })).toBe(
    `[FILE_NOT_VIEWED] file ${file} must be viewed before overwriting. Use the view tool first.`,
  );
  await strict.call("view", { path: "." });
  expect(await strict.text("str_replace", { path: "f.txt", old_str: "a" })).toMatch(/^\[FILE_NOT_VIEWED\]/);
  await strict.call("view", { path: "f.txt" });
  writeFileSync(file, "once a\n");
  expect(await strict.text("str_replace", { path: "f.txt", old_str: "a" })).toMatch(
    /^\[FILE_NOT_VIEWED\] .*changed on disk/,
  );
  await strict.call("view", { path: "f.txt" });
  expect(await strict.text("str_replace", { path: "f.txt", old_str: "a", new_str: "b" })).toMatch(/^Replaced in/);
  expect(await strict.text("str_replace", { path: "f.txt", old_str: "b", new_str: "c" })).toMatch(/^Replaced in/);
  expect(await strict.text("create_file", { path: "own.txt", content: "x" })).toMatch(/^Created/);
  expect(await strict.text("str_replace", { path: "own.txt", old_str: "x", new_str: "y" })).toMatch(/^Replaced in/);
});

row("coding", "the combined editor: same functions, same texts, its own schema", async () => {
  const { root } = scratch({ "f.txt": "one\ntwo\n" });
  await using editor = await TestServer.start({ root, args: ["--sandbox", "off", "--anthropic-compat"] });
  expect(await editor.toolNames()).toEqual(["bash", "task_output", "str_replace_editor", "grep", "glob"]);
  const edit = (args: Record<string, unknown>): Promise<string> => editor.text("str_replace_editor", args);
  expect(await edit({ command: "str_replace", path: "f.txt", old_str: "one" })).toMatch(/^\[FILE_NOT_VIEWED\]/);
  expect(await edit({ command: "view", path: "f.txt" })).toBe("1\tone\n2\ttwo\n");
  expect(await edit({ command: "view", path: "f.txt", view_range: [2, -1] })).toBe("2\ttwo\n");
  expect(await edit({ command: "str_replace", path: "f.txt", old_str: "one", new_str: "1" })).toBe(
    `Replaced in ${editor.at("f.txt")}\n\n1\t1\n2\ttwo\n`,
  );
  expect(await edit({ command: "create", path: "new.txt", file_text: "hi" })).toBe(
    `Created ${editor.at("new.txt")} (2 bytes)`,
  );
  expect(await edit({ command: "create", path: "none.txt" })).toBe(`Created ${editor.at("none.txt")} (0 bytes)`);
  expect(await edit({ command: "undo_edit", path: "f.txt" })).toBe(
    "[INVALID_INPUT] unknown command: undo_edit (valid commands: view, str_replace, create)",
  );
  expect(await edit({ command: "insert", path: "f.txt", insert_line: 1, new_str: "x" })).toBe(
    "[INVALID_INPUT] unknown command: insert (valid commands: view, str_replace, create)",
  );
  expect(
    await editor.text("grep", { pattern: "TWO", "-i": true, output_mode: "content", "-n": false, glob: "*.txt" }),
  ).toBe("f.txt:two");
  expect(await editor.text("grep", { pattern: "two", output_mode: "content", "-C": 0, context: 1 })).toBe(
    "f.txt-1-1\nf.txt:2:two",
  );
  expect(await editor.text("glob", { pattern: "*.txt", type: "file" })).toMatch(/^\[INVALID_INPUT\]/);
});

row("coding", "an unknown tool is a JSON-RPC error", async () => {
  expect((await server.request("tools/call", { name: "view_file", arguments: {} })).error?.code).toBe(-32602);
});

row("coding", "a range of a file with hundreds of thousands of lines streams", async () => {
  mkdirSync(server.at("huge"), { recursive: true });
  await using big = await TestServer.start({ args: ["--sandbox", "off", "--max-file-size", "1GB"] });
  writeFileSync(big.at("huge.txt"), "0123456789012345678\n".repeat(1_000_000));
  expect(await big.text("view", { path: "huge.txt", view_range: [900_000, 900_001] })).toBe(
    "900000\t0123456789012345678\n900001\t0123456789012345678\n",
  );
});
