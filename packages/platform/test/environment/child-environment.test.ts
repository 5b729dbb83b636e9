import { describe, expect, test } from "bun:test";
import {
  callerVariableProblem,
  childEnvironment,
  isNeverHandedOn,
  ownEnvironment,
  wholeEnvironment,
} from "../../src/environment/index.ts";

const OUR_RUNTIME = ["BUN_OPTIONS", "BUN_BE_BUN", "BUN_INSPECT", "BUN_INSPECT_CONNECT_TO"];
const NEVER = [
  ...OUR_RUNTIME,
  ..."LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES NODE_OPTIONS BASH_ENV ENV SHELLOPTS BASHOPTS BASH_FUNC_ls%% PROMPT_COMMAND".split(
    " ",
  ),
  ..."PYTHONSTARTUP PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS BOSUN_TOKEN BOSUN_CONFIG BORIS_TOKEN".split(" "),
];
const source = {
  PATH: "/bin",
  HOME: "/h",
  LC_TIME: "C",
  LC_TOKEN: "t",
  CARGO_HOME: "/h/.cargo",
  AWS_SECRET_ACCESS_KEY: "k",
  GITHUB_TOKEN: "g",
  SSH_AUTH_SOCK: "/s",
  XDG_RUNTIME_DIR: "/run/user/1",
  GIT_SSH_COMMAND: "ssh -i k",
  LD_LIBRARY_PATH: "/opt/lib",
  EDITOR: "vi --token sk-123456",
  ABSENT: undefined,
  ...Object.fromEntries(NEVER.map((name) => [name, "x"])),
};
const listed = { PATH: "/bin", HOME: "/h", LC_TIME: "C", CARGO_HOME: "/h/.cargo", EDITOR: source.EDITOR };

describe("what a child gets", () => {
  test("is a list of names", () => expect(childEnvironment(source)).toEqual(listed));

  test("is what a person passes by name besides, secrets and GIT_SSH_COMMAND included", () => {
    const pass = ["GITHUB_TOKEN", "GIT_SSH_COMMAND", "LD_LIBRARY_PATH", "ABSENT"];
    expect(childEnvironment(source, { pass })).toEqual({
      ...listed,
      GITHUB_TOKEN: "g",
      GIT_SSH_COMMAND: "ssh -i k",
      LD_LIBRARY_PATH: "/opt/lib",
    });
  });

  test.each(NEVER)("is never %s, also when it is passed by name", (name) => {
    expect(isNeverHandedOn(name)).toBe(true);
    expect(childEnvironment(source, { pass: [name] })).toEqual(listed);
    expect(wholeEnvironment(source)).not.toHaveProperty([name]);
    expect(callerVariableProblem(name, "x")).toBeDefined();
  });

  test("is what a person sets for a server of their own, but for what changes our own runtime", () => {
    const set = Object.fromEntries([...NEVER, "MINE"].map((name) => [name, "set"]));
    const changed = Object.keys(childEnvironment({}, { set }));
    expect(changed.toSorted()).toEqual(
      [...NEVER.filter((name) => !OUR_RUNTIME.includes(name)), "MINE", "PATH"].toSorted(),
    );
  });

  test("holds no secret under a listed name", () => {
    expect(childEnvironment(source, { holdsSecret: (value) => value.includes("sk-123456") })["EDITOR"]).toBeUndefined();
  });

  test("has a PATH even when there is none", () => expect(childEnvironment({})["PATH"]).toContain("/usr/bin"));

  test("is no shell function under another name", () => {
    const env = { PATH: "/bin", TERM: "() { :; }; id" };
    expect(childEnvironment(env)).toEqual({ PATH: "/bin" });
    expect(wholeEnvironment(env)).toEqual({ PATH: "/bin" });
  });
});

test("in the place of a program that the person started, it is all but what is never handed on", () => {
  expect(wholeEnvironment(source)).toMatchObject({ GITHUB_TOKEN: "g", SSH_AUTH_SOCK: "/s" });
  const names = Object.keys(wholeEnvironment(source, true));
  expect(names).toContain("GIT_SSH_COMMAND");
  expect(names.filter((name) => /TOKEN|SECRET/.test(name))).toEqual([]);
});

test("what the person types runs with their own, but for what changes our own runtime", () => {
  const env = ownEnvironment(source);
  expect(env).toMatchObject({ LD_PRELOAD: "x", NODE_OPTIONS: "x", GITHUB_TOKEN: "g" });
  for (const name of OUR_RUNTIME) expect(env).not.toHaveProperty([name]);
});

test.each<[string, string, string, boolean]>([
  ["an ordinary one", "NODE_ENV", "test", true],
  ["an empty value", "A", "", true],
  ["a name with a dash", "A-B", "x", false],
  ["a name with an equals sign", "A=B", "x", false],
  ["an empty name", "", "x", false],
  ["NUL in a value", "A", "x\0", false],
  ["a value too long", "A", "x".repeat(32_769), false],
  ["a shell function", "A", "() { :; }", false],
])("a caller's variable: %s", (_, name, value, fine) => {
  expect(callerVariableProblem(name, value) === undefined).toBe(fine);
});
