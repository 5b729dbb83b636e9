// The shell tool as the contract has it.
import { afterAll, beforeAll, expect } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { announceRows, row, rows } from "./harness/contract.ts";
import type { Result } from "./harness/server.ts";
import { eventually, processesWith, scratch, TestServer } from "./harness/server.ts";

announceRows();

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({
    args: ["--tools", "shell", "--sandbox", "off"],
    files: { "script.sh": "echo no\n", "sub/x": "", "bin/last": "", "bin/la": "" },
  });
});
afterAll(async () => server[Symbol.asyncDispose]());

/** Every result says the same thing under both names. */
async function run(
  args: unknown,
  at = server,
): Promise<{ text: string; meta: Record<string, unknown>; result: Result }> {
  const result = await at.call("shell", args);
  expect(result.metadata).toEqual(result.structuredContent as Record<string, unknown>);
  expect(result.is_error).toBe(result.isError ?? false);
  return { text: result.content[0]?.text ?? "", meta: result.structuredContent ?? {}, result };
}

rows(
  "shell",
  [
    [
      "exit 0",
      { command: "echo out; echo err >&2" },
      "Command executed successfully",
      false,
      { exit_code: 0, stdout: "out\n", stderr: "err\n" },
    ],
    ["exit n", { command: "exit 3" }, "Command failed with exit code 3", true, { exit_code: 3 }],
    [
      "pipes and && work",
      { command: "printf 'b\\na\\n' | sort && echo done" },
      "Command executed successfully",
      false,
      { stdout: "a\nb\ndone\n" },
    ],
    [
      "death by a signal is 128 + n and named",
      { command: "kill -TERM $$" },
      "Command failed with exit code 143",
      true,
      { exit_code: 143, signal: "SIGTERM" },
    ],
    [
      "a stream with NUL is described, that one only",
      { command: "printf 'a\\000b'; echo text >&2" },
      "Command executed successfully",
      false,
      { stdout: "[Binary content: 3 bytes]", stderr: "text\n", binary_output_detected: true },
    ],
    [
      "environment is merged",
      { command: 'echo "$GREETING $HOME"', environment: { GREETING: "hi" } },
      "Command executed successfully",
      false,
      {},
    ],
    [
      "sizes are told",
      { command: "printf 12345" },
      "Command executed successfully",
      false,
      { total_output_size: 5, output_truncated: false, binary_output_detected: false },
    ],
  ] satisfies [string, unknown, string, boolean, Record<string, unknown>][],
  async (_, args, text, isError, meta) => {
    const ran = await run(args);
    expect(ran.text).toBe(text);
    expect(ran.result.isError ?? false).toBe(isError);
    expect(ran.meta).toMatchObject({
      command: (args as { command: string }).command,
      working_directory: server.root,
      ...meta,
    });
    expect(typeof ran.meta["execution_time_ms"]).toBe("number");
  },
);

row("shell", "a timeout is an error with partial output, and its tree dies", async () => {
  const mark = `605.${process.pid}`;
  const ran = await run({ command: `echo partial; setsid sleep ${mark} & sleep ${mark}`, timeout: 1 });
  expect(ran.text).toBe("Command timed out after 1 seconds");
  expect(ran.result.isError).toBe(true);
  expect(ran.meta).toMatchObject({
    timeout_seconds: 1,
    partial_stdout: "partial\n",
    partial_stderr: "",
    working_directory: server.root,
  });
  await eventually("nothing is left", () => processesWith(`sleep ${mark}`).length === 0);
});

rows(
  "shell",
  [
    ["a timeout of 0", { command: "true", timeout: 0 }, /^Invalid arguments: .*timeout must be between 1 and 1800/],
    ["a timeout above the most", { command: "true", timeout: 1801 }, /^Invalid arguments: .*timeout/],
    ["an empty command", { command: "" }, /^Invalid arguments: .*command must not be empty/],
    [
      "a missing directory",
      { command: "true", working_directory: "none" },
      /^Invalid working directory: none does not exist/,
    ],
    [
      "a file as directory",
      { command: "true", working_directory: "script.sh" },
      /^Invalid working directory: script\.sh is not a directory/,
    ],
    [
      "a directory outside",
      { command: "true", working_directory: "/etc" },
      /^Invalid working directory: \/etc is outside the allowed directories$/,
    ],
    ["an empty directory", { command: "true", working_directory: "" }, /^Invalid working directory: it is empty$/],
    ["a bad variable name", { command: "true", environment: { "A-B": "x" } }, /not a variable name: "A-B"/],
    ["a NUL in a value", { command: "true", environment: { A: "x\0" } }, /contains NUL/],
    ["a value that is too long", { command: "true", environment: { A: "x".repeat(32_769) } }, /longer than 32768/],
    ["a value that is no text", { command: "true", environment: { A: 1 } }, /^Invalid arguments: /],
    [
      "a variable that would run code first",
      { command: "true", environment: { BASH_ENV: "/tmp/x" } },
      /BASH_ENV may not be set/,
    ],
  ] satisfies [string, Record<string, unknown>, RegExp][],
  async (_, args, expected) => {
    const ran = await run(args);
    expect(ran.text).toMatch(expected);
    expect(ran.result.isError).toBe(true);
    expect(ran.meta["command"]).toBe(args["command"] as string);
    expect(ran.meta["working_directory"]).toBe("working_directory" in args ? args.working_directory : server.root);
    expect(ran.meta["reason"]).toBeDefined();
  },
);

