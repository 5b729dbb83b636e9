// What a person's own git runs or obeys, through the real server: file tools and commands leave it alone, ordinary work goes
// on, a command that is known to change it asks first, and what a person opens is open.
import { afterAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { BY_COMMAND, BY_TOOL, git, ranWhenUsed, repository } from "./attacks/protected-places.ts";
import type { Made } from "./attacks/protected-places.ts";
import { BUN, cleanEnvironment, MAIN, removeScratch, scratch, TestServer } from "./harness/server.ts";
import type { Message, Options } from "./harness/server.ts";

afterAll(removeScratch);

/** For commands inside, which see no home folder. */
const AS = "git -c user.name=a -c user.email=a@x";
const hasSandbox = Bun.which("bwrap") !== null;

type Reply = { action: string; content?: Record<string, string> };
const YES: Reply = { action: "accept", content: { decision: "allow once" } };
const NO: Reply = { action: "accept", content: { decision: "refuse" } };

async function asking(made: Made, reply: Reply, options: Options = {}) {
  const server = await TestServer.start({ root: made.root, capabilities: { elicitation: {} }, ...options });
  const asked: string[] = [];
  server.onRequest = ({ method, params }: Message) => {
    if (method !== "elicitation/create") return undefined;
    asked.push(String(params?.["message"]));
    return reply;
  };
  return { server, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("file tools", () => {
  test.each([...BY_TOOL])("do not plant %s", async (_, file) => {
    const made = repository();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    const before = git(made.root, "config", "--list", "--local");
    const { content, isError } = await server.call("create_file", { path: file, content: "evil\n" });
    expect(isError).toBe(true);
    expect(content[0]?.text).toStartWith(`[ACCESS_DENIED] PROTECTED: ${file} is `);
    expect(content[0]?.text).toMatch(/by git outside the sandbox\. The person can allow it: --open-place \S+$/);
    expect(git(made.root, "config", "--list", "--local")).toBe(before);
    expect(ranWhenUsed(made)).toBe(false);
  });

  test("of the workspace surface neither write, edit, move nor delete, and name no path of the host", async () => {
    const made = repository();
    fs.linkSync(path.join(made.root, ".git/config"), path.join(made.root, "same"));
    await using server = await TestServer.start({
      root: made.root,
      args: ["--tools", "workspace", "--sandbox", "off"],
    });
    const before = fs.readFileSync(server.at(".git/config"), "utf8");
    const calls: [string, Record<string, unknown>][] = [
      ["write_file", { file: ".git/hooks/pre-commit", content: "x" }],
      ["write_file", { file: "same", content: "x" }],
      ["edit_file", { file: ".git/config", find: "core", replace: "evil" }],
      ["edit_file", { file: "same", find: "core", replace: "evil" }],
      ["delete_file", { path: ".git", recursive: true }],
      ["delete_file", { path: ".git/hooks", recursive: true }],
      ["move_file", { from: ".git", to: "x" }],
      ["move_file", { from: "evil.sh", to: ".git/hooks/pre-commit" }],
      ["move_file", { from: "plan", to: ".git/hooks", overwrite: true }],
      ["mkdir", { dir: ".git/hooks/x" }],
    ];
    for (const [tool, args] of calls) {
      const said = JSON.parse(await server.text(tool, args)) as {
        ok: boolean;
        error: { code: string; message: string };
      };
      expect({ tool, ok: said.ok, code: said.error.code }).toEqual({ tool, ok: false, code: "INVALID_PATH" });
      expect(said.error.message).toStartWith("PROTECTED: ");
      expect(said.error.message).not.toContain(made.base);
    }
    expect(fs.readFileSync(server.at(".git/config"), "utf8")).toBe(before);
    expect(ranWhenUsed(made)).toBe(false);
  });

  test("hold a repository that came after the start, too", async () => {
    const made = scratch();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    git(made.root, "init", "-q", "late");
    expect(await server.text("create_file", { path: "late/.git/config", content: "x" })).toContain("PROTECTED");
    git(path.join(made.root, "late"), "config", "core.hooksPath", "hooks");
    expect(await server.text("create_file", { path: "late/hooks/pre-commit", content: "x" })).toContain(
      "PROTECTED: late/hooks/pre-commit is run by git",
    );
  });
});

describe.if(hasSandbox)("commands in the sandbox", () => {
  test.each([...BY_COMMAND])("do not plant %s", async (_, command) => {
    const made = repository();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    const before = fs.readFileSync(server.at(".git/config"), "utf8");
    await server.bash(command);
    await server.bash(command); // on a waiting shell, and when an earlier one has prepared something
    expect(fs.readFileSync(server.at(".git/config"), "utf8")).toBe(before);
    expect(ranWhenUsed(made)).toBe(false);
  });

  test("an absent hooks folder and commondir cannot be made, and nothing is left of what kept them from it", async () => {
    const made = repository();
    fs.rmSync(path.join(made.root, ".git/hooks"), { recursive: true, force: true });
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    await server.bash("mkdir .git/hooks; cp evil.sh .git/hooks/pre-commit; printf '../g\\n' > .git/commondir");
    expect(ranWhenUsed(made)).toBe(false);
    await server.close();
    expect(fs.readdirSync(path.join(made.root, ".git"))).not.toContain("commondir");
    expect(fs.existsSync(path.join(made.root, ".git/hooks"))).toBe(false);
  });

  test("a person who looks while a command runs sees nothing new but .git/commondir", async () => {
    const made = repository();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    const names = (): string[] =>
      fs
        .readdirSync(made.root)
        .concat(fs.readdirSync(path.join(made.root, ".git")))
        .toSorted();
    const before = names();
    const running = server.bash("echo started > plan/started; until [ -e plan/end ]; do sleep 0.02; done");
    while (!fs.existsSync(server.at("plan/started"))) await Bun.sleep(5);
    const [during, status] = [names(), git(made.root, "status")];
    fs.writeFileSync(server.at("plan/end"), "");
    await running;
    expect(during.filter((name) => name !== "commondir")).toEqual(before);
    expect(status).toContain("On branch main");
  });

  const WORK = [
    "echo b > b.txt",
    "git add b.txt",
    `${AS} commit -q -m second`,
    "git checkout -q -b side",
    "echo c > c.txt",
    "git add c.txt",
    `${AS} commit -q -m third`,
    "git checkout -q -",
    `${AS} merge -q --no-ff -m merged side`,
    "git tag one",
    "echo d >> b.txt",
    `${AS} stash -q`,
    `${AS} stash pop -q`,
    "git checkout -q -- b.txt",
    "git checkout -q -b base HEAD~1",
    "echo e > e.txt",
    "git add e.txt",
    `${AS} commit -q -m fourth`,
    `${AS} rebase -q side`,
    "git gc -q",
    "git fsck --no-progress",
    "git push -q ../remote.git HEAD:refs/heads/pushed",
    "git status --short",
  ];

  test.each([
    ["a repository", "repo"],
    ["a worktree", "tree"],
  ])("ordinary work goes on in %s", async (_, where) => {
    const made = scratch();
    git(made.root, "init", "-q", "-b", "main", "repo");
    const repo = path.join(made.root, "repo");
    git(repo, "commit", "-q", "--allow-empty", "-m", "first");
    git(repo, "worktree", "add", "-q", "../tree");
    git(made.root, "init", "-q", "--bare", "remote.git");
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    await server.bash(`cd ${where}`);
    for (const command of WORK)
      expect({ command, said: await server.bash(command) }).toEqual({
        command,
        said: expect.stringContaining("exit_code: 0") as unknown as string,
      });
    expect(git(made.root, "--git-dir=remote.git", "log", "--oneline", "pushed")).toContain("fourth");
  });

  test("in a longer line the change fails, and the line after the output says why", async () => {
    const made = repository();
    await using opened = await asking(made, YES, { args: ["--sandbox", "require"] });
    const said = await opened.server.bash("true && git remote add o https://example.com/x.git");
    expect(opened.asked).toEqual([]);
    expect(said).not.toContain("exit_code: 0");
    expect(said).toContain(
      '[protected] .git/config is read-only here: git says "Device or resource busy". The person can allow it: --open-place .git/config',
    );
    expect(git(made.root, "remote")).toBe("");
  });

  test("removing a worktree works after a yes, and says why it does not without one", async () => {
    const made = repository();
    for (const name of ["tree", "other"]) git(made.root, "worktree", "add", "-q", name);
    await using opened = await asking(made, YES, { args: ["--sandbox", "require"] });
    const said = await opened.server.bash("true && git worktree remove tree");
    expect(said).toContain("[protected] tree holds places that are read-only here: git says");
    expect(await opened.server.bash("git worktree remove other")).toContain("exit_code: 0");
    expect(opened.asked[0]).toContain("This changes where its worktrees lead, which git obeys outside the sandbox");
    expect(fs.existsSync(path.join(made.root, "other"))).toBe(false);
  });

  test("scripts that are changed while the question is open get nothing opened", async () => {
    const made = repository();
    const manifest = path.join(made.root, "package.json");
    const withScript = (prepare: string): void =>
      fs.writeFileSync(manifest, JSON.stringify({ name: "x", version: "1.0.0", scripts: { prepare } }));
    withScript("husky");
    await using server = await TestServer.start({
      root: made.root,
      args: ["--sandbox", "require"],
      capabilities: { elicitation: {} },
    });
    server.onRequest = ({ method }: Message) => {
      if (method !== "elicitation/create") return undefined;
      withScript("git config core.fsmonitor $PWD/evil.sh || husky");
      return YES;
    };
    await server.bash("npm run prepare");
    expect(ranWhenUsed(made)).toBe(false);
  });

  test.each<[string, string[]]>([
    ["--open-place", ["--open-place", ".git/config"]],
    ["--no-protect", ["--no-protect"]],
    ["nothing", []],
  ])("with %s git config ends as it should", async (_, args) => {
    const made = repository();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require", ...args] });
    const said = await server.bash("git config user.name me");
    expect(said.includes("exit_code: 0")).toBe(args.length > 0);
    expect(git(made.root, "config", "user.name").trim()).toBe(args.length > 0 ? "me" : "");
  });
});

describe("a command that is known to change a protected place", () => {
  const ADD = "git remote add o https://example.com/x.git";

  test.each([
    ["with a sandbox", ["--sandbox", "auto"]],
    ["without one", ["--sandbox", "off"]],
  ])("is asked about when it is the whole command, and works after a yes, %s", async (_, args) => {
    const made = repository();
    await using opened = await asking(made, YES, { args });
    await opened.server.bash("true"); // so that a shell waits
    const said = await opened.server.bash(ADD);
    expect(opened.asked).toHaveLength(1);
    expect(opened.asked[0]).toContain("This changes .git/config, which git obeys outside the sandbox");
    expect(opened.asked[0]).toContain(ADD);
    expect(said).toContain("exit_code: 0");
    expect(git(made.root, "remote").trim()).toBe("o");
  });

  test("is asked about in a call of its own under 2026-07-28, and runs once", async () => {
    const made = repository();
    const asked: string[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept" as const, content: { decision: "allow once" } };
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
    const config = "git config --add test.times once";
    const result = await client.callTool({ name: "bash", arguments: { command: config } });
    await client.close();
    expect(JSON.stringify(result.content)).toContain("exit_code: 0");
    expect(asked).toHaveLength(1);
    expect(git(made.root, "config", "--get-all", "test.times")).toBe("once\n");
  });

  test("does not run after a no", async () => {
    const made = repository();
    await using opened = await asking(made, NO, { args: ["--sandbox", "off"] });
    expect(await opened.server.bash(ADD)).toContain("This changes .git/config");
    expect(git(made.root, "remote")).toBe("");
  });

  test.each<[string, string, Record<string, unknown>]>([
    ["in a longer line", `true && ${ADD}`, {}],
    ["in a task", ADD, { run_in_background: true }],
    ["when it only reads", "git remote -v", {}],
    ["in a folder without a repository", `cd / && ${ADD}`, {}],
  ])("is not asked about %s", async (_, command, more) => {
    await using opened = await asking(repository(), NO, { args: ["--sandbox", "off"] });
    await opened.server.bash(command, more);
    expect(opened.asked).toEqual([]);
  });

  test("is not asked about where the person has opened the place, nor where nothing is protected", async () => {
    for (const args of [["--open-place", ".git/config"], ["--no-protect"]]) {
      await using opened = await asking(repository(), NO, { args: ["--sandbox", "off", ...args] });
      expect(await opened.server.bash(ADD)).toContain("exit_code: 0");
      expect(opened.asked).toEqual([]);
    }
  });

  test("is not asked about when git is a program of the agent's, nor with an environment of its own", async () => {
    const made = repository();
    fs.mkdirSync(path.join(made.root, "bin"));
    fs.writeFileSync(path.join(made.root, "bin/git"), "#!/bin/sh\necho mine\n", { mode: 0o755 });
    const PATH = `${made.root}/bin:${process.env["PATH"] ?? ""}`;
    await using opened = await asking(made, YES, { args: ["--sandbox", "off"], env: { PATH } });
    expect(await opened.server.bash(ADD)).toContain("mine");
    expect(opened.asked).toEqual([]);
    const other = repository();
    await using shell = await asking(other, YES, { args: ["--sandbox", "off", "--tools", "shell"] });
    await shell.server.call("shell", { command: ADD, environment: { X: "1" } });
    expect(shell.asked).toEqual([]);
  });

  test("runs as usual for a client that cannot be asked", async () => {
    const made = repository();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    expect(await server.bash(ADD)).toContain("exit_code: 0");
  });

  test("husky: npm run prepare is asked about as a whole", async () => {
    const made = repository();
    const bin = path.join(made.root, "node_modules/.bin");
    fs.mkdirSync(bin, { recursive: true });
    fs.writeFileSync(path.join(bin, "husky"), "#!/bin/sh\ngit config core.hooksPath .husky/_\n", { mode: 0o755 });
    fs.writeFileSync(
      path.join(made.root, "package.json"),
      '{"name":"x","version":"1.0.0","scripts":{"prepare":"husky"}}',
    );
    await using opened = await asking(made, YES, { args: ["--sandbox", "off", "--tools", "workspace"] });
    const said = await opened.server.text("run_command", {
      command: "npm",
      args: ["run", "prepare"],
      timeoutMs: 60_000,
    });
    expect(opened.asked[0]).toContain(
      "This changes .git/config, which git obeys outside the sandbox, and runs prepare: husky",
    );
    expect(JSON.parse(said)).toMatchObject({ ok: true, data: { exitCode: 0 } });
    expect(git(made.root, "config", "core.hooksPath").trim()).toBe(".husky/_");
  });

  test("scripts too long to be shown are not asked about", async () => {
    const made = repository();
    const scripts = { prepare: `husky; : ${"x".repeat(300)}; git config a.b c` };
    fs.writeFileSync(path.join(made.root, "package.json"), JSON.stringify({ name: "x", version: "1.0.0", scripts }));
    await using opened = await asking(made, YES, { args: ["--sandbox", "off"] });
    await opened.server.bash("npm run prepare");
    expect(opened.asked).toEqual([]);
  });

  test("a hook installer is asked about with the hooks it changes", async () => {
    await using opened = await asking(repository(), NO, { args: ["--sandbox", "off"] });
    await opened.server.bash("pre-commit install");
    expect(opened.asked[0]).toContain("This changes .git/hooks, which git runs outside the sandbox");
  });
});

describe("what is said after a command", () => {
  const SAID = "error: could not write config file .git/config: Device or resource busy";
  const HINT =
    '[protected] .git/config is read-only here: git says "Device or resource busy". The person can allow it: --open-place .git/config; as the only command of a call it asks them';

  test("stands in the first block of every tool that runs commands", async () => {
    const made = repository();
    fs.writeFileSync(path.join(made.root, "say.js"), `console.error(${JSON.stringify(SAID)}); process.exit(3);`);
    await using server = await TestServer.start({
      root: made.root,
      args: ["--tools", "coding,workspace,shell", "--sandbox", "off"],
    });
    expect(await server.bash(`echo '${SAID}' >&2; false`)).toContain(`\n${HINT}`);
    expect(await server.text("shell", { command: `echo '${SAID}' >&2; false` })).toBe(
      `Command failed with exit code 1\n${HINT}`,
    );
    const said = JSON.parse(await server.text("run_command", { command: "node", args: ["say.js"] })) as {
      data: { protected?: string[] };
    };
    expect(said.data.protected).toEqual([HINT]);
  });

  test.each([
    ["another file", "error: could not write config file /etc/gitconfig: Read-only file system"],
    ["a longer name", "touch: cannot touch '.git/config.lock': Read-only file system"],
    ["no failure", "cat .git/config"],
  ])("is nothing about %s", async (_, line) => {
    await using server = await TestServer.start({ root: repository().root, args: ["--sandbox", "off"] });
    expect(await server.bash(`echo "${line}"`)).not.toContain("[protected]");
  });

  test.each([
    [
      "bash: line 1: .git/hooks/pre-commit: Read-only file system",
      ".git/hooks is read-only here: bash says",
      "'.git/hooks/**'",
    ],
    [
      "mv: cannot move '.git' to 'x': Device or resource busy",
      ".git holds places that are read-only here: mv says",
      "'.git/**'",
    ],
  ])("%s", async (line, hint, advice) => {
    await using server = await TestServer.start({ root: repository().root, args: ["--sandbox", "off"] });
    const said = await server.bash(`echo "${line}"`);
    expect(said).toContain(`[protected] ${hint}`);
    expect(said).toEndWith(`--open-place ${advice}`);
  });
});

describe("settings and flags", () => {
  async function startWith(config: string, project?: string, args: string[] = []): Promise<TestServer> {
    const made = repository();
    fs.mkdirSync(`${made.base}/config/bosun`, { recursive: true });
    fs.writeFileSync(`${made.base}/config/bosun/config.toml`, config, { mode: 0o600 });
    if (project !== undefined) fs.writeFileSync(path.join(made.root, ".bosun.toml"), project);
    return TestServer.start({
      root: made.root,
      args: ["--sandbox", "off", ...args],
      initialize: project === undefined,
    });
  }

  test("what is opened can be changed, by setting and by flag", async () => {
    for (const [config, args] of [
      ['[paths]\nopen = [".git/hooks/**"]\n', []],
      ["", ["--open-place", ".git/hooks/**"]],
    ] as const) {
      await using server = await startWith(config, undefined, [...args]);
      expect(await server.text("create_file", { path: ".git/hooks/x", content: "x" })).toStartWith("Created");
      expect(await server.text("create_file", { path: ".git/config", content: "x" })).toContain("PROTECTED");
    }
  });

  test("switched off, everything can be changed, and the log warns", async () => {
    for (const [config, args] of [
      ['[paths]\nprotect = "off"\n', []],
      ["", ["--no-protect"]],
    ] as const) {
      await using server = await startWith(config, undefined, [...args]);
      expect(await server.text("create_file", { path: ".git/config", content: "" })).toStartWith("Created");
      expect(server.stderr).toContain("protected places are off");
    }
  });

  test("what is added is held, by name and by pattern", async () => {
    await using server = await startWith('[paths]\nhold = ["deploy/run.sh", "ops/*.sh"]\n');
    expect(await server.text("create_file", { path: "deploy/run.sh", content: "x" })).toContain(
      "PROTECTED: deploy/run.sh is held by the settings. The person can allow it: --open-place deploy/run.sh",
    );
    expect(await server.text("create_file", { path: "ops/x.sh", content: "x" })).toContain("read-only");
    expect(await server.text("create_file", { path: "ops/x.txt", content: "x" })).toStartWith("Created");
  });

  test.each([
    ["open", '[paths]\nopen = [".git/config"]\n', "2:1"],
    ["protect", '[paths]\n\nprotect = "off"\n', "3:1"],
  ])(
    "a project file that sets %s is not obeyed, and said to be wrong, with its place",
    async (key, project, position) => {
      await using server = await startWith("", project);
      await server.initialize();
      expect(server.stderr).toContain("the project's settings are not in force");
      expect(server.stderr).toContain(`.bosun.toml:${position}`);
      expect(server.stderr).toContain(`paths.${key} cannot be set by a project file`);
      expect((await server.call("create_file", { path: ".git/config", content: "" })).isError).toBe(true);
    },
  );

  test("a pattern that is none stops the start", async () => {
    await using server = await TestServer.start({
      root: repository().root,
      args: ["--open-place", "a[", "--sandbox", "off"],
      initialize: false,
    });
    expect(await server.process.exited).toBe(2);
    expect(server.stderr).toContain("invalid glob pattern");
  });
});

test.each([
  ["HEAD last", ["config", "objects/x", "refs/x", "HEAD"]],
  ["refs last", ["HEAD", "config", "objects/x", "refs/x"]],
  ["config last", ["HEAD", "objects/x", "refs/x", "config"]],
  ["by a commondir", ["config", "HEAD", "commondir"]],
])("file tools do not complete a bare repository: %s", async (_, files) => {
  await using server = await TestServer.start({ args: ["--sandbox", "off"] });
  const results = [];
  for (const file of files) results.push(await server.call("create_file", { path: `lib/${file}`, content: "x\n" }));
  expect(results.map(({ isError }) => isError === true)).toEqual(
    files.map((_file, index) => index === files.length - 1),
  );
  expect(results.at(-1)?.content[0]?.text).toContain("PROTECTED");
});
