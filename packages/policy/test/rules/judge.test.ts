import { describe, expect, test } from "bun:test";
import { nameOfRule, type Verdict } from "../../src/rules/decision.ts";
import { isIgnored, judgePath } from "../../src/rules/judge-paths.ts";
import { judge, type Call } from "../../src/rules/judge.ts";
import type { PolicyInput } from "../../src/rules/policy.ts";
import { allowing, at, policy, rule } from "./policies.ts";
import { parseShell } from "./tiny-shell.ts";

const push = { alias: "git", tool: "push" };

describe("rules about tools", () => {
  const rules = policy({
    rules: [
      rule({ decide: "allow", tools: ["git.*"], line: 3 }),
      rule({ decide: "ask", tools: ["git.push"], line: 7, name: "ask before push" }),
      rule({ decide: "allow", tools: ["git.read_*"], line: 9 }),
      rule({ decide: "ask", tools: ["git.read_s*"], line: 11 }),
      rule({ decide: "deny", tools: ["git.force*"], line: 13 }),
      rule({ decide: "allow", tools: ["git.force_read"], line: 15 }),
      rule({ decide: "deny", tools: ["nc.delete_note"], line: 17 }),
    ],
  });
  test.each<[string, string, Verdict, number | undefined]>([
    ["git", "status", "allow", 3],
    ["git", "push", "ask", 7],
    ["git", "pushx", "allow", 3],
    ["git", "read_file", "allow", 9],
    ["git", "read_secret", "ask", 11],
    ["git", "force_push", "deny", 13],
    ["git", "force_read", "deny", 13],
    ["nc", "delete_note", "deny", 17],
    ["nc", "read", "ask", undefined],
    ["gitx", "status", "ask", undefined],
    ["git", "a.b", "allow", 3],
    ["GIT", "status", "ask", undefined],
  ])("%s.%s: %s by line %p", (alias, tool, verdict, line) => {
    const decision = judge(rules, { tool: { alias, tool } });
    expect(decision.verdict).toBe(verdict);
    expect(decision.rule.line).toBe(line as number);
  });

  test("a decision names its rule and its place", () => {
    expect(nameOfRule(judge(rules, { tool: push }).rule)).toBe("ask before push (config.toml:7)");
  });

  test("of two equals the stricter holds, whatever their order", () => {
    for (const order of [
      ["allow", "ask"],
      ["ask", "allow"],
    ] as const) {
      const tie = policy({ rules: order.map((decide) => rule({ decide, tools: ["git.push"] })) });
      expect(judge(tie, { tool: push }).verdict).toBe("ask");
    }
  });

  test("an ask about a tool can be answered for longer; one about exactly this tool not for its whole server", () => {
    expect(judge(policy({}), { tool: push }).grantable).toBe(true);
    expect(judge(policy({ rules: [rule({ decide: "ask", tools: ["git.*"] })] }), { tool: push }).grantable).toBe(true);
    expect(judge(rules, { tool: push })).toMatchObject({ grantable: true, needsToolGrant: true });
    const aboutArguments = policy({
      rules: [rule({ decide: "ask", tools: ["git.*"], arguments: { force: ["true"] } })],
    });
    expect(judge(aboutArguments, { tool: push, arguments: { force: true } }).grantable).toBe(false);
  });

  test("mcp.auto_approve lines are rules like any other", () => {
    const approvals = [
      { pattern: at("git.*", 4), verdict: "allow" as const },
      { pattern: at("git.push", 5), verdict: "ask" as const },
      { pattern: at("nc.x", 6), verdict: "deny" as const },
    ];
    const compiled = policy({ approvals });
    expect(judge(compiled, { tool: push }).verdict).toBe("ask");
    expect(judge(compiled, { tool: { alias: "git", tool: "log" } }).rule).toEqual({
      name: 'mcp.auto_approve "git.*"',
      file: "config.toml",
      line: 4,
    });
    expect(judge(compiled, { tool: { alias: "nc", tool: "x" } }).verdict).toBe("deny");
  });
});

