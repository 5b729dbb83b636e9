// bosun bcp and a standard output that does not take it all.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { encodePlain } from "@bosun/bcp";

const MAIN = path.join(import.meta.dir, "../src/main.ts");
const large = encodePlain([
  { type: "document", title: "T", content: new Uint8Array(8_000_000).fill(0x61), formatHint: "plain" },
]);

test("a reader that goes away is no failure", async () => {
  for (let round = 0; round < 5; round++) {
    const child = Bun.spawn(["sh", "-c", `'${process.execPath}' '${MAIN}' bcp decode - | head -c 5; exit 0`], {
      stdin: new Blob([large]),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(child.stdout).text()).toBe("<cont");
    expect(await new Response(child.stderr).text()).toBe("");
  }
});

test.skipIf(!existsSync("/dev/full"))("a full disk is one", async () => {
  const child = Bun.spawn([process.execPath, MAIN, "bcp", "decode", "-"], {
    stdin: new Blob([large]),
    stdout: Bun.file("/dev/full"),
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toContain("cannot write standard output: No space left on device");
  expect(await child.exited).toBe(1);
});
