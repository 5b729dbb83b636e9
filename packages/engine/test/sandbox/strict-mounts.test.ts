// File systems that were mounted without set-user-id, devices or programs, as /dev and /tmp are on most machines: a user
// namespace may not lift that, not even by leaving it out.
import { expect, test } from "bun:test";
import path from "node:path";
import { isRoot } from "../other-user.ts";
import { Workspace } from "../workspace.ts";

const enter = ["unshare", ...(isRoot ? [] : ["--user", "--map-root-user"]), "--mount", "sh", "-c"];
const canMount = Bun.spawnSync([...enter, "mount -t tmpfs none /tmp"]).success;

const title = "namespaces work where mounts are nosuid, nodev and noexec";
test.skipIf(!canMount)(canMount ? title : `${title} (skipped: nothing can be mounted here)`, async () => {
  using workspace = new Workspace();
  const script = path.join(import.meta.dir, "..", "fixtures", "strict-mounts.ts");
  const setup = `set -e
    mount -t tmpfs -o nosuid,nodev,noexec none "$1"
    mount -o remount,bind,nosuid,noexec /dev
    cd "$1"; echo x > policy.toml; echo x > secret
    root=$1; shift; exec "$@" "$root"`;
  const words = [process.execPath, "--no-env-file", "--config=/dev/null", script];
  const child = Bun.spawn([...enter, setup, "sh", workspace.root, ...words], {
    stdout: "pipe",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const said: unknown = JSON.parse(await child.stdout.text());
  expect(said).toMatchObject({ mechanism: "namespaces", why: "works" });
});