row("shell", "the working directory may be given, absolute or relative", async () => {
  for (const working_directory of ["sub", server.at("sub")]) {
    expect((await run({ command: "pwd", working_directory })).meta).toMatchObject({
      stdout: `${server.at("sub")}\n`,
      working_directory: server.at("sub"),
    });
  }
});

row(
  "shell",
  "127 names the command and a near one; 126 says why: in the first block, which is all some clients show",
  async () => {
    const said = async (command: string, environment?: Record<string, string>): Promise<string> =>
      (await run(environment === undefined ? { command } : { command, environment })).text;
    const [missing, denied] = ["Command failed with exit code 127\n", "Command failed with exit code 126\n"];
    expect(await said("sleeep 1")).toBe(`${missing}command not found: sleeep; did you mean sleep?`);
    expect(await said("lsat", { PATH: server.at("bin") })).toBe(
      `${missing}command not found: lsat; did you mean last?`,
    );
    expect(await said("sleep 1", { PATH: server.at("sub") })).toBe(`${missing}command not found: sleep`);
    expect(await said("./sub")).toBe(`${denied}permission denied: ./sub is a directory, not a program`);
    expect(await said("./script.sh")).toStartWith(
      `${denied}permission denied: ./script.sh cannot be executed (mode 644`,
    );
  },
);

row("shell", "a permission that is missing is named, with what it is, and on record", async () => {
  await using own = await TestServer.start({ args: ["--tools", "shell", "--sandbox", "off"] });
  const denied = await run(
    { command: "touch kept; chmod 600 kept; echo 'cat: kept: Permission denied' >&2; exit 1" },
    own,
  );
  expect(denied.text).toMatch(
    /^Command failed with exit code 1\npermission denied: kept \(mode 600; commands run as user \d+\); work on a copy/,
  );
  const elsewhere = await run({ command: "echo 'cat: /etc/passwd: Permission denied' >&2; exit 1" }, own);
  expect(elsewhere.text).toContain("permission denied: /etc/passwd; work on a copy");
  await own.close();
  const audit = readFileSync(`${own.base}/state/bosun/audit/audit.jsonl`, "utf8");
  expect(audit).toContain('"code":"permission_denied"');
});

row("shell", "all that a client may show is cut like bash's, and the first block says so", async () => {
  const ran = await run({ command: "seq 1 20000; echo e >&2" });
  const notice = "[Truncated: output was 108894 characters, showing first 30000]";
  expect(ran.text).toBe(
    `Command executed successfully\nstdout: ${notice} max_output_size returns more; a file keeps all.`,
  );
  expect(ran.result.content[1]?.text).toBe("stderr:\ne\n");
  expect(ran.result.content[2]?.text).toMatch(/^stdout:\n1\n2\n/);
  expect(ran.result.content[2]?.text).toEndWith(`\n\n${notice}`);
  expect(String(ran.meta["stdout"])).toHaveLength(30_000);
  expect(ran.meta).toMatchObject({ output_truncated: true, total_output_size: 108_896, stderr: "e\n" });
  const timedOut = await run({ command: "seq 1 20000; sleep 60", timeout: 1 });
  expect(timedOut.text).toStartWith(`Command timed out after 1 seconds\nstdout: ${notice}`);
  expect(String(timedOut.meta["partial_stdout"])).toHaveLength(30_000);
  const wide = await run({ command: "for i in $(seq 30001); do printf '\\U1F600'; done" });
  expect(Array.from(String(wide.meta["stdout"]))).toHaveLength(30_000);
});

row("shell", "a call says how much it wants: up to ten megabytes, less what the other stream is sure of", async () => {
  const max_output_size = 10 * 1024 * 1024;
  const { meta } = await run({ command: "head -c 10400000 /dev/zero | tr '\\0' x", max_output_size });
  expect(meta).toMatchObject({ output_truncated: false, total_output_size: 10_400_000 });
  expect(String(meta["stdout"])).toHaveLength(10_400_000);
  const little = await run({ command: "seq 1 100", max_output_size: 1000 });
  expect(String(little.meta["stdout"])).toStartWith("1\n2\n");
  expect(little.meta["output_truncated"]).toBe(false);
  const less = await run({ command: "seq 1 1000", max_output_size: 100 });
  expect(String(less.meta["stdout"]).length).toBeLessThanOrEqual(100);
  expect(less.text).toContain("stdout: [Truncated: output was 3893 characters, showing first ");
  const toomuch = await run({ command: "true", max_output_size: max_output_size + 1 });
  expect(toomuch.text).toMatch(/^Invalid arguments: .*max_output_size must be between 1 and 10485760/);
});

