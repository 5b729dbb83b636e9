import { expect, test } from "bun:test";
import { actsOf, describeActs, mayConnect } from "../../src/rules/command-effects.ts";
import { parseShell } from "./tiny-shell.ts";

test.each([
  ["cat a", ""],
  ["echo x > f", "writes f (>)"],
  ["echo x >> $F", "writes something only known later (>> $F)"],
  ["ls 2>&1 > /dev/null", ""],
  ["sort -o out in", "writes out (-o)"],
  ["sed -i s/a/b/ f", "writes files (-i), writes f (-i)"],
  ["sed -n 5p f", ""],
  ["tee a b", "writes a, writes b"],
  ["dd if=a of=b", "writes b (of=)"],
  [
    "awk '{print > \"x\"}' f",
    "writes something only known later (awk script), runs something only known later (awk script)",
  ],
  ["find . -delete", "writes files (-delete)"],
  ["git -c core.pager=x log", "runs other programs (-c)"],
  ["git push", "connects to the network (git push)"],
  ["tar --checkpoint-action=exec=id -tf x", "runs id (--checkpoint-action)"],
  ["curl -o f https://x", "writes f (-o), connects to https://x"],
  ["rm -rf x", "writes x"],
  ["cp a b", "writes b"],
  ["cat < /dev/tcp/h/80", "connects to h:80 (<)"],
  ["$X", "runs something only known later"],
])("%s: %s", (text, said) => {
  expect(
    describeActs(parseShell(text).commands.flatMap((command) => (command.kind === "command" ? actsOf(command) : []))),
  ).toBe(said);
});

test.each([
  ["ls", false],
  ["cat a > b", false],
  ["git status", false],
  ["git push", true],
  ["curl https://x", true],
  ["python3 x.py", true],
  ["cat < /dev/tcp/h/80", true],
  ["$X", true],
])("%s may connect: %p", (text, connects) => {
  expect(
    mayConnect(parseShell(text).commands.flatMap((command) => (command.kind === "command" ? actsOf(command) : []))),
  ).toBe(connects);
});
