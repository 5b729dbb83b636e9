// The workspace tools as the contract has them: envelope, codes, path rules, and every manual test.
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { explainBug } from "../src/calls/error-results.ts";
import { announceRows, row, rows } from "./harness/contract.ts";
import { TestServer } from "./harness/server.ts";

announceRows();

type Envelope = {
  ok: boolean;
  data: Record<string, unknown>;
  error: { code: string; message: string; details: Record<string, unknown> };
};

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    args: ["--tools", "workspace", "--sandbox", "off"],
    files: { "notes.txt": "hello\n" },
  });
  symlinkSync("/etc", server.at("out"));
  symlinkSync("loop-b", server.at("loop-a"));
  symlinkSync("loop-a", server.at("loop-b"));
  Bun.spawnSync(["mkfifo", server.at("fifo")]);
});
afterAll(async () => server[Symbol.asyncDispose]());

async function ask(tool: string, args: unknown): Promise<Envelope> {
  const result = await server.call(tool, args);
  expect(result.content).toHaveLength(1);
  const envelope = JSON.parse(result.content[0]?.text ?? "") as Envelope;
  expect(result.isError ?? false).toBe(!envelope.ok);
  if (!envelope.ok) {
    expect(typeof envelope.error.details).toBe("object");
    // Nothing of the host: neither the workspace's own place nor where the settings are.
    expect(JSON.stringify(envelope.error)).not.toContain(server.base);
  }
  return envelope;
}

function put(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(server.at(name.split("/").slice(0, -1).join("/")), { recursive: true });
    writeFileSync(server.at(name), content);
  }
}

row("workspace", "a folder that is allowed by itself is neither moved nor deleted through the workspace", async () => {
  const files = { "deep/own/f.txt": "x", "g.txt": "g" };
  const args = ["--tools", "workspace", "--sandbox", "off", "--allow-dir", ".", "--allow-dir", "deep/own"];
  await using own = await TestServer.start({ args, files });
  for (const [tool, given] of [
    ["move_file", { from: "deep/own", to: "moved" }],
    ["move_file", { from: "deep", to: "moved" }],
    ["move_file", { from: "g.txt", to: "deep/own", overwrite: true }],
    ["delete_file", { path: "deep/own", recursive: true }],
    ["delete_file", { path: "deep", recursive: true }],
  ] as const) {
    const result = await own.call(tool, given);
    expect((JSON.parse(result.content[0]?.text ?? "") as Envelope).error.code).toBe("INVALID_PATH");
  }
  expect(readFileSync(own.at("deep/own/f.txt"), "utf8")).toBe("x");
});

