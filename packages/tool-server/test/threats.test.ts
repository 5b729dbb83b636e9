// The server's rows of the threat table, S1 to S16, through real servers with the sandbox on and off. Where the sandbox is
// the only possible defence, the row says so and is not claimed without it.
import { afterAll, beforeAll, expect } from "bun:test";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { announceRows, row, rows, skipped } from "./harness/contract.ts";
import { HttpServer } from "./harness/http.ts";
import { cleanEnvironment, eventually, scratch, TestServer } from "./harness/server.ts";

announceRows();

const CANARY = "canary-7f3a9";
const hasSandbox = Bun.which("bwrap") !== null;
const modes = hasSandbox ? (["off", "require"] as const) : (["off"] as const);
const servers = new Map<string, TestServer>();

beforeAll(async () => {
  await Promise.all(
    modes.map(async (mode) => {
      const { base, root } = scratch({
        "inside.txt": "inside\n",
        "dir/x.txt": "x\n",
        "list/a.txt": "a\n",
        "dir/early.pem": CANARY,
      });
      mkdirSync(`${root}_evil`);
      writeFileSync(`${root}_evil/secret.txt`, CANARY);
      mkdirSync(path.join(base, "outside/deep"), { recursive: true });
      writeFileSync(path.join(base, "outside/secret.txt"), CANARY);
      writeFileSync(path.join(base, "home/.netrc"), CANARY);
      const out = path.join(base, "outside");
      symlinkSync(path.join(out, "secret.txt"), path.join(root, "to-file"));
      symlinkSync(out, path.join(root, "to-dir"));
      symlinkSync("../outside", path.join(root, "relative"));
      symlinkSync("chain-b", path.join(root, "chain-a"));
      symlinkSync(out, path.join(root, "chain-b"));
      symlinkSync("loop", path.join(root, "loop"));
      symlinkSync(path.join(out, "made-by-link"), path.join(root, "dangling"));
      symlinkSync(path.join(out, "none/made"), path.join(root, "dangling-deep"));
      symlinkSync("/", path.join(root, "to-root"));
      symlinkSync("/proc/self/root", path.join(root, "to-proc"));
      const args = [
        "--sandbox",
        mode,
        "--tools",
        "coding,workspace,shell",
        "--deny-dir",
        "**/*.pem",
        "--token",
        "stdio-ignores-it",
      ];
      servers.set(
        mode,
        await TestServer.start({
          root,
          args,
          env: { AWS_SECRET_ACCESS_KEY: CANARY, SSH_AUTH_SOCK: "/run/agent", BOSUN_TOKEN: CANARY },
        }),
      );
    }),
  );
});
afterAll(async () => {
  await Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]()));
});

function forEachMode(run: (server: TestServer, mode: string) => Promise<void>): () => Promise<void> {
  return async () => {
    for (const [mode, server] of servers) await run(server, mode);
  };
}