row("shell", "progress shows output while it runs", async () => {
  await server.call("shell", { command: "for i in 1 2 3; do echo step $i; sleep 0.2; done" }, { progressToken: 7 });
  expect(
    server.notifications.some(
      ({ params }) => params?.["progressToken"] === 7 && /^step \d$/.test(String(params["message"])),
    ),
  ).toBe(true);
});

rows(
  "shell",
  [
    ["an object", `echo '{"a":[1,2.50,1e3],"__proto__":null}'`, { a: [1, 2.5, 1000] }],
    ["an array over several lines", `printf '[\\n  "x"\\n]\\n'`, ["x"]],
    ["a single value is only text", "echo 5", undefined],
    ["two documents are only text", `echo '{}'; echo '{}'`, undefined],
    ["a number that would be rounded", `echo '{"id":12345678901234567890}'`, undefined],
    ["a broken one", "echo '{'", undefined],
  ] satisfies [string, string, unknown][],
  async (_, command, expected) => {
    const data = (await run({ command })).meta["data"];
    if (expected === undefined) expect(data).toBeUndefined();
    else expect(data).toMatchObject(expected as object);
  },
);

row("shell", "an allowed directory that no command could start in is named at the start", async () => {
  const { base, root } = scratch({ "ok/x": "" });
  mkdirSync(`${base}/config/bosun`, { recursive: true });
  writeFileSync(
    `${base}/config/bosun/config.toml`,
    `[shell_tool]\nallowed_directories = ["${root}/ok", "ok", "/srv/elsewhere", "~/other"]\n`,
    { mode: 0o600 },
  );
  await using server = await TestServer.start({ root, args: ["--tools", "shell", "--sandbox", "off"] });
  const warned = server.stderr.split("\n").filter((line) => line.includes("allowed_directories"));
  expect(warned.map((line) => /folder="([^"]+)"/.exec(line)?.[1])).toEqual(["/srv/elsewhere", `${base}/home/other`]);
});

row("shell", "the [shell_tool] table: limits, directories, blocked commands, audit", async () => {
  const { base, root } = scratch({ "ok/x": "", "other/x": "" });
  mkdirSync(`${base}/config/bosun`, { recursive: true });
  writeFileSync(
    `${base}/config/bosun/config.toml`,
    `[shell_tool]\ndefault_timeout = 5\nmax_timeout = 7\nmax_output_size = "4KB"\nallowed_directories = ["${root}/ok"]\nblocked_commands = ["rm -rf", "format", "dd"]\n`,
    { mode: 0o600 },
  );
  await using strict = await TestServer.start({ root, args: ["--tools", "shell", "--sandbox", "off"] });
  const at = (command: string, more = {}): ReturnType<typeof run> =>
    run({ command, working_directory: "ok", ...more }, strict);
  expect((await at("true", { timeout: 8 })).text).toMatch(/timeout must be between 1 and 7/);
  expect((await run({ command: "true", working_directory: "other" }, strict)).text).toMatch(
    /^Command refused: .*allowed/,
  );
  for (const blocked of [
    "rm -rf x",
    "rm -fr x",
    "rm -r -f x",
    "/bin/rm -rf x",
    "true; rm -rf x",
    "env rm -rf x",
    "echo $(rm -rf x)",
    "sudo dd if=x",
    "sh -c 'rm -rf x'",
    "r\\m -rf x",
    "if",
  ]) {
    const refused = await at(blocked);
    expect([blocked, refused.text.slice(0, 16)]).toEqual([blocked, "Command refused:"]);
    expect(refused.meta["reason"]).toBeDefined();
  }
  for (const harmless of [
    "git add . || true",
    "echo npm run format",
    "ls /dd 2>/dev/null || true",
    'echo "rm -rf"',
    "rm -f none",
    "printf dd",
  ]) {
    expect([harmless, (await at(harmless)).text]).toEqual([harmless, "Command executed successfully"]);
  }
  const flood = await at("head -c 100000 /dev/zero | tr '\\0' x");
  expect(flood.meta).toMatchObject({ output_truncated: true, total_output_size: 100_000 });
  expect(String(flood.meta["stdout"]).length).toBeLessThanOrEqual(4096);
  // One stream may have what the other does not need, and never all of it.
  const even = await at("head -c 3584 /dev/zero | tr '\\0' x");
  expect(even.meta).toMatchObject({ output_truncated: false, stdout: "x".repeat(3584) });
  const late = await at("head -c 100000 /dev/zero | tr '\\0' x; echo why it failed >&2");
  expect(late.meta).toMatchObject({ output_truncated: true, stderr: "why it failed\n" });
  await at("echo traced", { environment: { NAMED: "very-private-value" } });
  await strict.close();
  const audit = readdirSync(`${base}/state/bosun/audit`)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(`${base}/state/bosun/audit/${name}`, "utf8"))
    .join("");
  expect(audit).toContain('"command":"echo traced"');
  expect(audit).toContain('"environment":["NAMED"]');
  expect(audit).toMatch(/"verdict":"deny".*"command":"rm -rf x"/);
});
