// Where a line goes, and which lines of an answer are commands.
import { describe, expect, test } from "bun:test";
import { commandsIn } from "../../src/conversation/cmd-lines.ts";
import { isWholeInput, joinedInput, route } from "../../src/repl/route-input.ts";
import type { Route } from "../../src/repl/route-input.ts";

const options = {
  isMeta: (name: string) => name === "help",
  cwd: "/etc",
  home: "/root",
  env: { PATH: "/usr/bin:/bin" },
};

describe("routing", () => {
  test.each<[string, string, Route["kind"], string]>([
    ["empty", "", "nothing", ""],
    ["blanks", "   ", "nothing", ""],
    ["a command of ours", ":help models", "meta", "models"],
    ["one that does not exist", ":hepl", "unknown-meta", "hepl"],
    ["two colons", "::help", "ask", ":help"],
    ["run, not remembered", "!!ls", "shell", "ls"],
    ["run", "! ls -l", "shell", "ls -l"],
    ["a subshell", "!", "subshell", ""],
    ["an escaped mark", "\\!important", "ask", "!important"],
    ["a leading blank asks", " :help", "ask", ":help"],
    ["anything else", "ls -l", "ask", "ls -l"],
  ])("%s", (_, line, kind, rest) => {
    const to = route(line, { ...options, route: "ai" });
    expect(to.kind).toBe(kind);
    if (rest !== "") expect(Object.values(to)).toContain(rest);
  });

  test.each<[string, "shell" | "ask"]>([
    ["ls", "shell"],
    ["ls -l", "shell"],
    ["cat passwd", "shell"],
    ["grep x passwd | wc", "shell"],
    ["find the biggest file", "ask"],
    ["make me a list", "ask"],
    ["which file is the biggest?", "ask"],
    ["tell me a joke", "ask"],
    ["sort my notes", "ask"],
    ["find . -name x", "shell"],
  ])("auto: %s", (line, kind) => {
    expect(route(line, { ...options, route: "auto" }).kind).toBe(kind);
  });

  test("shell: everything runs, ? asks", () => {
    expect(route("what", { ...options, route: "shell" }).kind).toBe("shell");
    expect(route("?what", { ...options, route: "shell" })).toMatchObject({ kind: "ask", text: "what" });
  });
});

test.each([
  ["one line", "a", true, "a"],
  ["a backslash goes on", "a \\", false, undefined],
  ["an escaped backslash does not", "a \\\\", true, "a \\\\"],
  ["joined at the backslash", "a \\\nb", true, "a \nb"],
  ["a block that is open", '"""\na', false, undefined],
  ["a block", '"""\na\n"""', true, "a\n"],
])("input: %s", (_, text, whole, joined) => {
  expect(isWholeInput(text)).toBe(whole);
  if (joined !== undefined) expect(joinedInput(text)).toBe(joined);
});

test.each<[string, string, string[]]>([
  ["a line", "Look:\n\nCMD: df -h\n", ["df -h"]],
  ["up to three blanks before", "   CMD: a\n    CMD: b", ["a"]],
  ["in the middle of a line it is text", "write CMD: a", []],
  ["inside a fence it is text", "```\nCMD: a\n```\nCMD: b", ["b"]],
  ["inside a tilde fence", "~~~sh\nCMD: a\n```\nCMD: c\n~~~\nCMD: b", ["b"]],
  [
    "a fence called cmd is one command",
    "```cmd\nfor x in a b; do\n  echo $x\ndone\n```",
    ["for x in a b; do\n  echo $x\ndone"],
  ],
  ["one pair of backticks is taken away", "CMD: `ls -l`", ["ls -l"]],
  ["backticks inside stay", "CMD: echo `date`", ["echo `date`"]],
  ["quotes are not repaired", "CMD: echo “x”", ["echo “x”"]],
  ["an unfinished fence runs nothing", "```cmd\nrm x", []],
  ["no command after the mark", "CMD:   ", []],
])("CMD: %s", (_, text, commands) => {
  expect(commandsIn(text)).toEqual(commands);
});

test.each([
  ["exit", { kind: "meta", name: "quit", rest: "" }],
  ["quit", { kind: "meta", name: "quit", rest: "" }],
  ["/help", { kind: "meta", name: "help", rest: "" }],
  ["/model cloud", { kind: "meta", name: "model", rest: "cloud" }],
  ["/review a b", { kind: "prompt", name: "review", rest: "a b" }],
  ["/hlp", { kind: "unknown-meta", name: "hlp" }],
  ["/tmp", { kind: "ask", text: "/tmp", guessed: false }],
  ["/etc/hosts is what?", { kind: "ask", text: "/etc/hosts is what?", guessed: false }],
  ["exit code 3 means what?", { kind: "ask", text: "exit code 3 means what?", guessed: false }],
])("as people type elsewhere: %s", (line, expected) => {
  const options = {
    route: "ai" as const,
    isMeta: (name: string) => ["help", "model", "quit"].includes(name),
    isPrompt: (name: string) => name === "review",
    cwd: "/",
    home: "/",
    env: {},
  };
  expect(route(line, options)).toEqual(expected as ReturnType<typeof route>);
});
