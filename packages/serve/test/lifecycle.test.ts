// How a server starts and ends: signals, clients that die, servers that are killed.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { HttpServer } from "./harness/http.ts";
import type { Message } from "./harness/server.ts";
import { BUN, cleanEnvironment, eventually, MAIN, processesWith, scratch, TestServer } from "./harness/server.ts";

announceRows();

let counter = 0;
const newMark = (): string => `7${(counter += 1)}.${process.pid}`;
/** Everything a command can leave: itself, a job, its own session, a daemon, one with a wiped environment. */
const family = (mark: string): string =>
  `sleep ${mark} & setsid sleep ${mark} & (setsid sh -c 'sleep ${mark} & sleep ${mark}' &) ; env -i sleep ${mark} & sleep ${mark}`;
const alive = (mark: string): number => processesWith(`sleep ${mark}`).filter((pid) => pid > 0).length;

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1;) {
    if (at === ancestor) return true;
    try {
      const stat = readFileSync(`/proc/${at}/stat`, "latin1");
      at = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    } catch {
      return false;
    }
  }
  return false;
}

together(() => {
  rows(
    "server",
    [
      ["a client that closes its end", "off", (server: TestServer) => void server.process.stdin.end()],
      ["SIGTERM", "off", (server: TestServer) => server.process.kill("SIGTERM")],
      ["SIGINT", "off", (server: TestServer) => server.process.kill("SIGINT")],
      ["SIGKILL of the server", "off", (server: TestServer) => server.process.kill("SIGKILL")],
      ["a client that closes its end, sandboxed", "auto", (server: TestServer) => void server.process.stdin.end()],
      ["SIGKILL of the server, sandboxed", "auto", (server: TestServer) => server.process.kill("SIGKILL")],
    ] satisfies [string, string, (server: TestServer) => void][],
    async (_, sandbox, end) => {
      const server = await TestServer.start({ args: ["--sandbox", sandbox] });
      const [front, back] = [newMark(), newMark()];
      void server.bash(family(front)).catch(() => "gone");
      void server.bash(family(back), { run_in_background: true }).catch(() => "gone");
      await eventually("all run", () => alive(front) >= 5 && alive(back) >= 5);
      end(server);
      await server.process.exited;
      await eventually("nothing is left", () => alive(front) + alive(back) === 0);
    },
  );

  rows(
    "server",
    [
      ["shells that wait end with a killed server", "off", "SIGKILL"],
      ["shells that wait in a sandbox end with a killed server", "auto", "SIGKILL"],
      ["shells that wait end with a stopped server", "off", "SIGTERM"],
    ] satisfies [string, string, NodeJS.Signals][],
    async (_, sandbox, signal) => {
      const server = await TestServer.start({ args: ["--sandbox", sandbox] });
      await server.bash("true");
      // Shells that were started ahead and wait for a command of this server's.
      const waiting = (): number[] => processesWith("__bosun <&4").filter((pid) => isBelow(pid, server.process.pid));
      await eventually("some wait", () => waiting().length > 0);
      const pids = waiting();
      server.process.kill(signal);
      await server.process.exited;
      await eventually("none is left", () => pids.every((pid) => !existsSync(`/proc/${pid}`)));
    },
  );

  row("server", "a temporary folder that cannot be used is replaced by the usual one", async () => {
    const { root } = scratch({ file: "" });
    for (const TMPDIR of [path.join(root, "missing"), path.join(root, "file"), "relative", "/proc"]) {
      const server = await TestServer.start({ args: ["--sandbox", "off"], env: { TMPDIR } });
      expect(await server.bash("echo works")).toContain("works");
      await server.close();
    }
  });

  row("server", "over HTTP, SIGTERM ends every client's commands and the exit is clean", async () => {
    const server = await HttpServer.start({ args: ["--sandbox", "off"] });
    const mark = newMark();
    const [one, two] = await Promise.all([server.session(), server.session()]);
    void one.call("bash", { command: `sleep ${mark}` }).catch(() => {});
    await two.call("bash", { command: `sleep ${mark}`, run_in_background: true });
    await eventually("both run", () => alive(mark) >= 2);
    server.process.kill("SIGTERM");
    expect(await server.process.exited).toBe(0);
    await eventually("nothing is left", () => alive(mark) === 0);
  });

  row("server", "over HTTP, a call in flight is answered before the server goes, and nobody else gets in", async () => {
    const server = await HttpServer.start({ args: ["--sandbox", "off"] });
    const [busy, other] = await Promise.all([server.session(), server.session()]);
    const last = busy.text("bash", {
      command: "trap 'echo done; sleep 0.5; exit 3' TERM; touch begun; sleep 60 & wait",
    });
    const streamed = busy.post({
      jsonrpc: "2.0",
      id: 99,
      method: "tools/call",
      params: { name: "bash", arguments: { command: "echo said; sleep 61" }, _meta: { progressToken: 1 } },
    });
    await streamed; // its first line is out
    await eventually("both run", () => existsSync(path.join(server.root, "begun")));
    server.process.kill("SIGTERM");
    await eventually("it is stopping", () => server.stderr.includes("stopping"));
    await expect(other.post({ jsonrpc: "2.0", id: 5, method: "ping" })).rejects.toThrow();
    expect(await last).toBe("exit_code: 3\n\nstdout:\ndone\n");
    expect(await (await streamed).text()).toContain("exit_code: -1\\n\\nstdout:\\nsaid\\n");
    expect(await server.process.exited).toBe(0);
  });

  rows(
    "server",
    [
      ["commands of a client that goes are asked to end once, not twice", "off"],
      ["commands of a client that goes are asked to end once, sandboxed", "auto"],
    ] satisfies [string, string][],
    async (_, sandbox) => {
      const server = await TestServer.start({ args: ["--sandbox", sandbox] });
      const command = (name: string): string =>
        `trap 'echo asked >> ${name}.log; sleep 0.3; exit' TERM; touch ${name}; sleep 60 & wait`;
      void server.bash(command("front")).catch(() => "gone");
      await server.bash(command("back"), { run_in_background: true });
      await eventually("both run", () => existsSync(server.at("front")) && existsSync(server.at("back")));
      await server.close();
      for (const name of ["front", "back"]) expect(readFileSync(server.at(`${name}.log`), "utf8")).toBe("asked\n");
    },
  );

  row("server", "on stdio too, SIGTERM lets a call in flight be answered", async () => {
    const server = await TestServer.start({ args: ["--sandbox", "off"] });
    const last = server.bash("trap 'seq 1 20000; exit 3' TERM; touch begun; sleep 60 & wait");
    await eventually("it runs", () => existsSync(server.at("begun")));
    server.process.kill("SIGTERM");
    expect(await last).toMatch(
      /^exit_code: 3\n\nstdout:\n1\n2\n[^]*showing first 30000\]\nFull stdout: task_output with [^\n]*$/,
    );
    expect(await server.process.exited).toBe(0);
  });

  row("server", "a second signal forces the exit", async () => {
    const server = await TestServer.start({ args: ["--sandbox", "off"] });
    const mark = newMark();
    void server.bash(`trap '' TERM; while :; do sleep ${mark}; done`).catch(() => "gone");
    await eventually("it runs", () => alive(mark) > 0);
    server.process.kill("SIGTERM");
    await eventually("it is stopping", () => server.stderr.includes("stopping"));
    server.process.kill("SIGTERM");
    expect(await server.process.exited).toBe(1);
    expect(server.stderr).toContain("stopped at once, as asked twice");
    await eventually("nothing is left all the same", () => alive(mark) === 0);
  });

  row("server", "a client that speaks on standard input is served there, though nobody said so", async () => {
    const { base, root } = scratch({ "a.txt": "hello\n" });
    const start = (args: string[]) =>
      Bun.spawn([...BUN, MAIN, "--sandbox", "off", ...args], {
        cwd: root,
        env: cleanEnvironment(base),
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
      });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const hello = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`;
    const view = {
      jsonrpc: "2.0",
      id: 2,
      method: "tools/call",
      params: { name: "view", arguments: { path: "a.txt" } },
    };
    const spoken = start([]);
    spoken.stdin.write(hello);
    await spoken.stdin.flush();
    await Bun.sleep(300); // a client that pauses: two writes, not one
    spoken.stdin.write(`${JSON.stringify(view)}\n`);
    await spoken.stdin.end();
    const answers = (await new Response(spoken.stdout).text()).trim().split("\n");
    expect(answers.map((line) => (JSON.parse(line) as Message).id)).toEqual([1, 2]);
    expect(answers[1]).toContain("1\\thello\\n");
    expect(await spoken.exited).toBe(0);
    expect(await new Response(spoken.stderr).text()).not.toContain("listening");
    // Whoever chose HTTP gets it, whatever comes on standard input.
    const chosen = start(["--port", "0"]);
    chosen.stdin.write(hello);
    await chosen.stdin.flush();
    let log = "";
    for await (const chunk of chosen.stderr) {
      log += new TextDecoder().decode(chunk);
      if (log.includes("listening") && !log.includes("stopping")) chosen.kill("SIGTERM");
    }
    expect(log).toContain("listening");
    expect(await new Response(chosen.stdout).text()).toBe("");
    expect(await chosen.exited).toBe(0);
  });

  row("server", "on stdio too, a file as large as --max-file-size can be written", async () => {
    await using server = await TestServer.start({ args: ["--max-file-size", "24MB", "--sandbox", "off"] });
    const content = "x\n".repeat(12 * 1024 * 1024);
    expect(await server.text("create_file", { path: "large", content })).toBe(
      `Created ${server.at("large")} (${24 * 1024 * 1024} bytes)`,
    );
  });

  row("server", "on stdio nothing but the protocol reaches stdout, and tokens are accepted and ignored", async () => {
    const { base, root } = scratch();
    const child = Bun.spawn([...BUN, MAIN, "--transport", "stdio", "--generate-token", "--sandbox", "off"], {
      cwd: root,
      env: { ...cleanEnvironment(base), BORIS_LOG_LEVEL: "debug" },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\nnot json\n');
    await child.stdin.end();
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  row("server", "the log is JSON lines when asked for, on stderr, and names the shell once", async () => {
    const { root } = scratch();
    await using server = await TestServer.start({ root, args: ["--sandbox", "off", "--log-format", "json"] });
    await server.bash("true");
    await eventually("it has said something", () => server.stderr.includes("shell"));
    const lines = server.stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    expect(lines.filter(({ msg }) => msg === "shell")).toHaveLength(1);
    expect(lines.every(({ level }) => ["info", "warn"].includes(level))).toBe(true);
  });

  row("server", "version and help print and exit", async () => {
    const run = async (flag: string): Promise<string> => {
      const child = Bun.spawn([...BUN, MAIN, flag], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
      expect(await child.exited).toBe(0);
      return new Response(child.stdout).text();
    };
    expect(await run("--version")).toMatch(/^bosun \d+\.\d+\.\d+\n$/);
    expect(await run("--help")).toContain("--require-view-before-edit");
  });

  row("server", "a variable is read under both names, a flag beats it, and lists are comma-separated", async () => {
    const { root } = scratch({ "one/a.txt": "1", "two/b.txt": "2", "three/c.txt": "3" });
    await using boris = await TestServer.start({
      root,
      args: ["--sandbox", "off"],
      env: { BORIS_ALLOW_DIRS: `${root}/one,${root}/two`, BORIS_TIMEOUT: "1" },
    });
    expect(await boris.text("view", { path: `${root}/two/b.txt` })).toBe("1\t2\n");
    expect(await boris.text("view", { path: `${root}/three/c.txt` })).toMatch(/^\[ACCESS_DENIED\]/);
    expect(await boris.bash("sleep 5")).toMatch(/^Command timed out after 1000ms/);
  });

  row("server", "a variable with a slip in its name is pointed out; others are nobody's business", async () => {
    const { root } = scratch();
    await using server = await TestServer.start({
      root,
      args: ["--sandbox", "off"],
      env: { BOSUN_READONLY: "1", BORIS_TIMEOUTS: "5", BOSUN_MODEL: "m", BOSUN_TIMEOUT: "9" },
    });
    const warned = server.stderr.split("\n").filter((line) => line.includes("is not read"));
    expect(warned.map((line) => line.replace(/^.*WARN /, "").trim())).toEqual([
      "BOSUN_READONLY is not read: BOSUN_READ_ONLY is",
      "BORIS_TIMEOUTS is not read: BORIS_TIMEOUT is",
    ]);
  });

  row("server", "no tool left is said", async () => {
    await using server = await TestServer.start({ args: ["--tools", "shell", "--read-only"] });
    expect(await server.toolNames()).toEqual([]);
    expect(server.stderr).toContain("no tool is left");
  });

  row("server", "instructions name the directory, the scope, the shell and the sandbox", async () => {
    const { root } = scratch({ "one/a.txt": "" });
    await using server = await TestServer.start({
      root,
      args: ["--allow-dir", ".", "--allow-dir", "one", "--deny-dir", "**/.env", "--sandbox", "off"],
      initialize: false,
    });
    const { result } = await server.initialize();
    const lines = String(result?.["instructions"]).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      `Working directory: ${root}`,
      `Allowed directories: ${root}, ${path.join(root, "one")}`,
      "Denied patterns: **/.env",
    ]);
    expect(lines.join(" ")).toMatch(/Shell: \/bin\/(ba)?sh/);
    expect(lines.join(" ")).toContain("without a sandbox");
    // Whoever switched it off is warned, and not told to install what is there.
    expect(server.stderr).toContain("WITHOUT a sandbox (it is switched off)");
    expect(server.stderr).not.toContain("Install");
  });

  rows(
    "server",
    [
      ["instructions of the workspace tools promise no shell", "workspace", { shell: false, files: true }],
      ["instructions of the shell tool promise no file tools", "shell", { shell: true, files: false }],
    ] satisfies [string, string, { shell: boolean; files: boolean }][],
    async (_, surface, promised) => {
      await using server = await TestServer.start({ args: ["--tools", surface], initialize: false });
      const { result } = await server.initialize();
      const said = String(result?.["instructions"]);
      expect({ shell: said.includes("Shell:"), files: said.includes("File tools") }).toEqual(promised);
    },
  );

  row("server", "bash tells the default timeout that holds", async () => {
    await using server = await TestServer.start({ args: ["--timeout", "30"] });
    const [bash] = await server.tools();
    expect(JSON.stringify(bash?.inputSchema)).toContain("ms, default 30000, max 600000");
  });

  row("server", "a workdir through a link is shown and used as its real path", async () => {
    const { base, root } = scratch({ "a.txt": "x" });
    Bun.spawnSync(["ln", "-s", root, `${base}/link`]);
    await using server = await TestServer.start({ root, args: ["--workdir", `${base}/link`, "--sandbox", "off"] });
    expect(await server.bash("pwd")).toContain(`stdout:\n${root}\n`);
  });

  row("server", "a workdir that the sandbox does not show is not called gone", async () => {
    const { root } = scratch({ "inside/a": "" });
    await using server = await TestServer.start({ root, args: ["--workdir", ".", "--allow-dir", "inside"] });
    expect(server.stderr).toContain("the working directory is outside the allowed folders");
    // Without a sandbox it can be started in.
    expect(await server.bash("pwd")).toMatch(/is not visible in the sandbox$|^exit_code: 0\n/);
  });

  row("server", "--unscoped lifts the folder limit and says so", async () => {
    await using server = await TestServer.start({ args: ["--unscoped", "--sandbox", "off"], initialize: false });
    const { result } = await server.initialize();
    expect(String(result?.["instructions"])).toContain("File tools may touch any folder.");
    expect(await server.text("view", { path: "/etc/hostname" })).toMatch(/^1\t/);
    // What the kernel refuses is said in words, not by its number or name.
    expect(await server.text("create_file", { path: "/proc/self/comm", content: "x" })).toMatch(
      /^\[IO_ERROR\] could not write \/proc\/\d+\/comm: [a-z][a-z ,]+$/,
    );
  });

  row("server", "--sandbox require refuses to start where none works", async () => {
    const { base, root } = scratch();
    // A folder with an empty PATH is no obstacle: the mechanisms are looked for in the system's own folders.
    const child = Bun.spawn([...BUN, MAIN, "--transport", "stdio", "--sandbox", "require"], {
      cwd: root,
      env: cleanEnvironment(base),
      stdin: "pipe",
      stdout: "ignore",
      stderr: "pipe",
    });
    await child.stdin.end();
    const [said, code] = [await new Response(child.stderr).text(), await child.exited];
    expect(code === 0 ? said : `${code} ${said}`).toMatch(/commands run in a sandbox|^2 .*no sandbox works here/s);
  });

  row("server", "a hostile folder runs nothing of its own before us", async () => {
    const { base, root } = scratch({
      "bunfig.toml": 'preload = ["./evil.ts"]\n',
      "evil.ts": 'require("fs").writeFileSync("hijacked", "1");\n',
      ".env": "BOSUN_TOOLS=shell\nBOSUN_SANDBOX=off\n",
    });
    await using server = await TestServer.start({ root });
    expect((await server.toolNames())[0]).toBe("bash");
    expect(existsSync(`${root}/hijacked`)).toBe(false);
    void base;
  });
});

test("the entry point is executable and keeps a hostile folder out", async () => {
  const first = (await Bun.file(MAIN).text()).split("\n")[0];
  expect(first).toBe("#!/usr/bin/env -S bun --no-env-file --config=/dev/null");
  expect((await Bun.file(MAIN).stat()).mode & 0o111).not.toBe(0);
});