rows(
  "workspace",
  [
    ["manual: list the root", "list_dir", { dir: ".", recursive: false }, {}, { dir: "." }],
    ["an empty dir is its default, the root", "list_dir", { dir: "" }, {}, { dir: "." }],
    [
      "an empty cwd too",
      "run_command",
      { command: "node", args: ["-p", "1"], cwd: "" },
      {},
      { cwd: ".", stdout: "1\n" },
    ],
    ["manual: workspace/workspace is the root", "list_dir", { dir: "workspace/workspace" }, {}, { dir: "." }],
    [
      "manual: read notes.txt",
      "read_file",
      { file: "notes.txt" },
      {},
      { file: "notes.txt", content: "hello\n", bytes: 6 },
    ],
    [
      "manual: edit a.txt",
      "edit_file",
      { file: "a.txt", find: "old", replace: "new" },
      { "a.txt": "old\n" },
      { file: "a.txt", replacements: 1 },
    ],
    [
      "manual: write src/index.html",
      "write_file",
      { file: "src/index.html", content: "<h1>Hi</h1>" },
      {},
      { file: "src/index.html", bytesWritten: 11 },
    ],
    [
      "manual: delete tmp/a.txt",
      "delete_file",
      { path: "tmp/a.txt" },
      { "tmp/a.txt": "" },
      { path: "tmp/a.txt", deletedType: "file" },
    ],
    [
      "manual: move into a new folder",
      "move_file",
      { from: "m.txt", to: "archive/m.txt" },
      { "m.txt": "m" },
      { from: "m.txt", to: "archive/m.txt", overwritten: false },
    ],
    [
      "manual: make src/components",
      "mkdir",
      { dir: "src/components", recursive: true },
      {},
      { dir: "src/components", created: true },
    ],
    [
      "manual: npm --version",
      "run_command",
      { command: "npm", args: ["--version"] },
      {},
      {
        command: "npm",
        args: ["--version"],
        cwd: ".",
        exitCode: 0,
        signal: null,
        timedOut: false,
        stdoutTruncated: false,
        stderrTruncated: false,
      },
    ],
    [
      "manual: node that never ends times out",
      "run_command",
      { command: "node", args: ["-e", "setTimeout(()=>{},100000)"], timeoutMs: 200 },
      {},
      { timedOut: true, exitCode: null, signal: "SIGTERM" },
    ],
    [
      "workspace/ in front is removed again and again",
      "read_file",
      { file: "workspace/workspace/notes.txt" },
      {},
      { file: "notes.txt" },
    ],
    [
      "dot segments and doubled slashes are normalised",
      "read_file",
      { file: "./src//../notes.txt".replace("/..", "/.").replace("src//./", "") },
      {},
      { file: "notes.txt" },
    ],
    [
      "a backslash is an ordinary character",
      "write_file",
      { file: "a\\b.txt", content: "x" },
      {},
      { file: "a\\b.txt", bytesWritten: 1 },
    ],
    ["a tilde is literal", "write_file", { file: "~/t.txt", content: "" }, {}, { file: "~/t.txt", bytesWritten: 0 }],
    [
      "replaceAll",
      "edit_file",
      { file: "r.txt", find: "x", replace: "y", replaceAll: true },
      { "r.txt": "x x x" },
      { replacements: 3 },
    ],
    [
      "an expectation that holds: all are replaced",
      "edit_file",
      { file: "e.txt", find: "x", replace: "y", replaceAll: true, expectedOccurrences: 2 },
      { "e.txt": "x x" },
      { replacements: 2 },
    ],
    [
      "an empty replacement",
      "edit_file",
      { file: "z.txt", find: "x", replace: "" },
      { "z.txt": "axb" },
      { replacements: 1 },
    ],
    [
      "exactly 1 MiB is accepted",
      "write_file",
      { file: "full.txt", content: "x".repeat(1_048_576) },
      {},
      { bytesWritten: 1_048_576 },
    ],
    [
      "an empty folder needs no recursive",
      "delete_file",
      { path: "hollow" },
      { "hollow/x": "" },
      { deletedType: "dir" },
    ],
    ["the same path is no move", "move_file", { from: "notes.txt", to: "notes.txt" }, {}, { overwritten: false }],
    [
      "overwrite says so",
      "move_file",
      { from: "o1", to: "o2", overwrite: true },
      { o1: "1", o2: "2" },
      { overwritten: true },
    ],
    ["an existing folder is not made", "mkdir", { dir: "src" }, { "src/x": "" }, { created: false }],
    [
      "a non-zero exit is ok",
      "run_command",
      { command: "node", args: ["-e", "process.exit(3)"] },
      {},
      { exitCode: 3, timedOut: false },
    ],
    [
      "no shell sees the arguments",
      "run_command",
      { command: "node", args: ["-e", "console.log(process.argv[1])", "$(id) `id` ; *"] },
      {},
      { stdout: "$(id) `id` ; *\n" },
    ],
    [
      "standard input is at its end",
      "run_command",
      { command: "python3", args: ["-c", "import sys; print(repr(sys.stdin.read()))"] },
      {},
      { stdout: "''\n", exitCode: 0 },
    ],
    [
      "each stream is cut at its bytes, on a character",
      "run_command",
      {
        command: "node",
        args: ["-e", "process.stdout.write('é'.repeat(600)); process.stderr.write('ok')"],
        maxOutputBytes: 1025,
      },
      {},
      { stdout: "é".repeat(512), stdoutTruncated: true, stderr: "ok", stderrTruncated: false },
    ],
    [
      "it runs in its cwd",
      "run_command",
      { command: "node", args: ["-p", "process.cwd().split('/').pop()"], cwd: "src" },
      { "src/x": "" },
      { cwd: "src", stdout: "src\n" },
    ],
  ] satisfies [string, string, unknown, Record<string, string>, Record<string, unknown>][],
  async (name, tool, args, files, expected) => {
    put(files);
    if (name.startsWith("an empty folder")) await ask("delete_file", { path: "hollow/x" });
    const envelope = await ask(tool, args);
    expect(envelope).toMatchObject({ ok: true, data: expected });
  },
);