/** Attacks that were tried and contained, by row of the threat table. */
const contained = new Map<string, number>();
afterAll(() => {
  const table = [...contained].toSorted(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
  console.error(`attack variants contained: ${table.map(([id, count]) => `${id} ${count}`).join(", ")}`);
});

function note(name: string, variants = 1): void {
  const id = /^S\d+/.exec(name)?.[0] ?? "S0";
  contained.set(id, (contained.get(id) ?? 0) + variants);
}

/** Nothing outside was shown, changed or made. */
function unharmed(server: TestServer, said: string): void {
  expect(said).not.toContain(CANARY);
  expect(readFileSync(path.join(server.base, "outside/secret.txt"), "utf8")).toBe(CANARY);
  expect(readdirSync(path.join(server.base, "outside")).toSorted()).toEqual(["deep", "secret.txt"]);
  expect(readdirSync(`${server.root}_evil`)).toEqual(["secret.txt"]);
}

/** Every tool that takes a path, aimed at one. */
const AIMED: [tool: string, args: (at: string) => Record<string, unknown>][] = [
  ["view", (at) => ({ path: at })],
  ["str_replace", (at) => ({ path: at, old_str: "canary", new_str: "gone" })],
  ["create_file", (at) => ({ path: at, content: "planted" })],
  ["grep", (at) => ({ pattern: "canary", path: at, output_mode: "content" })],
  ["glob", (at) => ({ pattern: "*", path: at })],
  ["read_file", (at) => ({ file: at })],
  ["list_dir", (at) => ({ dir: at })],
  ["edit_file", (at) => ({ file: at, find: "canary", replace: "gone" })],
  ["write_file", (at) => ({ file: at, content: "planted" })],
  ["delete_file", (at) => ({ path: `${at}/secret.txt` })],
  ["move_file", (at) => ({ from: "inside.txt", to: `${at}/moved.txt` })],
  ["move_file", (at) => ({ from: `${at}/secret.txt`, to: "taken.txt" })],
  ["mkdir", (at) => ({ dir: `${at}/made` })],
  ["run_command", (at) => ({ command: "node", args: ["-p", "1"], cwd: at })],
  ["shell", (at) => ({ command: "cat secret.txt", working_directory: at })],
];

const OUTSIDE: [name: string, at: (server: TestServer) => string][] = [
  ["S1 a sibling with the same prefix", (server) => `${server.root}_evil`],
  ["S1 a sibling through the parent", () => "../work_evil"],
  ["S2 a link to a folder", () => "to-dir"],
  ["S2 a relative link", () => "relative"],
  ["S2 a chain of links", () => "chain-a"],
  ["S2 a link to the root", (server) => `to-root${server.base}/outside`],
  ["S2 a link through /proc", (server) => `to-proc${server.base}/outside`],
  ["S2 a loop", () => "loop"],
  ["S2 up and down again", () => "dir/../../outside"],
  ["S3 a dangling link", () => "dangling"],
  ["S3 a dangling link below nothing", () => "dangling-deep"],
  ["S6 a NUL", () => "inside.txt\0/../../outside"],
  ["S6 percent-encoding is literal", () => "%2e%2e/outside"],
  ["S6 a file URL", (server) => `file://${server.base}/outside`],
  ["S6 a very long name", () => "x".repeat(5000)],
  ["S6 a fullwidth look-alike", () => "．．/outside"],
];

for (const [name, at] of OUTSIDE) {
  row(
    "threats",
    `${name}: every tool`,
    forEachMode(async (server) => {
      for (const [tool, args] of AIMED) {
        const result = await server.call(tool, args(at(server)));
        const said = JSON.stringify(result);
        unharmed(server, said);
        note(name);
        // Some of these are names like any other: what counts is that they name nothing outside.
        const harmless =
          /literal|look-alike/.test(name) ||
          tool === "glob" ||
          tool === "create_file" ||
          tool === "write_file" ||
          tool === "mkdir" ||
          tool === "move_file";
        if (!harmless) expect([tool, name, result.isError]).toEqual([tool, name, true]);
      }
      for (const leftover of ["．．", "%2e%2e"]) rmSync(server.at(leftover), { recursive: true, force: true });
      writeFileSync(server.at("inside.txt"), "inside\n");
    }),
  );
}

row(
  "threats",
  "S2 a link to a file outside: read, edited, overwritten, deleted",
  forEachMode(async (server) => {
    for (const tool of ["view", "str_replace", "create_file", "grep", "read_file", "edit_file", "write_file"]) {
      const args = AIMED.find(([name]) => name === tool)?.[1]("to-file");
      const result = await server.call(tool, args);
      expect([tool, result.isError]).toEqual([tool, true]);
      unharmed(server, JSON.stringify(result));
      note("S2");
    }
    expect(await server.text("grep", { pattern: "canary", output_mode: "content" })).toBe("");
  }),
);

row("threats", "S4 a folder swapped with a link while we work: nothing outside is touched", async () => {
  const server = servers.get("off");
  if (server === undefined) return;
  mkdirSync(server.at("swap"), { recursive: true });
  writeFileSync(server.at("swap/secret.txt"), "mine");
  const swap = { running: true };
  let turn = 0;
  const swapping = (async () => {
    while (swap.running) {
      try {
        renameSync(server.at("swap"), server.at(`aside-${(turn += 1)}`));
        symlinkSync(path.join(server.base, "outside"), server.at("swap"));
        await Bun.sleep(0);
        unlinkSync(server.at("swap"));
        renameSync(server.at(`aside-${turn}`), server.at("swap"));
      } catch {
        // the server made the folder anew in between
      }
      await Bun.sleep(0);
    }
  })();
  for (let i = 0; i < 60; i += 1) {
    const said = await Promise.all([
      ...Array.from({ length: 8 }, () => server.text("view", { path: "swap/secret.txt" })),
      ...Array.from({ length: 4 }, (_, n) => server.text("create_file", { path: `swap/new-${n}`, content: "x" })),
      server.text("str_replace", { path: "swap/secret.txt", old_str: "canary", new_str: "gone" }),
      server.text("read_file", { file: "swap/secret.txt" }),
    ]);
    unharmed(server, said.join("\n"));
    note("S4", said.length);
  }
  swap.running = false;
  await swapping;
});

rows(
  "threats",
  [
    ["a FIFO", (server: TestServer) => void Bun.spawnSync(["mkfifo", server.at("odd")])],
    ["a link to a device", (server: TestServer) => symlinkSync("/dev/zero", server.at("odd"))],
    ["a link into /proc", (server: TestServer) => symlinkSync("/proc/kmsg", server.at("odd"))],
    ["a sparse terabyte", (server: TestServer) => void Bun.spawnSync(["truncate", "-s", "1T", server.at("odd")])],
    ["one endless line", (server: TestServer) => writeFileSync(server.at("odd"), "x".repeat(40_000_000))],
  ] satisfies [string, (server: TestServer) => void][],
  async (name, make) => {
    for (const server of servers.values()) {
      make(server);
      const calls = Array.from({ length: 8 }, (_, i) =>
        i % 2 === 0 ? server.call("view", { path: "odd" }) : server.call("read_file", { file: "odd" }),
      );
      const ping = await Promise.race([server.request("ping", {}), Bun.sleep(10_000).then(() => "late")]);
      expect([name, ping]).not.toEqual([name, "late"]);
      for (const result of await Promise.all(calls)) {
        expect(result.isError === true || (result.content[0]?.text ?? "").startsWith("Binary file")).toBe(true);
      }
      rmSync(server.at("odd"), { force: true });
      note("S5", calls.length);
    }
  },
);

const sandboxed = (
  name: string,
  command: (server: TestServer) => string,
  holds: (said: string, server: TestServer) => void,
): void => {
  if (!hasSandbox) return skipped("threats", name, "bwrap is missing");
  row("threats", name, async () => {
    const server = servers.get("require");
    if (server === undefined) throw new Error("no sandboxed server");
    for (const tool of ["bash", "shell"]) {
      const said = JSON.stringify(await server.call(tool, { command: command(server) }));
      unharmed(server, said);
      holds(said, server);
      note(name);
    }
  });
};
const nothing = (): void => {};
/** Rules with wildcards are applied anew every two seconds. */
function lateKey(server: TestServer): string {
  writeFileSync(server.at("late.pem"), CANARY);
  Bun.sleepSync(2200);
  return "cat late.pem";
}
sandboxed(
  "S7 a command reads outside",
  (s) => `cat ${s.base}/outside/secret.txt; cat ${s.root}_evil/secret.txt; cat ${s.base}/home/.netrc`,
  nothing,
);
sandboxed(
  "S7 a command reads through a link",
  () => "cat to-file to-dir/secret.txt to-root/etc/shadow",
  (said) => expect(said).not.toContain("root:"),
);
sandboxed(
  "S7 a command writes outside",
  (s) => `echo x > ${s.base}/outside/new; mkdir ${s.base}/outside/d; touch ${s.root}_evil/new`,
  nothing,
);
sandboxed("S7 a command deletes outside", (s) => `rm -rf ${s.base}/outside ${s.root}_evil`, nothing);
sandboxed(
  "S7 a command moves outside in",
  (s) => `mv ${s.base}/outside/secret.txt . ; ln ${s.base}/outside/secret.txt hard; cat hard`,
  nothing,
);
sandboxed(
  "S7 a command writes to the system",
  () => "touch /usr/bin/evil /etc/evil /opt/evil",
  () => expect(existsSync("/etc/evil") || existsSync("/usr/bin/evil")).toBe(false),
);
sandboxed(
  "S7 a command connects out",
  () => "exec 3<>/dev/tcp/1.1.1.1/80 && echo connected",
  (said) => expect(said).not.toContain("connected\\n"),
);
sandboxed("S7 a command reads other processes", () => "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline", nothing);
sandboxed("S7 a denied file is not there for the shell either", () => "cat dir/early.pem", nothing);
sandboxed("S7 nor one that came later", (s) => lateKey(s), nothing);
sandboxed("S7 a command kills its server", (s) => `kill -9 ${s.process.pid}; kill -9 -1`, nothing);
sandboxed(
  "S7 the machine's name, mounts and users stay",
  () => "hostname evil; mount -t tmpfs x /mnt; umount /proc; chroot / id; unshare -r id",
  nothing,
);

row("threats", "S7 without a sandbox the server says so loudly, and require refuses", async () => {
  const server = servers.get("off");
  expect(server?.stderr).toContain("commands run WITHOUT a sandbox");
});

/** Ways to hide `touch hijacked` from a rule that denies `touch`. */
const HIDDEN: readonly string[] = [
  "touch hijacked",
  "/usr/bin/touch hijacked",
  "t''ouch hijacked",
  't"ou"ch hijacked',
  "\\touch hijacked",
  "$'touch' hijacked",
  "$'\\x74ouch' hijacked",
  "touch${IFS}hijacked",
  "t=touch; $t hijacked",
  "$(echo touch) hijacked",
  "`echo touch` hijacked",
  "true; touch hijacked",
  "true && touch hijacked",
  "false || touch hijacked",
  "true & touch hijacked",
  "true\ntouch hijacked",
  "true\r\ntouch hijacked",
  "(touch hijacked)",
  "{ touch hijacked; }",
  "if true; then touch hijacked; fi",
  "for i in 1; do touch hijacked; done",
  "echo $(touch hijacked)",
  'echo "`touch hijacked`"',
  "cat <(touch hijacked)",
  "f() { touch hijacked; }; f",
  "shopt -s expand_aliases\nalias x='touch hijacked'\nx",
  "set -o posix\nalias x='touch hijacked'\nx",
  "set -o posix\nBASH_ALIASES[x]='touch hijacked'\nx",
  "shopt -s expand_aliases; declare -A BASH_ALIASES=([x]='touch hijacked')\nx",
  "POSIXLY_CORRECT=1\nBASH_ALIASES[x]='touch hijacked'\nx",
  "export POSIXLY_CORRECT=1\nprintf -v 'BASH_ALIASES[x]' 'touch hijacked'\nx",
  "sh -c 'touch hijacked'",
  "bash -c \"bash -c 'touch hijacked'\"",
  "env touch hijacked",
  "env -i A=1 touch hijacked",
  "command touch hijacked",
  "exec touch hijacked",
  "nohup touch hijacked",
  "nice -n 5 touch hijacked",
  "timeout 5 touch hijacked",
  "xargs touch <<< hijacked",
  "echo hijacked | xargs touch",
  "find . -maxdepth 0 -exec touch hijacked \\;",
  "eval 'touch hijacked'",
  "eval touch hijacked",
  "git -c alias.x='!touch hijacked' x",
  "tar cf /dev/null inside.txt --checkpoint=1 --checkpoint-action=exec='touch hijacked'",
  "sh <<< 'touch hijacked'",
  "sh <<EOF\ntouch hijacked\nEOF",
  "echo 'touch hijacked' | sh",
  "awk 'BEGIN { system(\"touch hijacked\") }'",
  "A=1 B=2 touch hijacked",
  "{touch,hijacked}",
  "/usr/bin/tou[c]h hijacked",
  "time touch hijacked",
  "! touch hijacked",
  "coproc touch hijacked",
  "trap 'touch hijacked' EXIT",
  `${"true; ".repeat(200)}touch hijacked`,
];

row("threats", "S8 shell text that hides a command from a rule never runs it", async () => {
  const { base, root } = scratch({ "inside.txt": "x" });
  mkdirSync(`${base}/config/bosun`, { recursive: true });
  writeFileSync(
    `${base}/config/bosun/config.toml`,
    '[[rules]]\nname = "no touch"\ndecide = "deny"\ncommand = "touch"\n',
    { mode: 0o600 },
  );
  await using server = await TestServer.start({ root, args: ["--sandbox", "off", "--tools", "coding,shell"] });
  for (const command of HIDDEN) {
    for (const tool of ["bash", "shell"]) {
      const result = await server.call(tool, { command });
      expect([command, existsSync(server.at("hijacked"))]).toEqual([command, false]);
      expect([command, result.isError]).toEqual([command, true]);
      note("S8");
    }
  }
  for (const harmless of [
    "echo touch",
    "grep touch inside.txt || true",
    "ls; echo 'touch hijacked'",
    "git log --grep=touch || true",
  ]) {
    expect([harmless, (await server.bash(harmless)).slice(0, 12)]).toEqual([harmless, "exit_code: 0"]);
  }
});

row("threats", "S9 redirects and writing builtins cannot leave the sandbox's folders", async () => {
  const server = servers.get("require") ?? servers.get("off");
  if (server === undefined || !hasSandbox) return;
  const out = `${server.base}/outside/new`;
  for (const command of [
    `echo x > ${out}`,
    `sort -o ${out} inside.txt`,
    `sed -i s/c/d/ ${server.base}/outside/secret.txt`,
    `echo x | tee ${out}`,
    `awk '{print > "${out}"}' inside.txt`,
    `cp inside.txt ${out}`,
    `dd if=inside.txt of=${out}`,
  ]) {
    unharmed(server, await server.bash(command));
    note("S9");
  }
});

rows(
  "threats",
  [
    ["S10 a pattern that is an option", "grep", { pattern: "--pre=touch hijacked" }],
    ["S10 a path that is an option", "grep", { pattern: "x", path: "--files" }],
    ["S10 an include that is an option", "grep", { pattern: "x", include: "--pre=sh" }],
    ["S10 a glob that is an option", "glob", { pattern: "--exec" }],
    ["S10 a file named like one", "view", { path: "-rf" }],
  ] satisfies [string, string, Record<string, unknown>][],
  async (_, tool, args) => {
    for (const server of servers.values()) {
      await server.call(tool, args);
      expect(existsSync(server.at("hijacked"))).toBe(false);
      note("S10");
    }
  },
);

row(
  "threats",
  "S11 nothing a tool can do makes or changes policy, state or record, also where they do not exist",
  async () => {
    for (const mode of modes) {
      // The whole base is allowed, so that settings and state lie inside the scope.
      const { base } = scratch();
      await using server = await TestServer.start({
        root: path.join(base, "work"),
        args: ["--sandbox", mode, "--allow-dir", base, "--tools", "coding,workspace"],
      });
      const targets = [
        ".bosun.toml",
        "../config/bosun/config.toml",
        "../config/bosun/config.json",
        "../state/bosun/approvals.json",
        "../state/bosun/audit/audit.jsonl",
        "../state/bosun/sandbox.json",
        "../data/bosun/x",
      ];
      for (const target of targets) {
        const result = await server.call("create_file", { path: target, content: '[serve]\nsandbox = "off"\n' });
        expect([target, result.isError]).toEqual([target, true]);
        const said = await server.call("str_replace", { path: target, old_str: "n", new_str: "m" });
        expect([target, said.isError]).toEqual([target, true]);
        note("S11", 2);
      }
      const before = snapshotOf(base);
      if (mode === "require") {
        for (const target of targets)
          await server.bash(
            `echo planted > ${target}; ln -sf /tmp/x ${target}; mv ../work/inside.txt ${target}; rm -f ${target}`,
          );
        await server.bash(
          "mkdir -p ../config/bosun && echo planted > ../config/bosun/config.toml; rm -rf ../state/bosun; mv ../state ../state2",
        );
      }
      for (const file of [".bosun.toml", "../config/bosun/config.toml"]) {
        const full = path.resolve(server.root, file);
        if (existsSync(full)) expect(readFileSync(full, "utf8")).not.toContain("planted");
      }
      expect(existsSync(path.join(base, "state/bosun/audit"))).toBe(true);
      expect(snapshotOf(base).filter((line) => line.includes("planted"))).toEqual(
        before.filter((line) => line.includes("planted")),
      );
    }
  },
);

row(
  "threats",
  "S12 no secret of the server reaches a child, a result, the log or the record",
  forEachMode(async (server, mode) => {
    const said = [
      await server.bash("env; export -p; cat /proc/self/environ"),
      JSON.stringify(await server.call("shell", { command: "env" })),
      JSON.stringify(
        await server.call("run_command", { command: "node", args: ["-p", "JSON.stringify(process.env)"] }),
      ),
    ].join("\n");
    expect(said).not.toContain(CANARY);
    expect(said).not.toContain("stdio-ignores-it");
    expect(said).not.toContain("SSH_AUTH_SOCK");
    if (mode === "require") expect(await server.bash(`cat /proc/${server.process.pid}/environ`)).not.toContain(CANARY);
    const folder = path.join(server.base, "state/bosun/audit");
    for (const name of readdirSync(folder)) {
      expect(readFileSync(path.join(folder, name), "utf8")).not.toContain(CANARY);
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(server.stderr).not.toContain(CANARY);
    note("S12", 5);
  }),
);

row("threats", "S12 a token the server was given never shows in a result", async () => {
  const token = "0123456789abcdef-very-secret";
  await using server = await HttpServer.start({
    args: ["--sandbox", "off", "--token", token, "--tools", "coding,shell"],
  });
  const session = await server.session({ authorization: `Bearer ${token}` });
  const said = await session.text("bash", { command: `tr '\\0' ' ' < /proc/${server.process.pid}/cmdline` });
  expect(said).toContain("[redacted: server token]");
  expect(said).not.toContain(token);
  expect(
    JSON.stringify(await session.call("shell", { command: `cat /proc/${server.process.pid}/cmdline | tr '\\0' ' '` })),
  ).not.toContain(token);
});

row("threats", "S16 a server killed in the middle of writing leaves the old file or the new one", async () => {
  const { root } = scratch();
  for (let round = 0; round < 6; round += 1) {
    const server = await TestServer.start({ root, args: ["--sandbox", "off"] });
    writeFileSync(server.at("precious.txt"), "old".repeat(500_000));
    void server.call("create_file", { path: "precious.txt", content: "new".repeat(2_000_000) }).catch(() => {});
    await Bun.sleep(round * 6);
    server.process.kill("SIGKILL");
    await server.process.exited;
    const content = readFileSync(server.at("precious.txt"), "utf8");
    expect(content === "old".repeat(500_000) || content === "new".repeat(2_000_000)).toBe(true);
    note("S16");
  }
});

row("threats", "S5 a client that stops reading is not a reason to stop or to grow", async () => {
  const { base, root } = scratch({ "big.txt": "0123456789\n".repeat(90_000) });
  const child = Bun.spawn(
    [
      process.execPath,
      "--no-env-file",
      "--config=/dev/null",
      path.resolve(import.meta.dir, "../src/main.ts"),
      "--transport",
      "stdio",
      "--tools",
      "workspace",
      "--sandbox",
      "off",
    ],
    { cwd: root, env: cleanEnvironment(base), stdin: "pipe", stdout: "pipe", stderr: "ignore" },
  );
  child.stdin.write(
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n',
  );
  for (let id = 1; id <= 300; id += 1)
    child.stdin.write(
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"read_file","arguments":{"file":"big.txt","maxBytes":1048576}}}\n`,
    );
  void Promise.resolve(child.stdin.flush()).catch(() => {});
  await Bun.sleep(3000);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
  expect(rss).toBeLessThan(700);
  child.kill("SIGTERM");
  await eventually("it ends", () => child.exitCode !== null || child.signalCode !== null, 30_000);
});

function snapshotOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(
      (entry) =>
        `${entry.parentPath}/${entry.name}: ${readFileSync(path.join(entry.parentPath, entry.name), "utf8").slice(0, 200)}`,
    );
}
