// Variables that something else than a command sets: a judge must see them, or `for PATH in …` renames every program.
import { expect, test } from "bun:test";
import { parseShell } from "../../src/shell-syntax/grammar.ts";

test.each([
  ["a loop", "for PATH in /tmp/evil; do ls; done"],
  ["a menu", "select PATH in a; do ls; done"],
  ["a coprocess", "coproc PATH { ls; }"],
  ["arithmetic", "((PATH=1)); ls"],
  ["arithmetic with an operator", "((PATH+=1))"],
  ["an increment", "((PATH++))"],
  ["arithmetic inside a word", "echo $((PATH=3))"],
  ["an arithmetic loop", "for ((PATH=0; PATH<3; PATH++)); do ls; done"],
  ["a descriptor variable", "exec {PATH}> f; ls"],
  ["a default that is kept", "echo ${PATH:=/evil}; ls"],
  ["a default inside quotes", 'echo "${PATH=/evil}"'],
])("%s sets a variable without a command", (_, text) => {
  const syntax = parseShell(text);
  const silent = syntax.kind === "parsed" ? syntax.commands.filter(({ words }) => words.length === 0) : [];
  expect(silent.flatMap(({ assignments }) => assignments.map(({ name }) => name))).toContain("PATH");
});

test("what only reads a variable sets none", () => {
  for (const text of [
    'echo "${PATH:-/bin}" $((PATH + 1)) 2> f',
    "while read -r line; do echo; done",
    "[[ $PATH == a ]]",
  ]) {
    const syntax = parseShell(text);
    expect(syntax).toMatchObject({ kind: "parsed" });
    if (syntax.kind === "parsed") expect(syntax.commands.flatMap(({ assignments }) => assignments)).toEqual([]);
  }
});
