// The gate without privileges: the same, in a user namespace.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "bun:test";
import { missing, upstream } from "./harness.ts";

const isRoot = process.getuid?.() === 0;

test.skipIf(missing !== undefined || !isRoot)(
  `an unprivileged user has the same gate (only tried by root) ${missing ?? ""}`,
  async () => {
    using a = upstream("hello");
    const folder = mkdtempSync(path.join(tmpdir(), "bosun-other-"));
    chmodSync(folder, 0o777);
    const words = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", process.execPath, "--no-env-file"];
    const child = Bun.spawn(
      [...words, "--config=/dev/null", path.join(import.meta.dir, "run-once.ts"), String(a.port)],
      {
        cwd: "/",
        env: { PATH: "/usr/bin:/bin", HOME: folder, TMPDIR: folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
        lazy: true,
      },
    );
    const out = await new Response(child.stdout).text();
    rmSync(folder, { recursive: true, force: true });
    expect(JSON.parse(out)).toEqual({
      uid: 1000,
      out: "hello",
      lines: [
        "[network] refused: evil.test (no rule allows it; the person can start with --allow-net evil.test)",
        "[network] refused: 127.0.0.1:443 (an address, not the name of a host)",
      ],
    });
  },
);