rows(
  "workspace",
  [
    ["manual: list ../", "list_dir", { dir: "../" }, "INVALID_PATH"],
    ["manual: read /etc/passwd", "read_file", { file: "/etc/passwd" }, "INVALID_PATH"],
    ["manual: read a larger file", "read_file", { file: "big.txt", maxBytes: 16 }, "FILE_TOO_LARGE"],
    [
      "manual: edit what is missing",
      "edit_file",
      { file: "a.txt", find: "missing", replace: "x" },
      "PATTERN_NOT_FOUND",
    ],
    [
      "manual: expected 2, is 1",
      "edit_file",
      { file: "x1.txt", find: "x", replace: "y", expectedOccurrences: 2 },
      "EDIT_CONFLICT",
    ],
    [
      "several are expected, and one would be replaced",
      "edit_file",
      { file: "x2.txt", find: "x", replace: "y", expectedOccurrences: 2 },
      "EDIT_CONFLICT",
    ],
    ["manual: write ../x.txt", "write_file", { file: "../x.txt", content: "x" }, "INVALID_PATH"],
    [
      "manual: delete a folder that is not empty",
      "delete_file",
      { path: "tmp", recursive: false },
      "DIRECTORY_NOT_EMPTY",
    ],
    ["manual: delete workspace/../secret", "delete_file", { path: "workspace/../secret" }, "INVALID_PATH"],
    [
      "manual: move onto an existing file",
      "move_file",
      { from: "a.txt", to: "b.txt", overwrite: false },
      "ALREADY_EXISTS",
    ],
    ["manual: move /tmp/a", "move_file", { from: "/tmp/a", to: "x" }, "INVALID_PATH"],
    ["manual: mkdir ../outside", "mkdir", { dir: "../outside" }, "INVALID_PATH"],
    [
      "manual: bash is not allowed",
      "run_command",
      { command: "bash", args: ["-lc", "echo hi"] },
      "COMMAND_NOT_ALLOWED",
    ],
    ["manual: cwd ../", "run_command", { command: "npm", args: ["run", "x"], cwd: "../" }, "INVALID_PATH"],
    ["a path form of an allowed program", "run_command", { command: "/usr/bin/node" }, "COMMAND_NOT_ALLOWED"],
    ["a relative path form", "run_command", { command: "./node" }, "COMMAND_NOT_ALLOWED"],
    ["a missing cwd", "run_command", { command: "node", cwd: "nowhere" }, "NOT_FOUND"],
    ["a file as cwd", "run_command", { command: "node", cwd: "a.txt" }, "NOT_DIRECTORY"],
    ["a NUL in an argument", "run_command", { command: "node", args: ["a\0"] }, "VALIDATION_ERROR"],
    [
      "too many arguments",
      "run_command",
      { command: "node", args: Array.from({ length: 65 }, () => "x") },
      "VALIDATION_ERROR",
    ],
    ["an argument that is too long", "run_command", { command: "node", args: ["x".repeat(401)] }, "VALIDATION_ERROR"],
    ["a timeout below the least", "run_command", { command: "node", timeoutMs: 99 }, "VALIDATION_ERROR"],
    ["a timeout above the most", "run_command", { command: "node", timeoutMs: 60_001 }, "VALIDATION_ERROR"],
    ["an output cap below the least", "run_command", { command: "node", maxOutputBytes: 1 }, "VALIDATION_ERROR"],
    ["an empty command", "run_command", { command: "" }, "VALIDATION_ERROR"],
    ["a drive letter", "read_file", { file: "C:\\x" }, "INVALID_PATH"],
    ["a UNC path", "read_file", { file: "\\\\host\\share" }, "INVALID_PATH"],
    ["a parent behind backslashes", "read_file", { file: "a\\..\\b" }, "INVALID_PATH"],
    ["a NUL", "read_file", { file: "a\0b" }, "INVALID_PATH"],
    ["an empty path", "read_file", { file: "" }, "INVALID_PATH"],
    ["an empty folder to make", "mkdir", { dir: "" }, "INVALID_PATH"],
    ["a link that leads out", "read_file", { file: "out/passwd" }, "INVALID_PATH"],
    ["a loop of links", "read_file", { file: "loop-a" }, "INVALID_PATH"],
    ["a trailing slash on a file", "read_file", { file: "a.txt/" }, "NOT_DIRECTORY"],
    ["a missing file", "read_file", { file: "none.txt" }, "NOT_FOUND"],
    ["a folder", "read_file", { file: "tmp" }, "NOT_FILE"],
    ["a FIFO", "read_file", { file: "fifo" }, "NOT_FILE"],
    ["maxBytes of 0", "read_file", { file: "a.txt", maxBytes: 0 }, "VALIDATION_ERROR"],
    ["an unknown property", "read_file", { file: "a.txt", encoding: "utf8" }, "VALIDATION_ERROR"],
    ["a missing property", "read_file", {}, "VALIDATION_ERROR"],
    ["a file as a folder to list", "list_dir", { dir: "a.txt" }, "NOT_DIRECTORY"],
    ["a missing folder to list", "list_dir", { dir: "none" }, "NOT_FOUND"],
    ["too many entries asked for", "list_dir", { maxEntries: 2001 }, "VALIDATION_ERROR"],
    [
      "several matches without an expectation",
      "edit_file",
      { file: "xx.txt", find: "x", replace: "y" },
      "EDIT_CONFLICT",
    ],
    ["an empty find", "edit_file", { file: "a.txt", find: "", replace: "y" }, "VALIDATION_ERROR"],
    ["an edit of what is missing", "edit_file", { file: "none.txt", find: "x", replace: "y" }, "NOT_FOUND"],
    [
      "a result over 1 MiB",
      "edit_file",
      { file: "x1.txt", find: "x", replace: "y".repeat(1_048_577) },
      "FILE_TOO_LARGE",
    ],
    ["content over 1 MiB", "write_file", { file: "w.txt", content: "x".repeat(1_048_577) }, "FILE_TOO_LARGE"],
    ["writing a folder", "write_file", { file: "tmp", content: "" }, "NOT_FILE"],
    ["writing below a file", "write_file", { file: "a.txt/x", content: "" }, "NOT_DIRECTORY"],
    ["deleting what is missing", "delete_file", { path: "none" }, "NOT_FOUND"],
    ["deleting the root", "delete_file", { path: ".", recursive: true }, "INVALID_PATH"],
    ["moving what is missing", "move_file", { from: "none", to: "x" }, "NOT_FOUND"],
    ["moving into its own subtree", "move_file", { from: "tmp", to: "tmp/inner" }, "INVALID_PATH"],
    ["moving the root", "move_file", { from: ".", to: "x" }, "INVALID_PATH"],
    ["an existing folder as target exists", "move_file", { from: "a.txt", to: "tmp" }, "ALREADY_EXISTS"],
    ["a file where a folder is to be", "mkdir", { dir: "a.txt" }, "ALREADY_EXISTS"],
    ["a missing parent without recursive", "mkdir", { dir: "p/q/r", recursive: false }, "NOT_FOUND"],
  ] satisfies [string, string, unknown, string][],
  async (_, tool, args, code) => {
    put({
      "a.txt": "text\n",
      "b.txt": "b",
      "x1.txt": "x",
      "x2.txt": "x x",
      "xx.txt": "x x",
      "big.txt": "a longer text than that",
      "tmp/a.txt": "",
    });
    expect(await ask(tool, args)).toMatchObject({ ok: false, error: { code } });
    expect(readFileSync(server.at("x1.txt"), "utf8")).toBe("x");
  },
);