describe("rules about arguments", () => {
  const files = { alias: "files", tool: "write" };
  const rules = policy({
    rules: [
      rule({ decide: "allow", tools: ["files.*"], arguments: { path: ["/project/**"] } }),
      rule({ decide: "deny", tools: ["files.*"], arguments: { path: ["/**/.env", "/etc/**"] } }),
      rule({ decide: "ask", tools: ["files.write"], arguments: { "options.force": ["true"] } }),
      rule({ decide: "deny", tools: ["files.*"], arguments: { "edits.text": ["*password*"] } }),
      rule({ decide: "allow", tools: ["web.get"], arguments: { url: ["https://docs.example/**"] } }),
      rule({ decide: "allow", tools: ["files.many"], arguments: { paths: ["/project/**"] } }),
    ],
  });
  test.each<[string, unknown, Verdict]>([
    ["a path that the pattern covers", { path: "/project/a/b" }, "allow"],
    ["a neighbour with the same beginning", { path: "/work_evil/a" }, "ask"],
    ["a step back out", { path: "/project/../etc/passwd" }, "deny"],
    ["a step back that stays in", { path: "/project/a/../b" }, "ask"],
    ["a dot in between", { path: "/project/./b" }, "ask"],
    ["a denied name", { path: "/project/.env" }, "deny"],
    ["a denied name with a doubled slash", { path: "/project//.env" }, "deny"],
    ["a denied name, hidden by a step back", { path: "/project/x/../.env" }, "deny"],
    ["a NUL", { path: "/project/a\u0000b" }, "ask"],
    ["nothing", {}, "ask"],
    ["not even an object", "x", "ask"],
    ["an object where a text belongs", { path: { toString: "/project/a" } }, "deny"],
    ["a force flag", { path: "/project/a", options: { force: true } }, "ask"],
    ["no force flag", { path: "/project/a", options: { force: false } }, "allow"],
    [
      "a text in a list of edits",
      { path: "/project/a", edits: [{ text: "fine" }, { text: "my password is" }] },
      "deny",
    ],
    ["a value that came by prototype", Object.create({ path: "/project/a" }), "ask"],
  ])("%s", (_, args, verdict) => {
    expect(judge(rules, { tool: files, arguments: args }).verdict).toBe(verdict);
  });

  test("an allow rule for a list needs every element", () => {
    const many = { alias: "files", tool: "many" };
    expect(judge(rules, { tool: many, arguments: { paths: ["/project/a", "/project/b"] } }).verdict).toBe("allow");
    expect(judge(rules, { tool: many, arguments: { paths: ["/project/a", "/home/b"] } }).verdict).toBe("ask");
    expect(judge(rules, { tool: many, arguments: { paths: [] } }).verdict).toBe("ask");
  });

  test.each([
    ["https://docs.example/a", "allow"],
    ["https://docs.example@evil/a", "ask"],
    ["https://docs.example.evil/a", "ask"],
    ["https://docs.example\\@evil/a", "ask"],
    ["https://docs.example/../x", "ask"],
    ["http://docs.example/a", "ask"],
  ])("an address: %s → %s", (url, verdict) => {
    expect(judge(rules, { tool: { alias: "web", tool: "get" }, arguments: { url } }).verdict).toBe(verdict as Verdict);
  });
});

