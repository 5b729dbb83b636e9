// A patch that goes through the gate and back must apply: the real git, a real repository.
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { Shrinker, unfold, wholeText } from "../src/index.ts";

function git(cwd: string, args: string[], input = ""): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const run = Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    cwd,
    env,
    stdin: Buffer.from(input),
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return run.stdout.toString();
}

test("git apply accepts what comes back, and gives the same files", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "shrink-git-"));
  try {
    git(folder, ["init", "-q"]);
    const lines = (change: number) =>
      Array.from({ length: 80 }, (_, i) => (i % 20 === change ? `changed ${i}\ttab` : `line ${i} of the file  `)).join(
        "\n",
      );
    for (const name of ["a.txt", "b c.txt", "gone.txt"]) writeFileSync(path.join(folder, name), lines(-1));
    git(folder, ["add", "."]);
    git(folder, ["commit", "-q", "-m", "first"]);
    writeFileSync(path.join(folder, "a.txt"), `${lines(3)}\n`);
    writeFileSync(path.join(folder, "b c.txt"), lines(7).replaceAll("\n", "\r\n"));
    rmSync(path.join(folder, "gone.txt"));
    writeFileSync(path.join(folder, "new.txt"), "brand new\n");
    git(folder, ["add", "-A"]);
    const patch = git(folder, ["diff", "--cached"]);
    const { result, changed } = new Shrinker().shrink({ content: [{ type: "text", text: patch }] });
    expect(changed).toBe(true);
    const back = unfold({ text: wholeText(result), meta: result._meta });
    if (!back.ok) throw new Error(back.reason);
    git(folder, ["reset", "-q", "--hard"]);
    git(folder, ["apply"], back.text);
    expect(readFileSync(path.join(folder, "a.txt"), "utf8")).toBe(`${lines(3)}\n`);
    expect(readFileSync(path.join(folder, "new.txt"), "utf8")).toBe("brand new\n");
    git(folder, ["add", "-A"]);
    expect(git(folder, ["diff", "--cached"])).toBe(patch);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
