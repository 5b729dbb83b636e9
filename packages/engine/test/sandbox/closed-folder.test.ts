// A workspace that cannot be written in: no empty file can hold the place of an absent policy there, and none is needed.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { Workspace } from "../workspace.ts";

const isRoot = process.getuid?.() === 0;
const OTHER = 65_534;
const missing = ["bwrap", ...(isRoot ? ["setpriv"] : [])].filter((tool) => Bun.which(tool) === null);
const hindrances = [
  ...missing.map((tool) => `${tool} is not installed`),
  ...(isRoot && !isOpenToAll(import.meta.dir) ? ["nobody else can read this clone"] : []),
];

// The mode of one's own folder can be changed back, so it is mounted read-only.
for (const [name, isOwn] of [
  ["of one's own", true],
  ["of somebody else", false],
] as const) {
  const reasons = [...hindrances, ...(isRoot || isOwn ? [] : ["only root can give a folder away"])];
  const why = reasons.length === 0 ? "" : ` (skipped: ${reasons.join(", ")})`;
  const title = `a folder ${name}: bubblewrap works, no policy is made in it, work goes on${why}`;
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
    const drop = isRoot ? ["setpriv", `--reuid=${OTHER}`, `--regid=${OTHER}`, "--clear-groups"] : [];
    const words = [...drop, process.execPath, "--no-env-file", "--config=/dev/null", script, workspace.root];
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

function isOpenToAll(folder: string): boolean {
  if ((fs.statSync(folder).mode & 0o005) !== 0o005) return false;
  return path.dirname(folder) === folder || isOpenToAll(path.dirname(folder));
}
