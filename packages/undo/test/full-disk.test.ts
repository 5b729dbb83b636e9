// A full disk under the store or under the tree: calls go on and say so, an undo stops and is finished later.
import { expect, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const mayMount =
  process.platform === "linux" &&
  Bun.spawnSync(["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).exitCode === 0;
if (!mayMount) console.warn("skipped: this machine lets nobody mount a small file system of their own");

test.skipIf(!mayMount)("nothing is lost on a full disk, and what could not be kept is said", async () => {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-full-")));
  fs.mkdirSync(path.join(folder, "small"));
  const script = path.join(import.meta.dir, "harness/full-disk.ts");
  const mount = 'mount -t tmpfs -o size=24m none "$1/small" && exec "$2" --no-env-file "$3" "$1"';
  const child = Bun.spawn(["unshare", "-Urm", "sh", "-c", mount, "sh", folder, process.execPath, script], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const result = JSON.parse(await new Response(child.stdout).text()) as Record<string, unknown>;
  expect(result).toEqual({
    storeFull: "the store is full",
    required: "the store is full",
    window: "the store is full",
    roomAgain: "kept",
    undoOnFull: 1,
    said: expect.stringMatching(/^bosun undo: ENOSPC.*what was begun is finished by the next bosun undo/) as string,
    halfWritten: [],
    finished: expect.stringMatching(
      /^bosun undo: an undo was interrupted \(\d+ of 20 done\); it has been finished/,
    ) as string,
    files: 20,
  });
  fs.rmSync(folder, { recursive: true, force: true });
});
