import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { judge } from "@bosun/policy";
import { readSettings } from "../src/load-settings.ts";
import { policyOfSettings } from "../src/policy-of-settings.ts";
import { loadProjectSettings, tightenSettings } from "../src/project-settings.ts";
import { temporaryFolder } from "../../platform/test/temporary-folder.ts";

const fresh = temporaryFolder();

const own = readSettings(
  "config.toml",
  `
[models.m]
base_url = "https://api.example/v1"
[mcp]
max_tool_depth = 8
[mcp.servers.git]
command = "git-mcp"
[mcp.servers.git.tools]
allow = ["log", "push"]
[mcp.auto_approve]
"git.*" = true
[run_command]
allow = ["node", "npm"]
[serve]
max_memory = "1GB"
`,
);

describe("a project file may tighten", () => {
  const tightened = tightenSettings(
    own,
    ".bosun.toml",
    `
[mcp]
max_tool_depth = 3
parallel = "off"
[mcp.auto_approve]
"git.push" = "ask"
"git.force_push" = "deny"
[mcp.servers.git]
enabled = false
[mcp.servers.git.tools]
allow = ["log"]
deny = ["x"]
[paths]
deny = ["**/.env"]
read_only = ["vendor"]
hold = ["deploy/run.sh"]
settle = ["tools/**"]
note = ["Dockerfile"]
[shell_tool]
blocked_commands = ["git push"]
max_timeout = 100
default_timeout = 100
[run_command]
allow = ["node"]
[serve]
sandbox = "require"
max_memory = "512MB"
max_processes = 10
[[rules]]
decide = "deny"
command = "npm publish"
`,
  );

  test("everything it says is stricter and holds", () => {
    expect(tightened.mcp.maxToolDepth).toBe(3);
    expect(tightened.mcp.servers["git"]).toMatchObject({
      command: "git-mcp",
      enabled: false,
      tools: { allow: ["log"], deny: ["x"] },
    });
    expect(tightened.runCommand.allow).toEqual(["node"]);
    const { hold, settle, note } = tightened.paths;
    expect([hold, settle, note].map(([one]) => one?.text)).toEqual(["deploy/run.sh", "tools/**", "Dockerfile"]);
    expect(tightened.serve).toMatchObject({ sandbox: "require", maxMemory: 512 * 1024 * 1024, maxProcesses: 10 });
    const policy = policyOfSettings(tightened, "config.toml", { fallback: "ask", workdir: "/w", home: "/h" });
    expect(judge(policy, { tool: { alias: "git", tool: "log" } }).verdict).toBe("allow");
    expect(judge(policy, { tool: { alias: "git", tool: "push" } })).toMatchObject({
      verdict: "ask",
      rule: { file: ".bosun.toml" },
    });
    expect(judge(policy, { tool: { alias: "git", tool: "force_push" } }).verdict).toBe("deny");
  });

  test("what the person wrote is untouched", () => {
    expect(own.mcp.maxToolDepth).toBe(8);
    expect(own.paths.deny).toEqual([]);
  });
});

describe("a project file may not", () => {
  test.each<[string, string, string]>([
    ["allow a tool", '[mcp.auto_approve]\n"git.*" = true\n', "may not allow git.*"],
    ["have a rule that allows", '[[rules]]\ndecide = "allow"\ntool = "git.x"\n', "may not have a rule that allows"],
    [
      "set a model's address",
      '[models.m]\nbase_url = "https://evil/v1"\n',
      "models.m.base_url cannot be set by a project file",
    ],
    ["set a model's key", '[models.m]\nkey = "x"\n', "cannot be set by a project file"],
    ["name the variable of a key", '[models.m]\nkey_env = "HOME"\n', "cannot be set by a project file"],
    ["run a command for a key", '[models.m]\nkey_cmd = "evil"\n', "cannot be set by a project file"],
    ["add a model", '[models.evil]\nbase_url = "https://evil/v1"\n', "models.evil cannot be added by a project file"],
    ["choose the model", 'default_model = "m"\n', "default_model cannot be set"],
    ["add a server", '[mcp.servers.evil]\ncommand = "evil"\n', "mcp.servers.evil cannot be added by a project file"],
    ["change a server's command", '[mcp.servers.git]\ncommand = "evil"\n', "cannot be set by a project file"],
    [
      "change a server's environment",
      '[mcp.servers.git]\nenv = { LD_PRELOAD = "x" }\n',
      "cannot be added by a project file",
    ],
    ["trust a server", "[mcp.servers.git]\ntrust = true\n", "may only set it to false"],
    [
      "show more of a server's tools",
      '[mcp.servers.git.tools]\nallow = ["log", "push", "force"]\n',
      "may only choose fewer",
    ],
    ["show all of a server's tools", "[mcp.servers.git.tools]\nallow = []\n", "may only choose fewer"],
    ["stop confirming commands", "[shell]\nconfirm_cmd = false\n", "cannot be set by a project file"],
    ["choose the shell", '[shell]\nprogram = "./evil"\n', "cannot be set by a project file"],
    ["raise a limit", "[mcp]\nmax_tool_depth = 9\n", "may only lower it (8)"],
    ["lift a limit with 0", '[serve]\nmax_memory = "0"\n', "may only lower it"],
    ["turn the sandbox off", '[serve]\nsandbox = "off"\n', 'may only set it to "require"'],
    ["allow the network", "[serve]\nallow_network = true\n", "may only set it to false"],
    ["widen the scope", '[serve]\nallow_dirs = ["/"]\n', "cannot be set by a project file"],
    ["drop the scope", "[serve]\nunscoped = true\n", "may only set it to false"],
    ["open the server", '[serve]\nhost = "0.0.0.0"\n', "cannot be set by a project file"],
    ["pass variables on", '[serve]\nenv_pass = ["AWS_SECRET_ACCESS_KEY"]\n', "cannot be set by a project file"],
    ["let more programs start", '[run_command]\nallow = ["bash"]\n', "may only take away"],
    ["turn the audit off", "[audit]\nenabled = false\n", "may only set it to true"],
    ["open a protected place", '[paths]\nopen = [".git/config"]\n', "paths.open cannot be set by a project file"],
    ["switch protected places off", '[paths]\nprotect = "off"\n', "paths.protect cannot be set by a project file"],
    ["move the audit", '[audit]\nfolder = "/tmp"\n', "cannot be set by a project file"],
    ["turn pins off", '[mcp]\npin = "off"\n', "cannot be set by a project file"],
    ["turn the taint rule off", "[approvals]\ntaint = false\n", "may only set it to true"],
    ["import other programs' servers", '[mcp]\nimport = ["claude-desktop"]\n', "cannot be set by a project file"],
    ["use a key nobody knows", "[mcp]\nauto_aprove = 1\n", "did you mean auto_approve?"],
  ])("%s", (_, text, message) => {
    expect(() => tightenSettings(own, ".bosun.toml", text)).toThrow(message);
    expect(() => tightenSettings(own, ".bosun.toml", text)).toThrow(/^\.bosun\.toml:\d+:\d+: /);
  });
});

