// What a hostile file costs the reader as a server: at most what it may cost the command line, 64 MB and four times its size.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { HOSTILE } from "../../bcp/test/hostile/payloads.ts";
import { INITIALIZE, spawnReader } from "./reading.ts";

const folder = mkdtempSync(path.join(tmpdir(), "reader-memory-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, "payload.bcp");

// Those that came closest. Far beyond what any of them takes, in time.
test.skipIf(process.platform !== "linux").each<[string, string, object]>([
  ["a packed tree as large as a block may be", "read_bcp_file", {}],
  ["a hunk of 60 MB that is not all Latin", "read_bcp_file", {}],
  ["100,000 turns in 1 KB", "read_bcp_file", { budget: 500_000 }],
  ["100,000 turns in 1 KB", "inspect_bcp_file", {}],
])("%s, %s %j (needs Linux: it reads /proc)", async (name, tool, more) => {
  writeFileSync(file, HOSTILE.find((hostile) => hostile.name === name)?.make() ?? "");
  const reader = spawnReader({}, "pipe");
  const answers = linesOf(reader.stdout);
  try {
    reader.stdin.write(`${INITIALIZE}\n`);
    await answers.next();
    const before = peakBytes(reader.pid);
    const params = { name: tool, arguments: { path: file, ...more } };
    reader.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params })}\n`);
    expect((await answers.next()).value).toContain('"id":2,"result"');
    expect(peakBytes(reader.pid) - before).toBeLessThan(64e6 + 4 * statSync(file).size);
  } finally {
    await reader.stdin.end();
    await reader.exited;
  }
});

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

function peakBytes(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}
