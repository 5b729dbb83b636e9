// The watchdog kills by what it is told to look for: words that would fit strangers are refused before anything is killed.
import { expect, test } from "bun:test";
import { limitsPattern } from "../../src/process/process-tags.ts";
import { WATCHDOG_WORDS } from "../../src/process/watchdog.ts";

async function exitOf(pattern: string, folder: string): Promise<number> {
  const watchdog = Bun.spawn(["/bin/sh", "-c", WATCHDOG_WORDS, "bosun-watchdog", pattern, folder], {
    stdin: new Blob(["dismissed\n"]),
    stdout: "ignore",
    stderr: "ignore",
    env: { PATH: "/usr/bin:/bin" },
  });
  return watchdog.exited;
}

const PATTERN = limitsPattern("1234567");

test.each([
  ["no tag", "", "/tmp/bosun-12-abcdef", 1],
  ["a pattern without a tag", limitsPattern(""), "/tmp/bosun-12-abcdef", 1],
  ["no folder", PATTERN, "", 1],
  ["an option in place of a folder", PATTERN, "--", 1],
  ["a folder that is not only ours", PATTERN, "/tmp", 1],
  ["a tag and a folder of ours", PATTERN, "/tmp/bosun-12-abcdef", 0],
])("%s", async (_, pattern, folder, code) => {
  expect(await exitOf(pattern, folder)).toBe(code);
});
