// When the sandbox is the reason, the result says so and names the option; otherwise it says nothing of the kind.
import { afterAll, beforeAll, expect } from "bun:test";
import { announceRows, row, rows, skipped } from "./harness/contract.ts";
import { TestServer } from "./harness/server.ts";

announceRows();

const hasSandbox = Bun.which("bwrap") !== null;
let server: TestServer;
let open: TestServer;
beforeAll(async () => {
  [server, open] = await Promise.all([
    TestServer.start({ args: ["--tools", "coding,shell,workspace"], files: { "log.txt": "EAI_AGAIN\n" } }),
    TestServer.start({ args: ["--sandbox", "off"] }),
  ]);
});
afterAll(async () => {
  await Promise.all([server[Symbol.asyncDispose](), open[Symbol.asyncDispose]()]);
});

const NETWORK = "[sandbox] Commands have no network here. The person can allow it: bosun serve --allow-network.";

function hints(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("[sandbox]"));
}

if (!hasSandbox) skipped("server", "sandbox hints", "bwrap is missing");
else {
  rows(
    "server",
    [
      ["curl", "echo 'curl: (6) Could not resolve host: example.com' >&2; exit 6"],
      ["npm", "echo 'npm error code EAI_AGAIN'; exit 1"],
      ["pip", "echo '[Errno -3] Temporary failure in name resolution' >&2; exit 1"],
      ["git", "echo \"fatal: unable to access 'https://a.b/': Could not resolve host: a.b\" >&2; exit 128"],
      ["cargo", "echo 'failed to lookup address information: Temporary failure' >&2; exit 101"],
      ["go", "echo 'dial tcp: lookup proxy.golang.org: no such host' >&2; exit 1"],
      ["a real one", "getent hosts example.invalid || { echo 'getaddrinfo ENOTFOUND example.invalid' >&2; exit 2; }"],
      ["at the head of a pipe", "echo 'curl: (6) Could not resolve host: x' >&2 | cat"],
    ] satisfies [string, string][],
    async (_, command) => expect(hints(await server.bash(command))).toEqual([NETWORK]),
  );

  row("server", "a place that cannot be written is named, with the folders that can", async () => {
    const said = await server.bash("touch /usr/new");
    expect(hints(said)).toEqual([
      `[sandbox] /usr/new cannot be written: commands write below ${server.root} only. The person can allow a folder: bosun serve --allow-dir /usr.`,
    ]);
  });

  row("server", "a file of the home folder is said to be out of sight", async () => {
    const home = `${server.base}/home`;
    const said = await server.bash(`cat ${home}/.npmrc`);
    expect(hints(said)).toEqual([
      `[sandbox] ${home}/.npmrc is in the home folder, which commands do not see. The person can allow a folder: bosun serve --allow-dir ${home}.`,
    ]);
  });

  row("server", "every surface says it, a background task too", async () => {
    const command = "echo 'Could not resolve host: x' >&2; exit 6";
    const shell = await server.call("shell", { command });
    expect(shell.content[0]?.text).toBe(`Command failed with exit code 6\n${NETWORK}`);
    const script = "console.error('getaddrinfo EAI_AGAIN x'); process.exit(1)";
    const envelope = JSON.parse(await server.text("run_command", { command: "node", args: ["-e", script] })) as {
      data: { hints: string[] };
    };
    expect(envelope.data.hints).toEqual([NETWORK]);
    const started = await server.bash(command, { run_in_background: true });
    const task_id = /task_id: (\w+)/.exec(started)?.[1] ?? "";
    expect(hints(await server.text("task_output", { task_id, wait: 20_000 }))).toEqual([NETWORK]);
  });

  rows(
    "server",
    [
      ["a file that is not there", "cat none.txt"],
      ["a command that is not there", "sleeep 1"],
      ["what a file says about it", "grep EAI log.txt"],
      ["a file outside that is not there", "cat /etc/none"],
      ["an ordinary permission", "touch a && chmod 0 a && ./a"],
      ["a missing folder inside", "ls $PWD/none"],
    ] satisfies [string, string][],
    async (_, command) => expect(hints(await server.bash(command))).toEqual([]),
  );
}

row("server", "without a sandbox nothing is blamed on it", async () => {
  expect(hints(await open.bash("echo 'Could not resolve host: x' >&2; exit 6"))).toEqual([]);
});
