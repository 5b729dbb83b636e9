// Places that a person's own programs obey, through the real server: what commands and file tools change there is asked
// about, put back or noted; said in the result; on record.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { BUN, cleanEnvironment, eventually, MAIN, scratch, TestServer } from "./harness/server.ts";
import type { Message, Options } from "./harness/server.ts";

announceRows();

const ASKS = { elicitation: {} };
const KEEP = "keep the change";
const LEAVE = "leave it as it was";
type Made = { base: string; root: string };

/** A server whose person answers like that; `asked` has what they saw. */
async function serverWith(
  answer: string | undefined,
  options: Options = {},
): Promise<{ server: TestServer; asked: string[] }> {
  const server = await TestServer.start({ ...(answer === undefined ? {} : { capabilities: ASKS }), ...options });
  const asked: string[] = [];
  server.onRequest = ({ params }: Message) => {
    asked.push(String(params?.["message"]));
    const schema = params?.["requestedSchema"] as { properties: Record<string, unknown> };
    const content = Object.fromEntries(Object.keys(schema.properties).map((name) => [name, answer]));
    return { action: "accept", content };
  };
  return { server, asked };
}

function read(server: { root: string }, name: string): string | undefined {
  const file = path.join(server.root, name);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

function audit(base: string): Record<string, unknown>[] {
  const folder = `${base}/state/bosun/audit`;
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => fs.readFileSync(`${folder}/${name}`, "utf8").split("\n").filter(Boolean))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const changedPlaces = (base: string): unknown[] =>
  audit(base)
    .filter(({ kind }) => kind === "changed-place")
    .map(({ place, level, done }) => `${level} ${path.basename(String(place))} ${done}`);

const EVIL = "mkdir -p .vscode && echo evil > .vscode/tasks.json && echo out";

together(() => {
  for (const sandbox of ["off", "auto"]) {
    rows(
      "server",
      [
        [`a command writes .vscode/tasks.json, sandbox ${sandbox}: yes`, KEEP, "evil\n", "kept"],
        [`a command writes .vscode/tasks.json, sandbox ${sandbox}: no`, LEAVE, undefined, "put back"],
        [`a command writes .vscode/tasks.json, sandbox ${sandbox}: cannot ask`, undefined, undefined, "put back"],
      ] satisfies [string, string | undefined, string | undefined, string][],
      async (_, answer, content, done) => {
        const { server, asked } = await serverWith(answer, { args: ["--sandbox", sandbox] });
        await using _server = server;
        const said = await server.bash(EVIL);
        expect(read(server, ".vscode/tasks.json")).toBe(content);
        expect(asked).toHaveLength(answer === undefined ? 0 : 1);
        if (answer !== undefined) expect(asked[0]).toMatch(/\.vscode\/tasks\.json \(editors run it\)[\s\S]*\+evil/);
        expect(said).toMatch(/^exit_code: 0\n\nstdout:\nout\n/);
        if (done === "kept") expect(said).toContain("[protected] kept, the person agreed: .vscode/tasks.json");
        else {
          const line =
            /\[protected\] put back: \.vscode\/tasks\.json \(editors run it; your version is kept in (\/\S+)\)\. The person can allow it: --open-place '\.vscode\/\*\*'\n?$/;
          expect(fs.readFileSync(line.exec(said)?.[1] ?? "", "utf8")).toBe("evil\n");
        }
        const isKept = done === "kept";
        expect(server.stderr.includes("a protected place was put back")).toBe(!isKept);
        expect(server.stderr.includes("a protected place was kept, the person agreed")).toBe(isKept);
        await server.bash("true");
        expect(asked).toHaveLength(answer === undefined ? 0 : 1);
        await server.close();
        expect(changedPlaces(server.base)).toContain(`settle tasks.json ${done}`);
      },
    );
  }

  row("server", "run_command and shell say it, too", async () => {
    const { server } = await serverWith(undefined, { args: ["--sandbox", "off", "--tools", "workspace,shell"] });
    await using _server = server;
    fs.writeFileSync(server.at("evil.mjs"), 'import fs from "node:fs"; fs.writeFileSync(".envrc", "evil");');
    const ran = await server.call("run_command", { command: "node", args: ["evil.mjs"] });
    expect(JSON.parse(ran.content[0]?.text ?? "")).toMatchObject({
      ok: true,
      warning: expect.stringContaining("[protected] put back: .envrc"),
    });
    expect(read(server, ".envrc")).toBeUndefined();
    expect(await server.text("shell", { command: "echo evil > .envrc" })).toMatch(
      /^Command executed successfully\n\[protected\] put back: \.envrc /,
    );
    expect(read(server, ".envrc")).toBeUndefined();
  });

  row(
    "server",
    "git checkout of another tracked .mcp.json: HEAD moves, the file is put back, and it is said",
    async () => {
      const made = scratch();
      const git = (...words: string[]): string =>
        Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
          cwd: made.root,
        }).stdout.toString();
      git("init", "-q", "-b", "main", ".");
      fs.writeFileSync(`${made.root}/.mcp.json`, "one\n");
      git("add", ".");
      git("commit", "-qm", "one");
      git("checkout", "-qb", "other");
      fs.writeFileSync(`${made.root}/.mcp.json`, "two\n");
      git("commit", "-qam", "two");
      git("checkout", "-q", "main");
      await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "auto"] });
      const said = await server.bash("git checkout -q other");
      expect(said).toMatch(/^exit_code: 0/);
      expect(said).toContain("[protected] put back: .mcp.json");
      expect(said).toMatch(/\[protected\] if git tracks .* modified or deleted: do not commit it .*--open-place$/m);
      expect([git("branch", "--show-current"), read(server, ".mcp.json")]).toEqual(["other\n", "one\n"]);
    },
  );

  row("server", "scripts, workflows and Makefiles: no question, on record", async () => {
    const files = { "package.json": '{"scripts":{}}', Makefile: "all:\n" };
    const { server, asked } = await serverWith(KEEP, { files, args: ["--sandbox", "off"] });
    await using _server = server;
    const said = await server.bash(
      `echo '{"scripts":{"x":"y"}}' > package.json; echo 'all: x' > Makefile; mkdir -p .github/workflows; echo on: > .github/workflows/ci.yml`,
    );
    await server.call("create_file", { path: "Makefile", content: "all: y\n" });
    await server.call("create_file", { path: "package.json", content: '{"name":"z","scripts":{"x":"y"}}' });
    expect([said, asked]).toEqual(["exit_code: 0\n", []]);
    await server.close();
    expect(changedPlaces(server.base).sort()).toEqual([
      "note Makefile noted",
      "note Makefile noted",
      "note ci.yml noted",
      "note package.json noted",
    ]);
  });

  rows(
    "server",
    [
      ["create_file", "coding", { path: ".vscode/tasks.json", content: "new\n" }, "new\n"],
      ["str_replace", "coding", { path: ".vscode/tasks.json", old_str: "old", new_str: "new" }, "new\n"],
      ["write_file", "workspace", { file: ".vscode/tasks.json", content: "new\n" }, "new\n"],
      ["edit_file", "workspace", { file: ".vscode/tasks.json", find: "old", replace: "new" }, "new\n"],
      ["delete_file", "workspace", { path: ".vscode/tasks.json" }, undefined],
      ["move_file", "workspace", { from: "x", to: ".vscode/tasks.json", overwrite: true }, "x\n"],
    ] satisfies [string, string, Record<string, unknown>, string | undefined][],
    async (tool, surface, input, content) => {
      const files = { ".vscode/tasks.json": "old\n", x: "x\n" };
      const args = ["--sandbox", "off", "--tools", surface];
      const refused = await serverWith(undefined, { files, args });
      await using _refused = refused.server;
      const failed = await refused.server.call(tool, input);
      expect(failed.isError).toBe(true);
      expect(failed.content[0]?.text).toContain(
        "PROTECTED: .vscode/tasks.json: editors run it outside the sandbox. The person can allow it: --open-place '.vscode/**'",
      );
      expect(read(refused.server, ".vscode/tasks.json")).toBe("old\n");
      const no = await serverWith("refuse", { files, args });
      await using _no = no.server;
      expect((await no.server.call(tool, input)).isError).toBe(true);
      expect(read(no.server, ".vscode/tasks.json")).toBe("old\n");
      const yes = await serverWith("allow once", { files, args });
      await using _yes = yes.server;
      expect((await yes.server.call(tool, input)).isError).not.toBe(true);
      expect(read(yes.server, ".vscode/tasks.json")).toBe(content);
      expect(yes.asked).toHaveLength(1);
      if (tool.match(/create|replace|write|edit/)) expect(yes.asked[0]).toMatch(/-old\n\s+\+new/);
      await yes.server.close();
      expect(changedPlaces(yes.server.base)).toEqual(["settle tasks.json kept"]);
    },
  );

  rows(
    "server",
    [
      ["a file", "x", ".vscode/tasks.json", /\+from x/],
      ["a folder", "sub", ".idea", /\+a folder\n\s+\+run\.xml:\n\s+\+from sub/],
      ["a link", "link", ".vscode/tasks.json", /\+a link to x/],
      [
        "a place to another place",
        ".envrc",
        ".vscode/tasks.json",
        /\.envrc:\n\s+-mine[\s\S]*goes away\n\.vscode\/tasks\.json:\n[\s\S]*\+mine/,
      ],
      ["a place elsewhere", ".envrc", "y", /-mine\n\s+it goes away/],
      ["more than can be read", "long", ".vscode/tasks.json", undefined],
    ] satisfies [string, string, string, RegExp | undefined][],
    async (_, from, to, shown) => {
      const files = { x: "from x\n", "sub/run.xml": "from sub\n", ".envrc": "mine\n", long: "a\n".repeat(100_000) };
      const { server, asked } = await serverWith("allow once", {
        files,
        args: ["--sandbox", "off", "--tools", "workspace"],
      });
      await using _server = server;
      fs.symlinkSync("x", server.at("link"));
      fs.mkdirSync(server.at(".vscode"));
      const moved = await server.call("move_file", { from, to });
      if (shown === undefined) {
        expect(asked).toEqual([]);
        expect(moved.content[0]?.text).toContain("PROTECTED: .vscode/tasks.json");
        return expect(fs.existsSync(server.at(to))).toBe(false);
      }
      expect(asked).toEqual([expect.stringMatching(shown)]);
      const isThere = fs.lstatSync(server.at(to), { throwIfNoEntry: false }) !== undefined;
      expect([moved.isError === true, isThere]).toEqual([false, true]);
    },
  );

  row("server", "what is moved to a place must be what was shown", async () => {
    const { server } = await serverWith("allow once", {
      files: { x: "harmless\n" },
      args: ["--sandbox", "off", "--tools", "workspace"],
    });
    await using _server = server;
    const answer = server.onRequest;
    server.onRequest = (message) => {
      fs.writeFileSync(server.at("x"), "evil\n");
      return answer?.(message);
    };
    const moved = await server.call("move_file", { from: "x", to: ".envrc" });
    expect([moved.isError, read(server, ".envrc")]).toEqual([true, undefined]);
  });

  row(
    "server",
    "out of descriptors when a command ends: the result says that places could not be checked",
    async () => {
      const { server } = await serverWith(undefined, { args: ["--sandbox", "off"] });
      await using _server = server;
      const limit = (soft: string): unknown =>
        Bun.spawnSync(["prlimit", "--pid", String(server.process.pid), `--nofile=${soft}:`]);
      await server.bash("true");
      const { stdout } = Bun.spawnSync([
        "prlimit",
        "--pid",
        String(server.process.pid),
        "--nofile",
        "-o",
        "SOFT",
        "--noheadings",
      ]);
      const said = server.bash("touch ready; while [ ! -e go ]; do sleep 0.02; done; echo evil > .envrc");
      await eventually("it has begun", () => read(server, "ready") !== undefined);
      limit("3");
      fs.writeFileSync(server.at("go"), "");
      expect(await said).toContain("[protected] could not be checked: ");
      limit(stdout.toString().trim());
      await eventually("it is put back", () => read(server, ".envrc") === undefined);
      expect(await server.bash("true")).toContain("[protected] put back: .envrc");
    },
  );

  row("server", "a file tool through a link to a protected place is asked about as well", async () => {
    const { server } = await serverWith(undefined, { files: { ".envrc": "mine\n" }, args: ["--sandbox", "off"] });
    await using _server = server;
    fs.symlinkSync(".envrc", server.at("innocent"));
    expect(await server.text("create_file", { path: "innocent", content: "evil\n" })).toContain("PROTECTED: .envrc");
    fs.mkdirSync(server.at("shared"));
    fs.symlinkSync("shared", server.at(".idea"));
    expect(await server.text("create_file", { path: ".idea/x.xml", content: "evil\n" })).toContain(
      "PROTECTED: .idea/x.xml",
    );
  });

  row("server", "a yes to a file tool holds while a task runs", async () => {
    const { server } = await serverWith("allow once", { args: ["--sandbox", "off"] });
    await using _server = server;
    await server.bash("sleep 100", { run_in_background: true });
    await server.call("create_file", { path: ".envrc", content: "agreed\n" });
    const said = await server.bash("true");
    expect([read(server, ".envrc"), said]).toEqual(["agreed\n", "exit_code: 0\n"]);
  });

  row("server", "a task: put back while it runs, said with its output", async () => {
    const { server } = await serverWith(undefined, { args: ["--sandbox", "auto"] });
    await using _server = server;
    const started = await server.bash("echo evil > .envrc; touch ready; sleep 100", { run_in_background: true });
    const id = /task_id: (\w+)/.exec(started)?.[1];
    await eventually("it has begun", () => read(server, "ready") !== undefined);
    await eventually("it is put back", () => read(server, ".envrc") === undefined);
    const said = await server.text("task_output", { task_id: id });
    expect(said).toMatch(/^status: running\n\[protected\] put back: \.envrc /);
    await server.call("task_output", { task_id: id, stop: true });
  });

  row("server", "what a command leaves running changes nothing for long", async () => {
    const { server } = await serverWith(undefined, { args: ["--sandbox", "off"] });
    await using _server = server;
    const late =
      "(while [ ! -e go ]; do sleep 0.05; done; echo evil > .envrc; touch done; sleep 100) > /dev/null 2>&1 &";
    expect(await server.bash(late)).toMatch(/^exit_code: 0/);
    await Bun.sleep(300); // longer than a server waits before it looks for leftovers
    fs.writeFileSync(server.at("go"), "");
    await eventually("it has written", () => read(server, "done") !== undefined);
    await eventually("it is put back", () => read(server, ".envrc") === undefined);
  });

  row("server", "the sandbox leaves nothing running that could write later", async () => {
    const { server } = await serverWith(undefined, { args: ["--sandbox", "require"] });
    await using _server = server;
    await server.bash("(while [ ! -e go ]; do sleep 0.05; done; touch done) > /dev/null 2>&1 &");
    fs.writeFileSync(server.at("go"), "");
    await server.bash("sleep 0.5");
    expect(read(server, "done")).toBeUndefined();
  });

  row("server", "2026-07-28: put back at once; the next command asks in one form; a yes puts it in", async () => {
    const made: Made = scratch();
    const asked: string[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(String(params.message));
      return { action: "accept" as const, content: { place1: KEEP, place2: LEAVE } };
    });
    const [command = "", ...flags] = BUN;
    await client.connect(
      new StdioClientTransport({
        command,
        args: [...flags, MAIN, "--transport", "stdio", "--sandbox", "off"],
        cwd: made.root,
        env: cleanEnvironment(made.base),
        stderr: "ignore",
      }),
    );
    const bash = async (text: string): Promise<string> => {
      const result = (await client.callTool({ name: "bash", arguments: { command: text } })) as {
        content: { text?: string }[];
      };
      return result.content[0]?.text ?? "";
    };
    expect(await bash("echo one > .envrc; echo two > .mcp.json; echo x >> count")).toContain(
      "[protected] put back: .envrc",
    );
    expect([read(made, ".envrc"), asked]).toEqual([undefined, []]);
    await bash("echo x >> count");
    expect(asked).toHaveLength(1);
    expect([read(made, ".envrc"), read(made, ".mcp.json")]).toEqual(["one\n", undefined]);
    expect(read(made, "count")).toBe("x\nx\n");
    await bash("true");
    expect(asked).toHaveLength(1);
    await client.close();
    fs.rmSync(made.base, { recursive: true, force: true });
  });

  row("server", "killed in a command that changed .envrc: the next start there puts it back and says so", async () => {
    const made = scratch({ ".envrc": "mine\n" });
    const killed = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    void killed.bash("echo evil > .envrc; touch ready; sleep 100").catch(() => {});
    await eventually("the command has written", () => read(made, "ready") !== undefined);
    killed.process.kill("SIGKILL");
    await killed.process.exited;
    expect(read(made, ".envrc")).toBe("evil\n");
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    await eventually("it says so", () => server.stderr.includes("left by a server that was killed"));
    expect(read(made, ".envrc")).toBe("mine\n");
    expect(changedPlaces(made.base)).toContain("settle .envrc put back");
  });

  row("server", "a session that ends has its last changes settled", async () => {
    const made = scratch({ ".envrc": "mine\n" });
    const server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    await server.bash("trap 'echo evil > .envrc; exit' TERM; touch ready; while :; do sleep 0.05; done", {
      run_in_background: true,
    });
    await eventually("it has begun", () => read(made, "ready") !== undefined);
    await server.close();
    expect(read(made, ".envrc")).toBe("mine\n");
    fs.rmSync(made.base, { recursive: true, force: true });
  });

  row("server", "two clients' commands in one folder: each is told", async () => {
    const { server } = await serverWith(undefined, { args: ["--sandbox", "off"] });
    await using _server = server;
    const long = server.bash("while [ ! -e go ]; do sleep 0.02; done");
    expect(await server.bash("echo evil > .envrc")).toContain("[protected] put back: .envrc");
    fs.writeFileSync(server.at("go"), "");
    await long;
    expect(read(server, ".envrc")).toBeUndefined();
  });
});