describe("rules about paths", () => {
  const rules = policy({
    denyPaths: [at("**/.env"), at("~/.ssh"), at("secret")],
    readOnlyPaths: [at("/project/vendor")],
    ignorePaths: [at("**/node_modules")],
    rules: [
      rule({ decide: "allow", paths: ["out/**"], access: "write" }),
      rule({ decide: "ask", paths: ["out/release"] }),
      rule({ decide: "deny", paths: ["/project/locked"], access: "write" }),
    ],
  });
  test.each<[string, "read" | "write", Verdict | undefined]>([
    ["/project/.env", "read", "deny"],
    ["/project/.env/x", "read", "deny"],
    ["/home/bob/.ssh/id_rsa", "read", "deny"],
    ["/home/bob/.sshx", "read", undefined],
    ["/project/secret/a", "write", "deny"],
    ["/project/vendor/a", "read", undefined],
    ["/project/vendor/a", "write", "deny"],
    ["/project/out/a", "write", "allow"],
    ["/project/out/a", "read", undefined],
    ["/project/out/release/a", "write", "ask"],
    ["/project/locked", "write", "deny"],
    ["/project/a", "read", undefined],
    ["relative", "read", "deny"],
    ["/project/../etc", "read", "deny"],
    ["/project/a\u0000", "read", "deny"],
  ])("%s for %s: %p", (path, access, verdict) => {
    expect(judgePath(rules, path, access)?.verdict).toBe(verdict as Verdict);
  });

  test("ignored paths are data for listings", () => {
    expect(isIgnored(rules, "/project/node_modules/x/y")).toBe(true);
    expect(isIgnored(rules, "/project/src")).toBe(false);
  });

  test("a call that touches a denied path is denied, an allowed one is allowed", () => {
    const tool = { alias: "here", tool: "write" };
    expect(judge(rules, { tool, paths: [{ path: "/project/out/a", access: "write" }] }).verdict).toBe("allow");
    expect(
      judge(rules, {
        tool,
        paths: [
          { path: "/project/out/a", access: "write" },
          { path: "/project/x", access: "write" },
        ],
      }).verdict,
    ).toBe("ask");
    expect(
      judge(rules, {
        tool,
        paths: [
          { path: "/project/out/a", access: "write" },
          { path: "/project/.env", access: "read" },
        ],
      }).verdict,
    ).toBe("deny");
  });

  test.each([
    ["cat .env"],
    ["cat ./sub/../.env"],
    ["cat < .env"],
    ["echo x > vendor/a"],
    ["tee vendor/a"],
    ["sed -i s/a/b/ vendor/a"],
    ["cp x vendor/a"],
    ["cat /project/secret/a"],
    ["curl -o vendor/x https://x"],
    ["dd if=x of=vendor/a"],
    ["env cat .env"],
  ])("a command that names one is denied too: %s", (text) => {
    const call: Call = { tool: { alias: "here", tool: "bash" }, shell: parseShell(text), cwd: "/project" };
    expect(
      judge(
        policy({ denyPaths: [at("**/.env"), at("secret")], readOnlyPaths: [at("vendor")] }, { fallback: "allow" }),
        call,
      ).verdict,
    ).toBe("deny");
  });
});

describe("the shell tool's own table", () => {
  const tool = { alias: "here", tool: "shell" };
  const rules = policy({ allowedDirectories: [at("/project"), at("/tmp")] }, { fallback: "allow" });
  test.each<[string | undefined, Verdict]>([
    ["/project", "allow"],
    ["/project/sub", "allow"],
    ["/tmp/x", "allow"],
    ["/project_evil", "deny"],
    ["/project/../etc", "deny"],
    ["/", "deny"],
    [undefined, "deny"],
  ])("a command in %p: %s", (cwd, verdict) => {
    const call: Call = { tool, shell: parseShell("ls"), ...(cwd === undefined ? {} : { cwd }) };
    expect(judge(rules, call).verdict).toBe(verdict);
  });

  test.each<[string[], Verdict]>([
    [["node", "x.js"], "allow"],
    [["/usr/bin/node", "x.js"], "deny"],
    [["./node"], "deny"],
    [["bash", "-c", "x"], "deny"],
    [[""], "deny"],
    [[], "deny"],
    [["Node"], "deny"],
  ])("run_command %p: %s", (argv, verdict) => {
    const list = policy(
      { runCommand: { programs: ["node", "npm"], file: "config.toml", line: 2 } },
      { fallback: "allow" },
    );
    expect(judge(list, { tool: { alias: "here", tool: "run_command" }, argv }).verdict).toBe(verdict);
  });

  test("the block-list holds for programs without a shell too", () => {
    const list = policy(
      { blockedCommands: [at("npm publish")], runCommand: { programs: ["npm"], file: "x" } },
      { fallback: "allow" },
    );
    expect(judge(list, { tool: { alias: "here", tool: "run_command" }, argv: ["npm", "publish"] }).verdict).toBe(
      "deny",
    );
    expect(judge(list, { tool: { alias: "here", tool: "run_command" }, argv: ["npm", "test"] }).verdict).toBe("allow");
  });
});

