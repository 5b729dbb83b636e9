// The runtime-neutral code on Node 24: the same tests, another runtime.
import { expect, test } from "bun:test";
import path from "node:path";

const NODE = process.env["BOSUN_NODE24"];
const WHY = NODE ? "" : " (skipped: BOSUN_NODE24 does not name a Node 24)";

test.skipIf(NODE === undefined)(
  `what does not touch Bun passes its tests on Node 24${WHY}`,
  async () => {
    const script = path.join(import.meta.dirname, "node/run-on-node.mjs");
    const child = Bun.spawn([NODE ?? "", script, NODE ?? ""], {
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp" },
    });
    const [said, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ problems, exitCode: await child.exited }).toEqual({ problems: "", exitCode: 0 });
    expect(said).toMatch(/^node: \d{3,} passed, 0 failed\n$/);
  },
  300_000,
);