test.each(["require", "off"])(
  "what git is told to run, and is not there, is put back when made: sandbox %s",
  async (mode) => {
    const { base, root } = scratch({ "a.txt": "a\n" });
    Bun.spawnSync(["git", "init", "-q", root]);
    fs.writeFileSync(path.join(base, "home/.gitconfig"), "[core]\n\thooksPath = .githooks\n");
    await using server = await TestServer.start({ root, args: ["--sandbox", mode] });
    const said = await server.bash("mkdir -p .githooks && echo evil > .githooks/pre-commit; ls -A");
    expect(said).toContain("[protected] put back: .githooks");
    expect(fs.existsSync(path.join(root, ".githooks/pre-commit"))).toBe(false);
  },
);

test("without a sandbox git's own places are put back, and what names no program may be set", async () => {
  const { root } = scratch({ "a.txt": "a\n" });
  Bun.spawnSync(["git", "init", "-q", root]);
  await using server = await TestServer.start({ root, args: ["--sandbox", "off"] });
  const before = fs.readFileSync(path.join(root, ".git/config"), "utf8");
  const said = await server.bash("echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil");
  expect(said).toContain("[protected] put back: .git/hooks/pre-commit");
  expect(said).toContain("[protected] put back: .git/config");
  expect(fs.existsSync(path.join(root, ".git/hooks/pre-commit"))).toBe(false);
  expect(fs.readFileSync(path.join(root, ".git/config"), "utf8")).toBe(before);
  expect(await server.bash("git remote add o https://example.com/x && git remote")).toBe(
    "exit_code: 0\n\nstdout:\no\n",
  );
});