describe("together", () => {
  const bash = { alias: "here", tool: "bash" };
  test("a rule about commands can be for one tool only", () => {
    const rules = policy(
      { rules: [rule({ decide: "deny", tools: ["here.bash"], commands: ["git push"] })] },
      { fallback: "allow" },
    );
    expect(judge(rules, { tool: bash, shell: parseShell("git push") }).verdict).toBe("deny");
    expect(judge(rules, { tool: { alias: "here", tool: "shell" }, shell: parseShell("git push") }).verdict).toBe(
      "allow",
    );
  });

  test("the more specific command rule decides, a deny always", () => {
    const rules = policy({
      rules: [
        allowing("git"),
        rule({ decide: "ask", commands: ["git push"] }),
        allowing("git push origin docs"),
        rule({ decide: "deny", commands: ["git push --force"] }),
      ],
    });
    const verdict = (text: string) => judge(rules, { tool: bash, shell: parseShell(text) }).verdict;
    expect(verdict("git status")).toBe("allow");
    expect(verdict("git push origin main")).toBe("ask");
    expect(verdict("git push origin docs")).toBe("allow");
    expect(verdict("git push origin docs --force")).toBe("deny");
  });

  test("a denied tool stays denied whatever its commands are", () => {
    const rules = policy({ rules: [allowing("ls"), rule({ decide: "deny", tools: ["here.bash"] })] });
    expect(judge(rules, { tool: bash, shell: parseShell("ls") }).verdict).toBe("deny");
  });

  test("what cannot be parsed is never allowed, even for an allowed tool", () => {
    const rules = policy({ rules: [rule({ decide: "allow", tools: ["here.bash"] })] });
    const unparsable = { commands: [{ kind: "unparsable", reason: "too long" } as const] };
    expect(judge(rules, { tool: bash, shell: unparsable })).toMatchObject({ verdict: "ask", grantable: false });
    expect(
      judge(policy({ blockedCommands: [at("dd")] }, { fallback: "allow" }), { tool: bash, shell: unparsable }).verdict,
    ).toBe("deny");
  });

  test("shell text inside a command is not allowed when nobody can read it", () => {
    const rules = policy({ rules: [allowing("sh", "ls")] });
    expect(judge(rules, { tool: bash, shell: parseShell("sh -c ls") }).verdict).toBe("ask");
    expect(judge(rules, { tool: bash, shell: parseShell("sh -c ls") }, { parse: parseShell }).verdict).toBe("allow");
  });

  test("a judge that fails denies", () => {
    const broken = { ...policy({}), toolRules: undefined as never };
    expect(judge(broken, { tool: bash })).toMatchObject({
      verdict: "deny",
      reason: expect.stringContaining("could not be evaluated"),
    });
  });

  test("a parser that throws denies", () => {
    const parse = (): never => {
      throw new Error("boom");
    };
    expect(
      judge(policy({ rules: [allowing("sh")] }), { tool: bash, shell: parseShell("sh -c x") }, { parse }).verdict,
    ).toBe("deny");
  });
});

test.each<[string, PolicyInput]>([
  ["a rule about nothing", { rules: [rule({ decide: "deny" })] }],
  ["an allow rule for everything", { rules: [rule({ decide: "allow", tools: ["*"] })] }],
  ["a star in the middle", { rules: [rule({ decide: "deny", tools: ["git.*_x"] })] }],
  ["a tool without a server", { rules: [rule({ decide: "deny", tools: ["push"] })] }],
  ["a server that cannot be", { rules: [rule({ decide: "deny", tools: ["Git.push"] })] }],
  ["a bare star in auto_approve", { approvals: [{ pattern: at("*"), verdict: "deny" }] }],
  ["a command with a separator", { blockedCommands: [at("ls; rm")] }],
  ["an empty command", { blockedCommands: [at("  ")] }],
  ["a path that steps back", { denyPaths: [at("a/../b")] }],
  ["a broken pattern", { denyPaths: [at("a[")] }],
  ["commands and paths in one", { rules: [rule({ decide: "deny", commands: ["x"], paths: ["y"] })] }],
])("%s stops the start, with its place", (_, input) => {
  expect(() => policy(input)).toThrow(/^config\.toml:1: /);
});