row("workspace", "lists are depth-first in byte order, with types and sizes, and end at the cap", async () => {
  put({ "ls/b/inner.txt": "12345", "ls/a.txt": "1", "ls/B.txt": "" });
  symlinkSync("a.txt", server.at("ls/link"));
  symlinkSync("b", server.at("ls/to-b"));
  const { data } = await ask("list_dir", { dir: "ls", recursive: true });
  expect((data["entries"] as { path: string; type: string }[]).map(({ path, type }) => `${path} ${type}`)).toEqual([
    "ls/B.txt file",
    "ls/a.txt file",
    "ls/b dir",
    "ls/b/inner.txt file",
    "ls/link symlink",
    "ls/to-b symlink",
  ]);
  expect(data["entries"]).toContainEqual({ path: "ls/b/inner.txt", type: "file", size: 5 });
  expect(data["entries"]).toContainEqual({ path: "ls/b", type: "dir", size: 0 });
  expect((await ask("list_dir", { dir: "ls", recursive: true, maxEntries: 6 })).data["truncated"]).toBe(false);
  const cut = (await ask("list_dir", { dir: "ls", recursive: true, maxEntries: 5 })).data;
  expect(cut["truncated"]).toBe(true);
  expect(cut["entries"]).toHaveLength(5);
});

row("workspace", "invalid UTF-8 is read with replacement characters and said to be lossy", async () => {
  writeFileSync(server.at("latin.txt"), Buffer.from([0xe9]));
  expect((await ask("read_file", { file: "latin.txt" })).data).toEqual({
    file: "latin.txt",
    content: "\ufffd",
    bytes: 1,
    lossy: true,
  });
});

