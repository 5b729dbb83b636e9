// bosun bcp and a standard output that does not take it all.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { encodePlain } from "@bosun/bcp";

const MAIN = path.join(import.meta.dir, "../src/main.ts");
const large = encodePlain([
  { type: "document", title: "T", content: new Uint8Array(8_000_000).fill(0x61), formatHint: "plain" },
]);

test("a slow reader gets all of it", async () => {
  // The reader is another program: Bun itself would read ahead.
  const script = `"$@" bcp decode - | { sleep 0.5; wc -c; }`;
  const child = Bun.spawn(["bash", "-c", script, "bash", process.execPath, MAIN], {
    stdin: new Blob([large]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const words = '<context>\n<doc title="T" format="plain">\n\n</doc>\n</context>\n';
  expect(Number(await new Response(child.stdout).text())).toBe(8_000_000 + words.length);
  expect(await new Response(child.stderr).text()).toBe("");
});

test("help and errors say how the command is typed", async () => {
  for (const [words, told] of [
    [["bcp", "help", "encode"], "bosun bcp encode context.json -o context.bcp --compress-blocks"],
    [["bcp", "--help"], "Usage: bosun bcp [options] <command>"],
    [["bcp", "decode"], "a file is missing: bosun bcp decode <FILE>"],
    [["bcp", "frobnicate"], "try 'bosun bcp --help'"],
  ] as const) {
    const child = Bun.spawn([process.execPath, MAIN, ...words], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect(out + err).toContain(told);
    expect(out + err).not.toMatch(/(?<!bosun )\bbcp (encode|decode|inspect|validate|stats|help|--help) /);
  }
});

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