describe("size is no way around", () => {
  const bash = { alias: "here", tool: "bash" };
  const rules = policy({ rules: [allowing("git", "sed", "find", "echo")], blockedCommands: [at("rm -rf")] });
  const word = (text: string, count: number): string => `${text} `.repeat(count);

  test.each<[string, string, Verdict]>([
    ["thousands of options for git", `git log ${word("-x", 20_000)}`, "ask"],
    ["thousands of -i for sed", `sed ${word("-i f", 10_000)}`, "ask"],
    ["thousands of -exec", `find . ${word("-exec echo {} +", 3000)}`, "ask"],
    ["thousands of wrappers", `${word("env", 5000)} rm -rf /`, "deny"],
    ["thousands of words before the flags", `rm ${word("x", 50_000)} -rf`, "deny"],
    ["thousands of commands before it", `${word("echo x;", 3000)} rm -rf /`, "deny"],
    ["more commands than anybody reads", word("echo x;", 10_000), "ask"],
    ["one endless word", `echo ${"x".repeat(1_000_000)}`, "allow"],
    ["an endless sed script", `sed '${"s/a/b/;".repeat(20_000)}' f`, "ask"],
    ["an endless awk script", `awk '${'system("x") '.repeat(5000)}'`, "ask"],
  ])("%s", (_, text, verdict) => {
    expect(judge(rules, { tool: bash, shell: parseShell(text), cwd: "/project" }, { parse: parseShell }).verdict).toBe(
      verdict,
    );
  });

  test("a path rule is not lost in a crowd of words", () => {
    const paths = policy({ denyPaths: [at("**/.env")] }, { fallback: "allow" });
    const shell = parseShell(`cat ${word("a", 2000)} .env`);
    expect(judge(paths, { tool: bash, shell, cwd: "/project" }).verdict).toBe("ask");
  });
});

describe("commands by regular expression, and lists of the only ones", () => {
  const verdictOf = (input: PolicyInput, text: string): Verdict =>
    judge(
      policy(input, { fallback: "allow" }),
      { tool: { alias: "s", tool: "bash" }, shell: parseShell(text), cwd: "/project" },
      { parse: parseShell },
    ).verdict;

  test.each<[string, Verdict]>([
    ["git push --force", "deny"],
    ["git push origin main --force", "deny"],
    ["/usr/bin/git push --force", "deny"],
    ["true && git push --force", "deny"],
    ["git push $HOW", "ask"],
    ["git push", "allow"],
    ["echo git push --force", "allow"],
    [`git push --force ${"x".repeat(5000)}`, "ask"],
  ])("deny /^git push.* --force\\b/: %s", (text, expected) => {
    expect(verdictOf({ blockedCommands: [at("/^git push.* --force\\b/")] }, text)).toBe(expected);
  });

  test("one that is none is refused at the start, with its place", () => {
    expect(() => policy({ blockedCommands: [at("/(/", 7)] })).toThrow(/config\.toml:7: .*not a regular expression/);
  });

  test.each<[string, Verdict]>([
    ["npm test", "allow"],
    ["npm test -- --watch", "allow"],
    ["ls -l && npm test", "allow"],
    ["git log --oneline -5", "allow"],
    ["npm install", "deny"],
    ["npm test; rm -rf x", "deny"],
    ["npm test $(curl x)", "deny"],
    ["git log; git push", "deny"],
    ["git log --oneline -5 --output=x", "deny"],
    ["$X", "deny"],
    ["sh -c 'npm test'", "deny"],
    ["PATH=/tmp npm test", "deny"],
    ["/tmp/npm test", "deny"],
  ])("only npm test, ls and an expression: %s", (text, expected) => {
    const onlyCommands = [at("npm test"), at("ls"), at("/git log( --oneline)?( -\\d+)?/")];
    expect(verdictOf({ onlyCommands }, text)).toBe(expected);
  });
});
