import { describe, expect, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { judge } from "@bosun/policy";
import { defaultSettings, loadSettings, readSettings } from "../src/load-settings.ts";
import { locateSettings, protectedPaths } from "../src/locations.ts";
import { policyOfSettings, unmatchedRules } from "../src/policy-of-settings.ts";
import { createRedactor } from "@bosun/platform/secrets";
import { secretsOfSettings } from "../src/secrets-of-settings.ts";
import { isOffered } from "../src/offered-tools.ts";
import { shellLimits } from "../src/shell-limits.ts";
import { settingsReference } from "../src/settings-reference.ts";
import { temporaryFolder } from "../../platform/test/temporary-folder.ts";

const fresh = temporaryFolder();

const CHAT = `
default_model = "local"

[models.local]
base_url       = "http://127.0.0.1:8082/v1"
model          = "qwen2.5-coder-7b"
context_window = 32768
temperature    = 0.2

[models.cloud]
base_url = "https://openrouter.ai/api/v1"
model    = "some/model"
key_env  = "OPENROUTER_API_KEY"
compat   = { tool_ids = "short9" }

[shell]
program           = "/bin/bash"
confirm_cmd       = true
timeout_s         = 120
max_output_chars  = 16000
route             = "ai"

[context]
use_tool_role         = "auto"
max_tool_result_chars = 24000
compact_at            = 0.8
keep_exchanges        = 6

[history]
enabled     = true
max_age_days = 90
log_reasoning = false

[mcp]
max_tool_depth   = 8
max_tool_calls   = 32
connect_timeout_s = 10
call_timeout_s    = 60
call_max_s        = 600
parallel          = "read-only"
import            = []

[mcp.servers.boltzmann]
url      = "http://127.0.0.1:8080/mcp"
auth_env = "BOLTZMANN_MCP_TOKEN"

[mcp.servers.nc]
url        = "https://nc.example/mcp"
auth_token = "literal-token"

[mcp.servers.git]
command = "git-mcp"
args    = ["--repo", "."]
env     = { GIT_PAGER = "cat" }

[mcp.auto_approve]
"boltzmann.read_file" = true
"git.*"               = true
"nc.delete_note"      = "deny"
"git.push"            = "ask"
files.read_file       = true
`;

describe("a whole file", () => {
  const settings = readSettings("config.toml", CHAT);

  test("is read, with defaults for the rest", () => {
    expect(settings.defaultModel).toBe("local");
    expect(settings.models["local"]).toMatchObject({
      baseUrl: "http://127.0.0.1:8082/v1",
      temperature: 0.2,
      stream: true,
      compat: "auto",
    });
    expect(settings.models["cloud"]?.compat).toMatchObject({ toolIds: "short9", toolRole: undefined });
    expect(settings.mcp.servers["git"]).toMatchObject({
      command: "git-mcp",
      args: ["--repo", "."],
      env: { GIT_PAGER: "cat" },
      trust: false,
    });
    expect(settings.shellTool).toMatchObject({
      defaultTimeout: 300,
      maxTimeout: 1800,
      maxOutputSize: 10 * 1024 * 1024,
      logCommands: true,
    });
    expect(settings.mcp.maxToolDepth).toBe(8);
  });

  test("an unquoted alias.tool means what it says", () => {
    expect(
      settings.mcp.autoApprove.map(({ pattern, verdict }) => `${pattern.text} ${verdict} ${pattern.line}`),
    ).toEqual([
      "boltzmann.read_file allow 57",
      "git.* allow 58",
      "nc.delete_note deny 59",
      "git.push ask 60",
      "files.read_file allow 61",
    ]);
  });

  test("gives a policy whose decisions name file and line", () => {
    const policy = policyOfSettings(settings, "config.toml", { fallback: "ask", workdir: "/w", home: "/h" });
    expect(judge(policy, { tool: { alias: "git", tool: "push" } })).toMatchObject({
      verdict: "ask",
      rule: { file: "config.toml", line: 60 },
    });
    expect(judge(policy, { tool: { alias: "git", tool: "log" } }).verdict).toBe("allow");
    expect(judge(policy, { tool: { alias: "here", tool: "run_command" }, argv: ["bash"] }).verdict).toBe("deny");
    expect(unmatchedRules(policy, [{ alias: "git", tool: "push" }]).map(({ line }) => line)).toEqual([57, 59, 61]);
  });

  test("without an mcp section there are no servers", () => {
    expect(readSettings("c.toml", "").mcp.servers).toEqual({});
    expect(readSettings("c.toml", "")).toEqual(defaultSettings());
  });

  test("the same in JSON", () => {
    expect(
      readSettings("c.json", '{"mcp": {"auto_approve": {"git.*": true}}, "shell_tool": {"max_output_size": "1MB"}}')
        .shellTool.maxOutputSize,
    ).toBe(1048576);
  });
});

test("the sample of the shell tool's table", () => {
  const settings = readSettings(
    "c.toml",
    '[shell_tool]\ndefault_timeout = 300\nmax_timeout = 1800\nmax_output_size = "10MB"\nallowed_directories = ["/project", "/tmp"]\nblocked_commands = ["rm -rf", "format", "dd"]\nlog_commands = true\n',
  );
  expect(settings.shellTool.blockedCommands.map(({ text, line }) => [text, line])).toEqual([
    ["rm -rf", 6],
    ["format", 6],
    ["dd", 6],
  ]);
});

test("rules keep their place", () => {
  const settings = readSettings(
    "c.toml",
    '[[rules]]\ndecide = "deny"\ntool = "git.push"\n\n[[rules]]\nname = "docs"\ndecide = "allow"\ncommand = ["ls", "cat"]\n[rules.arguments]\npath = "/w/**"\n',
  );
  expect(settings.rules.map(({ line, name, tools, commands }) => ({ line, name, tools, commands }))).toEqual([
    { line: 1, name: undefined, tools: ["git.push"], commands: [] },
    { line: 5, name: "docs", tools: [], commands: ["ls", "cat"] },
  ]);
});

describe("what is wrong is said with its place, and stops the start", () => {
  test.each<[string, string, string]>([
    [
      "an unknown key",
      "[mcp]\nauto_aprove = {}\n",
      "c.toml:2:1: mcp.auto_aprove is not a setting; did you mean auto_approve?",
    ],
    ["an unknown section", "[modles.x]\n", "c.toml:1:2: modles is not a setting; did you mean models?"],
    ["an unknown key far from any", "zzzzzz = 1\n", "c.toml:1:1: zzzzzz is not a setting; known here: "],
    [
      "an unknown key in a server",
      '[mcp.servers.x]\nurl = "http://h/mcp"\nautApprove = true\n',
      "c.toml:3:1: mcp.servers.x.autApprove is not a setting",
    ],
    ["a wrong kind", '[shell]\ntimeout_s = "long"\n', "c.toml:2:13: shell.timeout_s must be a number, not text"],
    ["out of range", "[serve]\nport = 70000\n", "c.toml:2:8: serve.port must be between 0 and 65535"],
    [
      "a wrong choice",
      '[serve]\nsandbox = "of"\n',
      'c.toml:2:11: serve.sandbox must be one of "auto", "require", "off"; did you mean "off"?',
    ],
    [
      "a size that is none",
      '[shell_tool]\nmax_output_size = "10.5MB"\n',
      "c.toml:2:19: shell_tool.max_output_size must be a size such as",
    ],
    ["a negative size", '[shell_tool]\nmax_output_size = "-1"\n', "must be a size"],
    ["a size with more behind it", '[shell_tool]\nmax_output_size = "10MBx"\n', "must be a size"],
    ["a size too large to count", '[shell_tool]\nmax_output_size = "999999999999999GB"\n', "must be a size"],
    ["a missing key", '[models.x]\nmodel = "m"\n', "c.toml:1:9: models.x.base_url is missing"],
    [
      "neither url nor command",
      "[mcp.servers.x]\nenabled = true\n",
      "c.toml:1:14: mcp.servers.x: needs exactly one of url and command",
    ],
    ["both", '[mcp.servers.x]\nurl = "http://h"\ncommand = "c"\n', "needs exactly one of url and command"],
    ["auth for a command", '[mcp.servers.x]\ncommand = "c"\nauth_env = "X"\n', "belong to a url"],
    [
      "an alias that cannot be",
      '[mcp.servers."My Files"]\ncommand = "c"\n',
      "c.toml:1:14: mcp.servers.My Files: an alias is a-z, 0-9, - and _ (no __), begins with a letter and has at most 24 characters, such as my-files",
    ],
    ["a reserved alias", '[mcp.servers.aish]\ncommand = "c"\n', "this name is reserved"],
    ["an alias with two underscores", '[mcp.servers.a__b]\ncommand = "c"\n', "an alias is"],
    ["a bare star", '[mcp.auto_approve]\n"*" = true\n', "c.toml:2:1: mcp.auto_approve: a bare * is refused"],
    [
      "an unknown approval",
      '[mcp.auto_approve]\n"git.x" = "alwyas"\n',
      'c.toml:2:11: mcp.auto_approve."git.x" must be true, false, "ask" or "deny"',
    ],
    ["a rule without a decision", '[[rules]]\ntool = "git.x"\n', "c.toml:1:3: rules[1].decide is missing"],
    [
      "a rule with an unknown key",
      '[[rules]]\ndecide = "deny"\ntols = "git.x"\n',
      "rules[1].tols is not a setting; did you mean tool?",
    ],
    [
      "timeouts that contradict",
      "[shell_tool]\ndefault_timeout = 400\nmax_timeout = 300\n",
      "default_timeout is longer than max_timeout",
    ],
    ["a model that is not there", 'default_model = "x"\n', 'c.toml: default_model is "x", but there is no [models.x]'],
    [
      "a variable that is none",
      '[models.x]\nbase_url = "http://h/v1"\nkey_env = "MY KEY"\n',
      "must be the name of an environment variable",
    ],
    ["a path in the program list", '[run_command]\nallow = ["/bin/sh"]\n', "a program's name without a path"],
    ["a timer longer than timers go", "[mcp]\ncall_max_s = 99999999\n", "must be between"],
  ])("%s", (_, text, message) => {
    expect(() => readSettings("c.toml", text)).toThrow(message);
  });

  test.each([
    ["another scheme", "file:///etc/passwd"],
    ["a password", "http://bob:pw@host/"],
    ["a user", "http://good@evil/"],
    ["a NUL", "http://h\\u0000ost/"],
    ["a backslash", "http://good\\\\@evil/"],
    ["blanks", "http://h ost/"],
    ["letters that are not ASCII", "http://gооgle.com/"],
    ["a number for an address", "http://2130706433/"],
    ["half an address", "http://127.1/"],
    ["an empty label", "http://a..b/"],
    ["a command", "javascript:alert(1)"],
    ["nothing", ""],
  ])("an address with %s", (_, url) => {
    expect(() => readSettings("c.toml", `[mcp.servers.x]\nurl = "${url}"\n`)).toThrow(
      "must be an http:// or https:// address",
    );
  });
});

describe("where the file is", () => {
  const home = "/home/bob";
  test("--config, then $BOSUN_CONFIG, then the usual place", () => {
    const env = { BOSUN_CONFIG: "/e/c.toml", XDG_CONFIG_HOME: "/x" };
    expect(locateSettings("f.toml", env, home, "/w")).toEqual({ kind: "named", file: "/w/f.toml", by: "--config" });
    expect(locateSettings(undefined, env, home, "/w")).toEqual({
      kind: "named",
      file: "/e/c.toml",
      by: "$BOSUN_CONFIG",
    });
    expect(locateSettings(undefined, { XDG_CONFIG_HOME: "/x" }, home, "/w")).toEqual({
      kind: "none",
      usual: "/x/bosun/config.toml",
    });
    expect(locateSettings(undefined, { XDG_CONFIG_HOME: "relative" }, home, "/w")).toEqual({
      kind: "none",
      usual: "/home/bob/.config/bosun/config.toml",
    });
  });

  test("a named file must be there, the usual one need not", () => {
    const folder = fresh();
    mkdirSync(folder);
    expect(() => loadSettings({ config: "gone.toml", env: {}, home: folder, cwd: folder })).toThrow(
      "(named by --config) does not exist",
    );
    expect(() => loadSettings({ env: { BOSUN_CONFIG: "gone.toml" }, home: folder, cwd: folder })).toThrow(
      "(named by $BOSUN_CONFIG) does not exist",
    );
    expect(loadSettings({ env: {}, home: folder, cwd: folder })).toMatchObject({
      file: undefined,
      settings: defaultSettings(),
    });
  });

  test("every place that decides is protected, also where nothing is yet, and behind links", () => {
    const folder = fresh();
    mkdirSync(path.join(folder, "repo/.git"), { recursive: true });
    mkdirSync(path.join(folder, "repo/sub"));
    writeFileSync(path.join(folder, "real.toml"), "");
    symlinkSync(path.join(folder, "real.toml"), path.join(folder, "link.toml"));
    writeFileSync(path.join(folder, "repo/.bosun.toml"), "");
    const listed = protectedPaths("link.toml", {}, folder, path.join(folder, "repo/sub"));
    for (const one of [
      ".config/bosun",
      ".config/bosun/config.toml",
      ".local/state/bosun",
      ".local/share/bosun",
      "repo/.bosun.toml",
    ]) {
      expect(listed).toContain(path.join(folder, one));
    }
    // One that is made later is not honoured, so nothing keeps it from being made.
    expect(listed).not.toContain(path.join(folder, "repo/sub/.bosun.toml"));
    const linked = protectedPaths(path.join(folder, "link.toml"), {}, folder, folder);
    expect(linked).toContain(path.join(folder, "link.toml"));
    expect(linked).toContain(path.join(folder, "real.toml"));
  });
});

describe("a settings file that somebody else could have made is refused", () => {
  function place(): { folder: string; file: string; load: () => unknown } {
    const folder = fresh();
    mkdirSync(folder);
    const file = path.join(folder, "c.toml");
    writeFileSync(file, '[models.m]\nbase_url = "http://h/v1"\nkey = "sk-verysecret"\n', { mode: 0o600 });
    return { folder, file, load: () => loadSettings({ config: file, env: {}, home: folder, cwd: folder }) };
  }

  test("written by others, with a second name, a folder, a pipe", async () => {
    const { folder, file, load } = place();
    expect(load()).toMatchObject({ warnings: [] });
    chmodSync(file, 0o666);
    expect(load).toThrow("can be changed by other users");
    chmodSync(file, 0o600);
    linkSync(file, path.join(folder, "second"));
    expect(load).toThrow("has 2 names");
    expect(() => loadSettings({ config: folder, env: {}, home: folder, cwd: folder })).toThrow("not a regular file");
    const pipe = path.join(folder, "pipe");
    await Bun.spawn(["mkfifo", pipe]).exited;
    expect(() => loadSettings({ config: pipe, env: {}, home: folder, cwd: folder })).toThrow("not a regular file");
  });

  test("a literal secret that others can read is warned about by name, not by value", () => {
    const { file, load } = place();
    chmodSync(file, 0o644);
    const { warnings } = load() as { warnings: string[] };
    expect(warnings).toEqual([expect.stringContaining("holds models.m.key and can be read by others")]);
    expect(warnings.join()).not.toContain("verysecret");
  });

  test("not UTF-8, or endless", () => {
    const { file, load } = place();
    writeFileSync(file, Buffer.from([0x61, 0xff]));
    expect(load).toThrow("not valid UTF-8");
    writeFileSync(file, "#".repeat(2_000_000));
    expect(load).toThrow("larger than");
  });
});

describe("the reference page", () => {
  const page = settingsReference();
  test("has every section and key, with defaults", () => {
    for (const heading of [
      "[models.<name>]",
      "[mcp.servers.<alias>]",
      "[mcp.servers.<alias>.tools]",
      "[[rules]]",
      "[shell_tool]",
      "[serve]",
      "[proxy]",
      "[audit]",
      "[paths]",
    ]) {
      expect(page).toContain(`## \`${heading}\``);
    }
    expect(page).toContain("| `max_tool_depth` ◆ | whole number | `8` |");
    expect(page).toContain("| `base_url` | text | required |");
    expect(page).toContain('| `max_output_size` ◆ | size such as "10MB" | `"10MB"` |');
  });
  test("marks nothing that a project file could loosen with", () => {
    const marked = [...page.matchAll(/\| `(\w+)` ◆/g)].map(([, key]) => key);
    for (const key of [
      "url",
      "command",
      "key",
      "key_env",
      "base_url",
      "auth_token",
      "auth_env",
      "headers",
      "env",
      "confirm_cmd",
      "allow_dirs",
      "host",
      "token",
    ]) {
      expect(marked).not.toContain(key);
    }
  });
});

test.each<[string, { timeoutS?: number; outputBytes?: number }, object]>([
  ["nothing: the defaults", {}, { kind: "limits", timeoutMs: 300_000, outputBytes: 10_485_760 }],
  ["less", { timeoutS: 600, outputBytes: 10 }, { kind: "limits", timeoutMs: 600_000, outputBytes: 10 }],
  [
    "the most",
    { timeoutS: 1800, outputBytes: 1e12 },
    { kind: "limits", timeoutMs: 1_800_000, outputBytes: 10_485_760 },
  ],
  [
    "too long",
    { timeoutS: 1801 },
    { kind: "refused", reason: "timeout may be at most 1800 seconds (shell_tool.max_timeout)" },
  ],
  ["no time", { timeoutS: 0 }, { kind: "refused" }],
  ["no number", { timeoutS: Number.NaN }, { kind: "refused" }],
  ["less than nothing", { outputBytes: -1 }, { kind: "refused" }],
])("a shell call that asks for %s", (_, request, limits) => {
  expect(shellLimits(defaultSettings(), request)).toMatchObject(limits);
});

test("the secrets of the settings are known by value, wherever they come from", () => {
  const settings = readSettings(
    "c.toml",
    '[models.a]\nbase_url = "http://h/v1"\nkey = "key-one"\n[models.b]\nbase_url = "http://h/v1"\nkey_env = "B_KEY"\nheaders = { "X-Api-Key" = "key-two", Accept = "json" }\n[mcp.servers.s]\nurl = "http://h/mcp"\nauth_env = "S"\n[mcp.servers.t]\ncommand = "c"\nenv = { T_TOKEN = "tok-three", LANG = "C" }\nenv_pass = ["P_TOKEN", "HOME"]\n[proxy.servers.u]\nurl = "http://h/mcp"\nauth_token = "tok-four"\n[serve]\ntoken_env = "W"\n',
  );
  const env = { B_KEY: "key-five", S: "tok-six", P_TOKEN: "tok-seven", HOME: "/home/bob", W: "tok-eight" };
  const secrets = secretsOfSettings(settings, env);
  expect(secrets.sort()).toEqual([
    "key-five",
    "key-one",
    "key-two",
    "tok-eight",
    "tok-four",
    "tok-seven",
    "tok-six",
    "tok-three",
  ]);
  const redactor = createRedactor({ secrets });
  for (const secret of secrets) expect(redactor.text(`it is ${secret} here`)).toBe("it is [redacted secret] here");
});

test("a model sees the tools that the settings choose and no rule denies", () => {
  const settings = readSettings(
    "c.toml",
    '[mcp.servers.git]\ncommand = "c"\n[mcp.servers.git.tools]\nallow = ["read_*", "push", "wipe"]\ndeny = ["read_secret"]\n[mcp.auto_approve]\n"git.wipe" = "deny"\n[[rules]]\ndecide = "deny"\ntool = "git.push"\n[rules.arguments]\nforce = "true"\n',
  );
  const policy = policyOfSettings(settings, "c.toml", { fallback: "ask", workdir: "/w", home: "/h" });
  const server = settings.mcp.servers["git"];
  if (server === undefined) throw new Error("no server");
  const seen = ["read_file", "read_secret", "push", "wipe", "other"].filter((tool) =>
    isOffered(policy, server, { alias: "git", tool }),
  );
  expect(seen).toEqual(["read_file", "push"]);
});
