// Which whole commands are known to change git's configuration or hooks.
import { expect, test } from "bun:test";
import { heldWriteOf, mayBeHeldWrite, partsOfScripts } from "../../src/rules/git-config-writers.ts";
import { parseShell } from "./tiny-shell.ts";

function partsOf(text: string): string {
  const found = mayBeHeldWrite(text) ? heldWriteOf(parseShell(text)) : undefined;
  if (found === undefined) return "";
  return [...found.parts, ...(found.scripts ?? []).map((name) => `script ${name}`)].join(" ");
}

test.each([
  ["git config user.name me", "config"],
  ["git config --local core.editor vi", "config"],
  ["git config --unset user.name", "config"],
  ["git config --add a.b c", "config"],
  ["git config --bool core.bare false", "config"],
  ["git config --type bool core.bare false", "config"],
  ["git config set user.name me", "config"],
  ["git config unset user.name", "config"],
  ["git config --rename-section a b", "config"],
  ["git --no-pager config user.name me", "config"],
  ["git remote add o https://example.com/x.git", "config"],
  ["git remote add o https://example.com/x.git 2>&1", "config"],
  ["git remote -v add o x", "config"],
  ["git remote set-url o x", "config"],
  ["git remote remove o", "config"],
  ["git remote rename o p", "config"],
  ["git branch -m new", "config"],
  ["git branch -M main", "config"],
  ["git branch -u origin/main", "config"],
  ["git branch --set-upstream-to=origin/main", "config"],
  ["git branch --set-upstream-to origin/main", "config"],
  ["git push -u origin main", "config"],
  ["git push --set-upstream origin main", "config"],
  ["git push -fu origin main", "config"],
  ["git submodule add https://example.com/x.git x", "config modules"],
  ["git submodule update --init --recursive", "config modules"],
  ["git submodule --quiet init", "config modules"],
  ["git worktree remove ../tree", "worktrees"],
  ["git worktree move a b", "worktrees"],
  ["git lfs install", "hooks config"],
  ["git lfs install --local", "hooks config"],
  ["pre-commit install", "hooks"],
  ["pre-commit install --hook-type pre-push", "hooks"],
  ["lefthook install", "hooks"],
  ["npx lefthook install", "hooks"],
  ["husky", "config"],
  ["husky init", "config"],
  ["npx husky", "config"],
  ["npx --yes husky@9 init", "config"],
  ["bunx husky", "config"],
  ["npm run prepare", "script prepare"],
  ["npm install", "script preinstall script install script postinstall script prepublish script prepare"],
  ["npm ci --no-audit", "script preinstall script install script postinstall script prepublish script prepare"],
  ["yarn", "script preinstall script install script postinstall script prepublish script prepare"],
])("%s: %s", (text, parts) => {
  expect(partsOf(text)).toBe(parts);
});

test.each([
  // They only read.
  "git config user.name",
  "git config --get user.name",
  "git config --get-all a.b c",
  "git config --list",
  "git config -l",
  "git config get user.name",
  "git remote",
  "git remote -v",
  "git remote show origin",
  "git remote get-url o",
  "git branch",
  "git branch -a",
  "git branch -vv",
  "git branch new main",
  "git branch -d old",
  "git push origin main",
  "git push --force-with-lease",
  "git submodule status",
  "git worktree add ../tree",
  "git worktree list",
  "git lfs ls-files",
  "pre-commit run --all-files",
  "lefthook run pre-commit",
  "npm install lodash",
  "npm test",
  "npx tsc",
  // Another file, another repository, or a program that somebody chose.
  "git config --global user.name me",
  "git config -f other a.b c",
  "git -C other config user.name me",
  "git --git-dir=x config user.name me",
  "git -c a.b=c config user.name me",
  "GIT_DIR=x git config user.name me",
  "/tmp/git config user.name me",
  "./git config user.name me",
  "env git config user.name me",
  "sudo git config user.name me",
  // Not the whole command, or not known before it runs.
  "git config user.name me && true",
  "true; git remote add o x",
  "git remote add o x | cat",
  "git remote add o $URL",
  "git remote add o $(cat url)",
  "git remote add o x > out",
  "sh -c 'git remote add o x'",
  "for i in 1 2; do git remote add o x; done",
  "git() { evil; }; git remote add o x",
  "eval git remote add o x",
])("not %s", (text) => {
  expect(partsOf(text)).toBe("");
});

test.each<[string, string, string[], string[]]>([
  ["husky", '{"scripts":{"prepare":"husky"}}', ["prepare"], ["config"]],
  ["in a longer line", '{"scripts":{"postinstall":"node x && husky install || true"}}', ["postinstall"], ["config"]],
  [
    "two",
    '{"scripts":{"prepare":"lefthook install","postinstall":"husky"}}',
    ["prepare", "postinstall"],
    ["hooks", "config"],
  ],
  ["another script", '{"scripts":{"test":"husky"}}', ["prepare"], []],
  ["a name that only looks like it", '{"scripts":{"prepare":"my-husky-thing"}}', ["prepare"], []],
  ["no scripts", "{}", ["prepare"], []],
  ["null", "null", ["prepare"], []],
  ["no JSON", "{", ["prepare"], []],
  ["scripts that are none", '{"scripts":[1]}', ["0"], []],
])("scripts of package.json: %s", (_, text, names, parts) => {
  expect(partsOfScripts(text, names).parts).toEqual(parts as never);
});

test("the scripts that would run are told", () => {
  const text = '{"scripts":{"prepare":"husky","test":"x","postinstall":"node evil.js"}}';
  expect(partsOfScripts(text, ["prepare", "postinstall"]).texts).toEqual([
    "prepare: husky",
    "postinstall: node evil.js",
  ]);
});
