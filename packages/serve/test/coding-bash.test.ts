// bash as the contract has it, through a real server, with and without the sandbox.
import { afterAll, beforeAll, expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { eventually, processesWith, TestServer } from "./harness/server.ts";

announceRows();

let plain: TestServer;
let boxed: TestServer;
beforeAll(async () => {
  [plain, boxed] = await Promise.all([
    TestServer.start({ args: ["--sandbox", "off"], files: { "a.txt": "hello\n" } }),
    TestServer.start({ files: { "a.txt": "hello\n" } }),
  ]);
});
afterAll(async () => {
  await Promise.all([plain[Symbol.asyncDispose](), boxed[Symbol.asyncDispose]()]);
});

rows(
  "coding",
  [
    ["success is the exit code and the streams that are not empty", "echo out", "exit_code: 0\n\nstdout:\nout\n"],
    ["stderr comes before stdout", "echo out; echo err >&2", "exit_code: 0\n\nstderr:\nerr\n\nstdout:\nout\n"],
    ["a silent command has no headings", "true", "exit_code: 0\n"],
    ["an exit code is data", "exit 3", "exit_code: 3\n"],
    ["a failing command without exit is reported truthfully", "false", "exit_code: 1\n"],
    ["the last command of a list decides", "true; (exit 7)", "exit_code: 7\n"],
    ["a here-document may end the text", "cat <<EOF\nhi\nEOF", "exit_code: 0\n\nstdout:\nhi\n"],
    ["a trailing newline is nothing", "echo x\n", "exit_code: 0\n\nstdout:\nx\n"],
    ["a trailing ampersand starts a job", "true &", "exit_code: 0\n"],
    ["a trailing comment is a comment", "echo x # done", "exit_code: 0\n\nstdout:\nx\n"],
    ["output without a final newline stays so", "printf a", "exit_code: 0\n\nstdout:\na"],
    ["blank lines and CR are kept", "printf 'a\\r\\n\\n\\n'", "exit_code: 0\n\nstdout:\na\r\n\n\n"],
    ["standard input is at its end", "cat; echo done", "exit_code: 0\n\nstdout:\ndone\n"],
    ["there is no terminal", "test -t 1 || echo none", "exit_code: 0\n\nstdout:\nnone\n"],
    ["the marker without the nonce passes through", "echo __BORIS_CWD_", "exit_code: 0\n\nstdout:\n__BORIS_CWD_\n"],
    ["a killed shell is -1 in the text", "kill -KILL $$", "exit_code: -1\n"],
    ["invalid UTF-8 becomes U+FFFD", "printf '\\377x'", "exit_code: 0\n\nstdout:\n\ufffdx"],
    ["a NUL becomes U+FFFD", "printf 'a\\000b'", "exit_code: 0\n\nstdout:\na\ufffdb"],
    ["/dev/stdout is there", "echo x > /dev/stdout", "exit_code: 0\n\nstdout:\nx\n"],
    ["set -v shows the command's own lines and none of ours", "set -v\ntrue", "exit_code: 0\n\nstderr:\ntrue\n"],
    ["variables do not survive", "echo [$LEFT_BEHIND]; LEFT_BEHIND=1", "exit_code: 0\n\nstdout:\n[]\n"],
    ["set -e ends the command with its status", "set -e; false; echo never", "exit_code: 1\n"],
    ["a syntax error is the shell's own", "if", /^exit_code: 2\n\nstderr:\n.*syntax error/s],
  ] satisfies [string, string, string | RegExp][],
  async (_, command, expected) => {
    for (const server of [plain, boxed]) {
      const result = await server.call("bash", { command });
      expect(result.isError).toBeUndefined();
      const said = result.content[0]?.text ?? "";
      if (typeof expected === "string") expect(said).toBe(expected);
      else expect(said).toMatch(expected);
    }
  },
);

rows(
  "coding",
  [
    ["a blank command is refused", { command: "  \n" }, "[BASH_EMPTY_COMMAND] command must not be empty"],
    [
      "a NUL in the command is refused",
      { command: "echo a\0b" },
      /^\[BASH_START_FAILED\] could not start command: .*NUL/,
    ],
    ["a missing command is invalid input", {}, /^\[INVALID_INPUT\] command is required/],
    ["a command of the wrong type is invalid input", { command: 3 }, /^\[INVALID_INPUT\] command must be a string/],
    [
      "an unknown property is invalid input",
      { command: "true", shell: "zsh" },
      /^\[INVALID_INPUT\] arguments has an unknown property "shell"; known: command, timeout, /,
    ],
    ["a fraction is no timeout", { command: "true", timeout: 1.5 }, /^\[INVALID_INPUT\] timeout must be an integer/],
  ] satisfies [string, unknown, string | RegExp][],
  async (_, args, expected) => {
    const result = await plain.call("bash", args);
    expect(result.isError).toBe(true);
    expect(result.content).toHaveLength(1);
    if (typeof expected === "string") expect(result.content[0]?.text).toBe(expected);
    else expect(result.content[0]?.text).toMatch(expected);
  },
);

row("coding", "cd persists, in both, and relative paths of file tools follow it", async () => {
  for (const server of [plain, boxed]) {
    mkdirSync(server.at("sub/deep"), { recursive: true });
    await server.bash("cd sub/deep && echo x > here.txt");
    expect(await server.bash("pwd")).toBe(`exit_code: 0\n\nstdout:\n${server.at("sub/deep")}\n`);
    expect(await server.text("view", { path: "here.txt" })).toBe("1\tx\n");
    await server.bash(`cd '${server.root}'; exit 4`);
    expect(await server.bash("pwd")).toBe(`exit_code: 0\n\nstdout:\n${server.root}\n`);
  }
});

rows(
  "coding",
  [
    ["exec leaves the directory unchanged", "cd sub && exec true"],
    ["a function called pwd does not fool it", "pwd() { echo /tmp; }; true"],
    ["a command in a subshell does not move it", "(cd sub)"],
  ] satisfies [string, string][],
  async (_, command) => {
    mkdirSync(plain.at("sub"), { recursive: true });
    await plain.bash(command);
    expect(await plain.bash("pwd")).toBe(`exit_code: 0\n\nstdout:\n${plain.root}\n`);
  },
);

row("coding", "a directory with a newline and blanks in its name is tracked", async () => {
  const odd = plain.at("odd \n name ");
  mkdirSync(odd, { recursive: true });
  await plain.bash(`cd $'odd \\n name '`);
  expect(await plain.bash("pwd")).toBe(`exit_code: 0\n\nstdout:\n${odd}\n`);
  await plain.bash(`cd '${plain.root}'`);
});

row(
  "coding",
  "a directory that is gone is reported, nothing runs, and the session returns to the workdir",
  async () => {
    mkdirSync(plain.at("gone"), { recursive: true });
    await plain.bash("cd gone");
    rmdirSync(plain.at("gone"));
    const said = await plain.bash("touch ran; echo; touch ran-too");
    expect(said).toBe(
      `[BASH_START_FAILED] working directory ${plain.at("gone")} no longer exists; reset to ${plain.root}`,
    );
    expect(existsSync(plain.at("ran")) || existsSync(plain.at("ran-too"))).toBe(false);
    expect(await plain.bash("pwd")).toBe(`exit_code: 0\n\nstdout:\n${plain.root}\n`);
  },
);

row("coding", "a command that deletes its own directory ends normally", async () => {
  mkdirSync(plain.at("own"), { recursive: true });
  await plain.bash("cd own");
  expect(await plain.bash("rmdir ../own")).toBe("exit_code: 0\n");
  expect(await plain.bash("true")).toMatch(/^\[BASH_START_FAILED\] working directory .* no longer exists; reset to /);
});

rows(
  "coding",
  [
    ["a command that enters a directory and deletes it", "mkdir brief; cd brief; rmdir ../brief", 0],
    ["also when it exits by itself", "mkdir brief; cd brief; rmdir ../brief; exit 4", 4],
    ["and when every step is traced", "trap 'echo x >/dev/null' DEBUG; mkdir brief; cd brief; rmdir ../brief", 0],
  ] satisfies [string, string, number][],
  async (_, command, exitCode) => {
    for (const server of [plain, boxed]) {
      expect(await server.bash(command)).toBe(`exit_code: ${exitCode}\n`);
      expect(await server.bash("touch elsewhere")).toBe(
        `[BASH_START_FAILED] working directory ${server.at("brief")} no longer exists; reset to ${server.root}`,
      );
      expect(existsSync(server.at("elsewhere"))).toBe(false);
    }
  },
);

row("coding", "each stream is cut at 30000 characters with the notice, independently", async () => {
  const head = "x".repeat(30_000);
  const said = await plain.bash("head -c 30001 /dev/zero | tr '\\0' x; echo err >&2");
  expect(said).toStartWith(
    `exit_code: 0\n\nstderr:\nerr\n\nstdout:\n${head}\n\n[Truncated: output was 30001 characters, showing first 30000]\nFull stdout: `,
  );
  expect(await plain.bash("head -c 30000 /dev/zero | tr '\\0' x")).toBe(`exit_code: 0\n\nstdout:\n${head}`);
});

row("coding", "characters are code points: none is split, multi-byte ones count once", async () => {
  const said = await plain.bash("for i in $(seq 30001); do printf '\\U1F600'; done");
  expect(said).toContain("\n\n[Truncated: output was 30001 characters, showing first 30000]\nFull stdout: ");
  expect(said).not.toContain("\ufffd");
  expect(Array.from(said.split("stdout:\n")[1]?.split("\n\n[")[0] ?? "")).toHaveLength(30_000);
});

row("coding", "a single line of many megabytes is output like any other", async () => {
  const said = await plain.bash("head -c 5000000 /dev/zero | tr '\\0' y");
  expect(said).toContain("[Truncated: output was 5000000 characters, showing first 30000]\n");
});

row("coding", "output that was cut stays readable through its handle", async () => {
  const result = await plain.call("bash", { command: "seq 1 20000" });
  expect(result.content).toHaveLength(1);
  const hint = result.content[0]?.text ?? "";
  const handle = /task_id "([0-9a-f]+)"/.exec(hint)?.[1] ?? "";
  expect(handle).not.toBe("");
  const rest = await plain.text("task_output", { task_id: handle, offset: 100_000 });
  expect(rest).toMatch(/^status: completed\nend: true\n\noutput:\n/);
  expect(rest.endsWith("19999\n20000\n")).toBe(true);
  // The end is what was cut away, and what a failed build says last.
  expect(await plain.text("task_output", { task_id: handle, tail: 12 })).toBe(
    "status: completed\nend: true\n\noutput:\n19999\n20000\n",
  );
});

row("coding", "facts that cost the model nothing are in _meta", async () => {
  const result = await plain.call("bash", { command: "echo hi; kill -TERM $$" });
  expect(result._meta?.["bosun/run"]).toMatchObject({ signal: "SIGTERM", stdout: { bytes: 3, chars: 3, cut: false } });
});

row("coding", "a timeout says so first, keeps what was printed, and is no error", async () => {
  for (const server of [plain, boxed]) {
    const result = await server.call("bash", { command: "echo before; sleep 60", timeout: 700 });
    expect(result.isError).toBeUndefined();
    expect(result.content[0]?.text).toBe("Command timed out after 700ms\n\nexit_code: -1\n\nstdout:\nbefore\n");
  }
});

row("coding", "what a trap prints in the grace is kept, with its exit code", async () => {
  const said = await plain.bash("trap 'echo bye; exit 0' TERM; while :; do :; done", { timeout: 600 });
  expect(said).toBe("Command timed out after 600ms\n\nexit_code: 0\n\nstdout:\nbye\n");
});

row("coding", "timeouts of 0 and less mean the default, and more than the most is clamped", async () => {
  expect(await plain.bash("sleep 0.2; echo ok", { timeout: 0 })).toBe("exit_code: 0\n\nstdout:\nok\n");
  expect(await plain.bash("echo ok", { timeout: -5 })).toBe("exit_code: 0\n\nstdout:\nok\n");
  expect(await plain.bash("echo ok", { timeout: 99_999_999_999 })).toBe("exit_code: 0\n\nstdout:\nok\n");
});

row("coding", "a daemon that holds the pipe does not hold up the answer", async () => {
  const mark = `601.${process.pid}2`;
  const said = await plain.bash(`setsid sleep ${mark} & echo started`);
  expect(said).toBe("exit_code: 0\n\nstdout:\nstarted\n");
});

row("coding", "a cancelled call is not answered, and its tree dies; id 0 counts", async () => {
  await using server = await TestServer.start({ args: ["--sandbox", "off"], initialize: false });
  const mark = `602.${process.pid}3`;
  await server.request(
    "initialize",
    { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    "init",
  );
  server.notify("notifications/initialized", {});
  let answered = false;
  void server
    .request("tools/call", { name: "bash", arguments: { command: `sleep ${mark}` } }, 0)
    .then(() => (answered = true));
  await eventually("it runs", () => processesWith(`sleep ${mark}`).length > 0);
  server.notify("notifications/cancelled", { requestId: 0 });
  await eventually("it is dead", () => processesWith(`sleep ${mark}`).length === 0);
  await server.request("ping", {}, "ping");
  expect(answered).toBe(false);
});

row("coding", "progress: only when asked for, increasing, few, nothing private, none after the result", async () => {
  const before = plain.notifications.length;
  await plain.bash("echo quiet");
  expect(plain.notifications.length).toBe(before);
  const command = "for i in $(seq 1 400); do echo line $i; sleep 0.002; done";
  const startedAt = performance.now();
  await plain.call("bash", { command }, { progressToken: "p1" });
  const sent = plain.notifications.slice(before);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThanOrEqual((performance.now() - startedAt) / 90 + 2); // about ten a second
  const values = sent.map(({ params }) => Number(params?.["progress"]));
  expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b));
  for (const { params } of sent) {
    expect(params?.["progressToken"]).toBe("p1");
    expect(String(params?.["message"])).toMatch(/^line \d+$/);
  }
  await Bun.sleep(300); // nothing may come after the end
  expect(plain.notifications.length).toBe(before + sent.length);
});

