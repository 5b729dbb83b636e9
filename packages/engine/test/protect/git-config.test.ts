// Git's configuration as git itself reads it.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { parseGitConfig } from "../../src/protect/git-config.ts";
import { GitFolder } from "./git.ts";

const TEXTS: [string, string][] = [
  ["plain", "[core]\n\tbare = false\n\tfsmonitor = /x/y\n"],
  ["any case", '[CORE]\n\tHooksPath = .hooks\n[Remote "Origin"]\n\tURL = x\n'],
  ["quotes and escapes", '[a]\n\tx = "with # and ; in it"\n\ty = one\\ttwo\\"three\\\\\n\tz = " spaces "  tail  \n'],
  ["comments", "# one\n; two\n[a] ; three\n\tx = 1 # four\n\ty = 2;five\n"],
  ["comments that end in a backslash", "# one \\\n[a]\n\tx = 1 ; two \\\n\ty = 2\n"],
  ["a value that goes on", "[a]\n\tx = one \\\n  two\n\ty = 3\n"],
  ["on the section's line", "[a] x = 1\n[b]y=2\n"],
  ["no value", "[core]\n\tbare\n\tlast = 1\n"],
  ["the old subsection", "[Remote.Origin]\n\turl = x\n"],
  ["an odd subsection", '[includeIf "gitdir:~/a \\"b\\" \\\\ c/"]\n\tpath = inc\n'],
  ["line ends of Windows", "[a]\r\n\tx = 1\r\n\ty = 2\r\n"],
  ["a byte order mark", "\uFEFF[a]\n\tx = 1\n"],
  ["no end of line", "[a]\n\tx = 1"],
  ["empty", ""],
  ["empty values", '[a]\n\tx =\n\ty = ""\n'],
];

test.each(TEXTS)("%s", (_, text) => {
  using folder = new GitFolder();
  writeFileSync(folder.at("config"), text);
  const said = folder.git(".", "config", "-f", "config", "--list", "--null").split("\0").slice(0, -1);
  const expected = said.map((one) => {
    const end = one.indexOf("\n");
    return end < 0 ? { key: one, value: "true" } : { key: one.slice(0, end), value: one.slice(end + 1) };
  });
  expect(parseGitConfig(text)).toEqual(expected);
});

test("what git refuses is passed over, and a long hostile text is read in time", () => {
  expect(parseGitConfig("[a\nx = 1\n[b]\n= 2\ny = 3\n")).toEqual([{ key: "b.y", value: "3" }]);
  expect(parseGitConfig(`[a]\nx = ${'"'.repeat(500_001)}`)).toHaveLength(1);
  expect(parseGitConfig("[".repeat(1_000_000))).toEqual([]);
  expect(parseGitConfig(`[a "${"\\x".repeat(400_000)}`)).toEqual([]);
});