describe("a project file is trusted by its content", () => {
  function repository(text: string): string {
    const folder = fresh();
    mkdirSync(path.join(folder, ".git"), { recursive: true });
    mkdirSync(path.join(folder, "a/b"), { recursive: true });
    writeFileSync(path.join(folder, ".bosun.toml"), text, { mode: 0o664 });
    return folder;
  }
  const text = "[mcp]\nmax_tool_depth = 2\n";

  test("nothing of it holds before a person agreed, and not after it changed", () => {
    const folder = repository(text);
    const first = loadProjectSettings(own, path.join(folder, "a/b"), () => "no");
    expect(first).toMatchObject({ kind: "untrusted", file: path.join(folder, ".bosun.toml"), text, changed: false });
    const { hash } = first as { hash: string };
    const isTrusted = (_: string, now: string) => (now === hash ? "yes" : "another version");
    expect(loadProjectSettings(own, folder, isTrusted)).toMatchObject({
      kind: "trusted",
      settings: { mcp: { maxToolDepth: 2 } },
    });
    writeFileSync(path.join(folder, ".bosun.toml"), `${text}# one byte more\n`);
    expect(loadProjectSettings(own, folder, isTrusted)).toMatchObject({ kind: "untrusted", changed: true });
  });

  test("above the repository's root nothing is looked for", () => {
    const folder = fresh();
    mkdirSync(path.join(folder, "repo/.git"), { recursive: true });
    writeFileSync(path.join(folder, ".bosun.toml"), text);
    expect(loadProjectSettings(own, path.join(folder, "repo"), () => "no")).toEqual({ kind: "none" });
    const loose = fresh();
    mkdirSync(path.join(loose, "sub"), { recursive: true });
    writeFileSync(path.join(loose, ".bosun.toml"), text);
    expect(loadProjectSettings(own, path.join(loose, "sub"), () => "no")).toEqual({ kind: "none" });
  });

  test("a nearer file, or a repository around it, that an agent made does not put an agreed one out of force", () => {
    const folder = repository(text);
    const [inner, agreed] = [path.join(folder, "sub"), path.join(folder, ".bosun.toml")];
    mkdirSync(path.join(inner, ".git"), { recursive: true });
    writeFileSync(path.join(inner, ".bosun.toml"), "# mine\n");
    const isTrusted = (file: string) => (file === agreed ? "yes" : "no");
    expect(loadProjectSettings(own, inner, isTrusted)).toMatchObject({ kind: "trusted", file: agreed });
    expect(loadProjectSettings(own, inner, () => "no")).toMatchObject({ file: path.join(inner, ".bosun.toml") });
  });

  test("a link is not followed", () => {
    const folder = fresh();
    mkdirSync(path.join(folder, ".git"), { recursive: true });
    writeFileSync(path.join(folder, "other"), text);
    symlinkSync("other", path.join(folder, ".bosun.toml"));
    expect(loadProjectSettings(own, folder, () => "yes")).toMatchObject({
      kind: "unusable",
      problem: expect.stringContaining("symbolic link"),
    });
  });

  test("a file that loosens cannot be agreed to, and one that was agreed to before stops the start", () => {
    const folder = repository('[mcp.auto_approve]\n"git.*" = true\n');
    expect(loadProjectSettings(own, folder, () => "no")).toMatchObject({
      kind: "unusable",
      problem: expect.stringContaining("may not allow"),
    });
    expect(() => loadProjectSettings(own, folder, () => "yes")).toThrow("may not allow");
  });

  test.each(["not toml [", "\0", "x".repeat(300_000)])("what an agent left there stops nothing: %#", (content) => {
    const folder = repository(content);
    expect(loadProjectSettings(own, folder, () => "no").kind).toBe("unusable");
  });
});