row("coding", "calls overlap, and directory changes count in the order of the requests", async () => {
  for (const name of ["first", "second"]) mkdirSync(plain.at(name), { recursive: true });
  await Promise.all([plain.bash("cd first; sleep 0.4"), Bun.sleep(50).then(() => plain.bash("cd second"))]);
  expect(await plain.bash("pwd")).toContain(plain.at("second"));
  await plain.bash(`cd '${plain.root}'`);
});

row("coding", "a command longer than one argument may be runs", async () => {
  const text = `echo ${"z".repeat(200_000)} | wc -c`;
  for (const server of [plain, boxed]) expect(await server.bash(text)).toBe("exit_code: 0\n\nstdout:\n200001\n");
});

together(() => {
  row("coding", "a process that ignores TERM ends after the grace, and nothing of it is left", async () => {
    const mark = `600.${process.pid}1`;
    const said = await plain.bash(`trap '' TERM; (trap '' TERM; setsid sleep ${mark}) & sleep ${mark}; sleep ${mark}`, {
      timeout: 500,
    });
    expect(said.startsWith("Command timed out after 500ms\n\nexit_code: -1\n")).toBe(true);
    await eventually("all of it is dead", () => processesWith(`sleep ${mark}`).length === 0);
  });

  row("coding", "the server's own secrets do not reach a command", async () => {
    await using server = await TestServer.start({
      args: ["--sandbox", "off"],
      env: {
        BORIS_TOKEN: "boris-secret-token",
        BOSUN_TOKEN: "bosun-secret-token",
        AWS_SECRET_ACCESS_KEY: "aws-secret-value",
        KEPT: "kept",
      },
    });
    const said = await server.bash("env");
    expect(said).not.toMatch(/secret/);
    expect(said).not.toContain("KEPT=");
    await using passing = await TestServer.start({
      args: ["--sandbox", "off", "--pass-env", "KEPT"],
      env: { KEPT: "kept" },
    });
    expect(await passing.bash("echo $KEPT")).toContain("kept");
  });

  row("coding", "--truncate head-tail shows both ends", async () => {
    await using server = await TestServer.start({ args: ["--sandbox", "off", "--truncate", "head-tail"] });
    const said = await server.bash("seq 1 20000");
    expect(said).toContain("\n\n[Truncated: output was 108894 characters, showing first 15000 and last 15000]\n\n");
    expect(said.startsWith("exit_code: 0\n\nstdout:\n1\n2\n")).toBe(true);
    expect(said).toMatch(/19999\n20000\nFull stdout: task_output with task_id "[0-9a-f]+" and an offset\.$/);
  });

  row("coding", "a resource limit that ends a command is named", async () => {
    await using server = await TestServer.start({
      args: ["--sandbox", "off", "--max-written-size", "1MB", "--max-cpu", "1"],
    });
    const result = await server.call("bash", { command: "head -c 3000000 /dev/zero > big" });
    expect(result.content[0]?.text).toEndWith("\nThe command hit its file size limit.");
    const burnt = await server.call("bash", { command: "while :; do :; done" });
    expect(burnt.content[0]?.text).toEndWith("\nThe command hit its cpu time limit.");
  });

  row("coding", "a flood does not grow the server, and the notice has the true total", async () => {
    await using server = await TestServer.start({ args: ["--sandbox", "off"] });
    await server.bash("seq 1 100000 | tail -1");
    const rss = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, "utf8"))?.[1]);
    const before = rss();
    const said = await server.bash("head -c 400000000 /dev/zero | tr '\\0' x", { timeout: 60_000 });
    expect(said).toContain("[Truncated: output was 400000000 characters, showing first 30000]\n");
    expect(rss() - before).toBeLessThan(96 * 1024);
  });
});

row("coding", "many commands at once all answer", async () => {
  const all = await Promise.all(Array.from({ length: 60 }, (_, i) => plain.bash(`echo ${i}`)));
  expect(all).toEqual(Array.from({ length: 60 }, (_, i) => `exit_code: 0\n\nstdout:\n${i}\n`));
});