test("what a person's own git sets between commands stays, however soon after one", async () => {
  const { root } = scratch({ "a.txt": "a\n" });
  Bun.spawnSync(["git", "init", "-q", root]);
  await using server = await TestServer.start({ root, args: ["--sandbox", "auto"] });
  for (let i = 0; i < 5; i += 1) {
    await server.bash("true");
    Bun.spawnSync(["git", "config", "core.pager", `less -${i}`], { cwd: root });
  }
  expect(await server.bash("git config core.pager")).toBe("exit_code: 0\n\nstdout:\nless -4\n");
});

test("what git is told to run while the server works is put back when made, also within one moment", async () => {
  const { root } = scratch({ "a.txt": "a\n" });
  Bun.spawnSync(["git", "init", "-q", root]);
  await using server = await TestServer.start({ root, args: ["--sandbox", "require"] });
  await server.bash("true");
  Bun.spawnSync(["git", "config", "core.hooksPath", ".githooks"], { cwd: root });
  for (let i = 0; i < 3; i += 1)
    expect(await server.bash("mkdir -p .githooks && echo evil > .githooks/pre-commit")).toContain(
      "[protected] put back",
    );
  expect(fs.existsSync(path.join(root, ".githooks/pre-commit"))).toBe(false);
});

test.each(["a/b/c/d/e", "node_modules/x"])(
  "a repository that an index names is settled at any depth: %s",
  async (deep) => {
    const { base, root } = scratch({ "a.txt": "a\n" });
    Bun.spawnSync(["git", "init", "-q", root]);
    const mark = path.join(base, "ran");
    fs.writeFileSync(path.join(root, "evil.sh"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    await using server = await TestServer.start({ root, args: ["--sandbox", "require"] });
    const arm = `printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = %s/evil.sh\\n' $PWD > ${deep}/.git/config`;
    const as = "git -c user.name=a -c user.email=a@x";
    await server.bash(
      `mkdir -p ${deep} && git init -q ${deep} && ${as} -C ${deep} commit -q --allow-empty -m x && git add -f ${deep}; ${arm}`,
    );
    await server.bash(arm);
    Bun.spawnSync(["git", "status"], { cwd: root });
    expect(fs.existsSync(mark)).toBe(false);
  },
);

test.each([
  ["a link", 'echo ../../ev > real; ln -s "$PWD/real" sub/.git/commondir'],
  ["a very long path", `printf '..%s/../ev' "$(printf '/.%.0s' $(seq 5000))" > sub/.git/commondir`],
])("a commondir that is %s leads nowhere in a new repository", async (_, lead) => {
  const { base, root } = scratch({ "a.txt": "a\n" });
  const mark = path.join(base, "ran");
  fs.writeFileSync(path.join(root, "evil.sh"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  await using server = await TestServer.start({ root, args: ["--sandbox", "require"] });
  const config = "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = %s/evil.sh\\n' $PWD > ev/config";
  await server.bash(`git init -q sub; git init -q --bare ev; ${config}; ${lead}; git -C sub status`);
  fs.rmSync(mark, { force: true });
  Bun.spawnSync(["git", "status"], { cwd: path.join(root, "sub") });
  expect(fs.existsSync(mark)).toBe(false);
});
