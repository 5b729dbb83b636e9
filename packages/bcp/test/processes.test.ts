// The `bcp` entry point as a process of its own, on Bun and, where there is one that knows zstd, on Node.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { TOUR, TOUR_MARKDOWN } from "./vectors/tour.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const MAIN = path.join(import.meta.dir, "../src/main.ts");
const node = process.env["BOSUN_NODE"] ?? Bun.which("node") ?? "node";
const nodeVersion = Number(/^v(\d+)/.exec(Bun.spawnSync([node, "--version"]).stdout.toString())?.[1] ?? 0);

const RUNTIMES: [string, string[]][] = [["bun", [process.execPath, "--no-env-file", "--config=/dev/null", MAIN]]];
if (nodeVersion >= 24) RUNTIMES.push(["node", [node, MAIN]]);
else test.skip(`on Node: this one is ${nodeVersion}, which has no zstd (set BOSUN_NODE to a Node 24)`, () => {});

describe.each(RUNTIMES)("%s", (_, command) => {
  test("decodes from a pipe to a pipe", async () => {
    const child = start(command, ["decode", "-", "--mode", "markdown"]);
    child.stdin.write(TOUR);
    await child.stdin.end();
    expect(await new Response(child.stdout).text()).toBe(`${TOUR_MARKDOWN}\n`);
    expect(await child.exited).toBe(0);
  });

  test("writes all of a large output before it ends, and fails with 1", async () => {
    const child = start(command, ["encode", "-", "-o", "-"]);
    const content = "x".repeat(3_000_000);
    child.stdin.write(JSON.stringify({ blocks: [{ type: "conversation", role: "user", content }] }));
    await child.stdin.end();
    const payload = new Uint8Array(await new Response(child.stdout).arrayBuffer());
    expect(payload.length).toBe(3_000_000 + 27);
    const broken = start(command, ["validate", "-"]);
    broken.stdin.write(payload.subarray(0, -1));
    await broken.stdin.end();
    expect(await new Response(broken.stdout).text()).toStartWith("✗ Error: ");
    expect(await broken.exited).toBe(1);
  });

  test("compresses and unpacks", async () => {
    const child = start(command, ["encode", "-", "-o", "-", "--compress-payload"]);
    child.stdin.write(JSON.stringify({ blocks: [{ type: "conversation", role: "user", content: "abc".repeat(40) }] }));
    await child.stdin.end();
    // The bytes of the reference, for libzstd 1.5.7.
    expect(Buffer.from(new Uint8Array(await new Response(child.stdout).arrayBuffer())).toString("hex")).toBe(
      "424350000100010028b52ffd0058bd00008002007e010002020178616263ff0100000100d2d42501",
    );
  });

  // The reader is another program, and slow: Bun itself would read ahead. What is left in the pipe when it begins is what counts.
  test("a slow reader gets all of ten megabytes, and the words of an error behind them", async () => {
    const script = `{ "$@" decode -; "$@" decode absent.bcp --json; } 2>&1 | { sleep 0.5; cat; }`;
    const child = start(["bash", "-c", script, "bash", ...command], []);
    child.stdin.write(largePayload(10_000_000));
    await child.stdin.end();
    const text = await new Response(child.stdout).text();
    const [shown = "", told = ""] = text.split("</context>\n");
    expect(shown.length).toBe("<context>\n<!-- unknown block type 0x42 -->\n".length + 10_000_000 + 1);
    expect(told).toContain('"message": "cannot read absent.bcp');
    expect(told).toEndWith("error: cannot read absent.bcp: No such file or directory (os error 2)\n");
  });

  test("ended by a signal while nobody reads, it has lost nothing of what it has written", async () => {
    const child = start(command, ["decode", "-"]);
    child.stdin.write(largePayload(10_000_000));
    await child.stdin.end();
    const reader = child.stdout.getReader();
    const { value: first } = await reader.read();
    child.kill("SIGTERM");
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
    const pieces = [first ?? new Uint8Array(0)];
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value);
    const text = Buffer.concat(pieces).toString();
    expect(text).toMatch(/^<context>\n<!-- unknown block type 0x42 -->\na*(\n<\/context>\n)?$/);
  });

  test("ends quietly when nobody reads on", async () => {
    const child = start(command, ["decode", "-"]);
    const reader = child.stdout.getReader();
    child.stdin.write(largePayload());
    await child.stdin.end();
    await reader.read();
    await reader.cancel();
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe("");
  });

  test.skipIf(!existsSync("/proc/self/cmdline"))(
    "a name that is not UTF-8 is refused, not written as another",
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), "bcp-names-"));
      try {
        // Only a shell can pass it on: our own words are UTF-8.
        const script = `"$@" encode - -o "$(printf 'b\\377.bcp')"`;
        const child = start(["/bin/sh", "-c", script, "sh", ...command], [], folder);
        child.stdin.write('{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}');
        await child.stdin.end();
        expect(await new Response(child.stderr).text()).toContain("is not UTF-8: use - and redirect");
        expect([await child.exited, readdirSync(folder)]).toEqual([2, []]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  test.skipIf(!existsSync("/dev/full"))("says in a line that its output could not be written", async () => {
    const child = Bun.spawn([...command, "decode", "-"], {
      stdin: new Blob([TOUR]),
      stdout: Bun.file("/dev/full"),
      stderr: "pipe",
      env: {},
    });
    expect(await new Response(child.stderr).text()).toBe(
      "error: cannot write standard output: No space left on device (os error 28)\n",
    );
    expect(await child.exited).toBe(1);
  });
});

function start(command: readonly string[], args: readonly string[], cwd = process.cwd()) {
  return Bun.spawn([...command, ...args], { stdin: "pipe", stdout: "pipe", stderr: "pipe", env: {}, cwd });
}

function largePayload(length = 4_000_000): Uint8Array {
  const lengthBytes = [
    (length & 0x7f) | 0x80,
    ((length >> 7) & 0x7f) | 0x80,
    ((length >> 14) & 0x7f) | 0x80,
    length >> 21,
  ];
  const head = [0x42, 0x43, 0x50, 0, 1, 0, 0, 0, 0x42, 0, ...lengthBytes];
  const payload = new Uint8Array(head.length + length + 4).fill(0x61);
  payload.set(head);
  payload.set([0xff, 1, 0, 0], head.length + length);
  return payload;
}