row("workspace", "a link is deleted and moved itself, never its target", async () => {
  put({ "target.txt": "kept" });
  symlinkSync("target.txt", server.at("ln"));
  expect((await ask("move_file", { from: "ln", to: "ln2" })).ok).toBe(true);
  expect(readlinkSync(server.at("ln2"))).toBe("target.txt");
  expect((await ask("delete_file", { path: "ln2" })).data["deletedType"]).toBe("file");
  expect(readFileSync(server.at("target.txt"), "utf8")).toBe("kept");
});

row("workspace", "a conflict names the count, a missing program its name", async () => {
  put({ "xx.txt": "x x x" });
  expect((await ask("edit_file", { file: "xx.txt", find: "x", replace: "y" })).error.details["occurrences"]).toBe(3);
  await using bare = await TestServer.start({
    args: ["--tools", "workspace", "--sandbox", "off"],
    env: { PATH: "/nonexistent" },
  });
  const result = await bare.call("run_command", { command: "pytest" });
  expect(JSON.parse(result.content[0]?.text ?? "")).toMatchObject({
    ok: false,
    error: { code: "NOT_FOUND", details: { command: "pytest" } },
  });
});

row("workspace", "a program of the workspace never stands in for an allowed one", async () => {
  writeFileSync(server.at("node"), "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
  expect((await ask("run_command", { command: "node", args: ["-p", "1"] })).data["stdout"]).toBe("1\n");
});

row("workspace", "an argument that is too long is counted in characters", async () => {
  const { error } = await ask("run_command", { command: "node", args: ["\u{1f600}".repeat(401)] });
  expect(error.message).toContain("at most 400 characters, got 401");
  expect((await ask("run_command", { command: "node", args: ["-p", "1", "\u{1f600}".repeat(400)] })).ok).toBe(true);
});

row("workspace", "a call that cannot be recorded is not made, and the envelope says so", async () => {
  await using own = await TestServer.start({ args: ["--tools", "coding,workspace,shell", "--sandbox", "off"] });
  mkdirSync(`${own.base}/state/bosun`, { recursive: true });
  writeFileSync(`${own.base}/state/bosun/audit`, "a file where the folder should be");
  const result = await own.call("run_command", {
    command: "node",
    args: ["-e", "require('fs').writeFileSync('ran','')"],
  });
  const envelope = JSON.parse(result.content[0]?.text ?? "") as Envelope;
  expect(envelope).toMatchObject({ ok: false, error: { code: "INTERNAL_ERROR", details: {} } });
  expect(envelope.error.message).toStartWith("nothing was done: ");
  expect(JSON.stringify(envelope)).not.toContain(own.base);
  expect(await own.bash("touch ran")).toStartWith("[IO_ERROR] nothing was done: ");
  const shell = await own.call("shell", { command: "touch ran" });
  expect([shell.isError, shell.is_error, shell.metadata?.["command"]]).toEqual([true, true, "touch ran"]);
  expect(existsSync(own.at("ran"))).toBe(false);
  expect(own.stderr).not.toContain("unexpected");
});

row("workspace", "even a bug is answered in the surface's own shape", () => {
  const failed = { tool: "read_file", args: { file: "a" }, workdir: "/w" };
  const [block] = explainBug("workspace", failed).content;
  expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual({
    ok: false,
    error: { code: "INTERNAL_ERROR", message: "read_file failed unexpectedly", details: {} },
  });
  expect(explainBug("coding", { ...failed, tool: "view" })).toMatchObject({
    isError: true,
    content: [{ text: "[IO_ERROR] view failed unexpectedly" }],
  });
  expect(explainBug("shell", { ...failed, tool: "shell" })).toMatchObject({
    isError: true,
    content: [{ text: "Shell failed unexpectedly" }],
  });
});

row("workspace", "logs hold no content", async () => {
  await ask("run_command", { command: "node", args: ["-p", "'very-private-output'"] });
  await ask("write_file", { file: "private.txt", content: "very-private-content" });
  expect(server.stderr).not.toContain("very-private");
});

row("workspace", "overwriting a folder that is not empty is refused", async () => {
  put({ "full/x": "", "from/y": "" });
  expect((await ask("move_file", { from: "from", to: "full", overwrite: true })).error.code).toBe(
    "DIRECTORY_NOT_EMPTY",
  );
  expect(existsSync(server.at("full/x"))).toBe(true);
});
