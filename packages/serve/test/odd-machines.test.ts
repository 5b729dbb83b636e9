// Commands in the sandbox where the home folder is none of its own, and where wildcards cover a great many files.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { scratch, TestServer } from "./harness/server.ts";

const hasSandbox = Bun.which("bwrap") !== null;
const FOLDERS = 51;
/** Names of one file: made in a tenth of the time that files take, and looked at like files. */
const NAMES = 10_000;

test.if(hasSandbox).each(["/", "home", ""])("with HOME=%j /dev/null is there and can be written", async (home) => {
  await using server = await TestServer.start({ args: ["--sandbox", "require"], env: { HOME: home } });
  const said = await server.bash("echo x > /dev/null && test -c /dev/null && cat /dev/null && echo well");
  expect(said).toContain("stdout:\nwell\n");
});

test.if(hasSandbox)(
  "a wildcard deny holds among more than half a million entries",
  async () => {
    const made = scratch({ "deep/secret.pem": "canary\n" });
    for (let folder = 0; folder < FOLDERS; folder += 1) {
      const within = path.join(made.root, `f${folder}`);
      fs.mkdirSync(within);
      const zero = path.join(within, "zero");
      fs.writeFileSync(zero, "");
      for (let name = 0; name < NAMES; name += 1) fs.linkSync(zero, path.join(within, `n${name}`));
    }
    await using server = await TestServer.start({
      root: made.root,
      args: ["--sandbox", "require", "--deny-dir", "**/*.pem"],
    });
    const said = await server.bash("cat deep/secret.pem; echo well");
    expect(said).toContain("well");
    expect(said).not.toContain("canary");
  },
  240_000,
);
