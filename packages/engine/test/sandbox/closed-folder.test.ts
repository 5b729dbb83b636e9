// A workspace that cannot be written in: no empty file can hold the place of an absent policy there, and none is needed.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { asOther, hindrances, isRoot, OTHER, skipped } from "../other-user.ts";
import { Workspace } from "../workspace.ts";

// The mode of one's own folder can be changed back, so it is mounted read-only.
for (const [name, isOwn] of [
  ["of one's own", true],
  ["of somebody else", false],
] as const) {
  const reasons = [...hindrances(["bwrap"]), ...(isRoot || isOwn ? [] : ["only root can give a folder away"])];
  const title = `a folder ${name}: bubblewrap works, no policy is made in it, work goes on${skipped(reasons)}`;
  test.skipIf(reasons.length > 0)(title, async () => {
    using workspace = new Workspace({ file: "text\n", "sub/x": "x" });
    const all = [".", "file", "sub", "sub/x"].map((at) => workspace.at(at));
    if (isRoot) fs.chmodSync(workspace.base, 0o755);
    for (const at of all) {
      fs.chmodSync(at, fs.statSync(at).isDirectory() ? 0o777 : 0o666);
      if (isRoot && isOwn) fs.chownSync(at, OTHER, OTHER);
    }
    fs.chmodSync(workspace.root, 0o555);
    const script = path.join(import.meta.dir, "..", "fixtures", "closed-folder-user.ts");
    const words = [...asOther, process.execPath, "--no-env-file", "--config=/dev/null", script, workspace.root];
    const child = Bun.spawn(words, { stdout: "pipe", env: { PATH: process.env["PATH"] ?? "" } });
    const said: unknown = JSON.parse(await child.stdout.text());
    fs.chmodSync(workspace.root, 0o755);
    expect(said).toEqual({
      mechanism: "bubblewrap",
      plants: "1",
      worksBelow: "made\n0",
      editsWhatIsThere: "text\nmore\n0",
    });
    expect(fs.existsSync(workspace.at(".bosun.toml"))).toBe(false);
  });
}
