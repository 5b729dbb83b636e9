// A rejection nobody handles ends a process that has no handler. Each entry point is started with one in store: what serves
// several callers goes on serving, what runs one job ends with a code of its own.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-stray-")));
const preload = path.join(folder, "stray.ts");
// As soon as the program has a handler, and after a while even if it has none.
writeFileSync(
  preload,
  `let looks = 0;
  const look = setInterval(() => {
    if (process.listenerCount("unhandledRejection") === 0 && (looks += 1) < 500) return;
    clearInterval(look);
    void Promise.reject(new Error("a stray mistake"));
  }, 10);
  `,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PING = `${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping" })}\n`;

test.each([
  ["the echo example", ["packages/mcp/examples/echo-stdio.ts"]],
  ["the tool server", ["packages/serve/src/main.ts", "--transport", "stdio"]],
  ["bosun serve", ["packages/cli/src/main.ts", "serve", "--transport", "stdio"]],
  ["the reader", ["packages/bcp-mcp-server/src/index.ts", "--mode", "reader"]],
  ["the proxy", ["packages/cli/src/main.ts", "proxy", "--", process.execPath, "packages/mcp/examples/echo-stdio.ts"]],
])("%s says it and goes on answering", async (_, words) => {
  const child = start(words);
  await saidOn(child.stderr, "a stray mistake");
  child.stdin.write(PING);
  await child.stdin.flush();
  expect(await saidOn(child.stdout, "\n")).toContain('"id":7');
  await child.stdin.end();
  expect(await child.exited).toBe(0);
});

test.each([
  ["bcp", ["packages/bcp/src/main.ts", "decode", "-"]],
  ["bosun bcp", ["packages/cli/src/main.ts", "bcp", "decode", "-"]],
  ["aish without a screen", ["packages/chat/src/main.ts", "-p"]],
])("%s says it and ends with 70", async (_, words) => {
  const child = start(words);
  await saidOn(child.stderr, "a stray mistake");
  expect(await child.exited).toBe(70);
});

function start(words: readonly string[]) {
  return Bun.spawn([process.execPath, "--no-env-file", "--config=/dev/null", `--preload=${preload}`, ...words], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Everything up to the words waited for; whatever comes later is left to the pipe. */
async function saidOn(stream: ReadableStream<Uint8Array>, words: string): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  while (!text.includes(words)) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`ended after: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return text;
}
