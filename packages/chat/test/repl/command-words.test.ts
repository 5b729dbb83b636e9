// Words of a command as a person types it: quotes and backslashes count, nothing else does.
import { expect, test } from "bun:test";
import { commandWords } from "../../src/repl/command-words.ts";

test.each<[string, string[] | undefined]>([
  ["git-mcp --repo .", ["git-mcp", "--repo", "."]],
  ["  a   b  ", ["a", "b"]],
  [`npx "my folder" 'it''s'`, ["npx", "my folder", "its"]],
  [String.raw`a\ b "c\"d" 'e\f'`, ["a b", 'c"d', String.raw`e\f`]],
  [`x "" ''`, ["x", "", ""]],
  ["echo $HOME * ; rm", ["echo", "$HOME", "*", ";", "rm"]],
  [`open "quote`, undefined],
  ["", []],
])("%s", (text, words) => {
  expect(commandWords(text)).toEqual(words as string[]);
});
