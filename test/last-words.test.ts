// The end of input is the end of a server: but what it has said by then reaches a client that reads slowly, and a client that
// reads no more does not keep it.
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dir, "..");
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-last-words-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// More answers than a pipe holds. Nobody waits for those to nonsense, which names no request.
const LINES = 5000;
const requests = path.join(folder, "requests");
const nonsense = path.join(folder, "nonsense");
writeFileSync(
  requests,
  Array.from({ length: LINES }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join(""),
);
writeFileSync(nonsense, "nonsense\n".repeat(LINES));

const SERVERS: readonly (readonly [string, readonly string[]])[] = [
  ["bosun serve", ["packages/cli/src/main.ts", "serve", "--transport", "stdio"]],
  ["the proxy", ["packages/cli/src/main.ts", "proxy", "--", process.execPath, "packages/mcp/examples/echo-stdio.ts"]],
  ["the reader", ["packages/bcp-mcp-server/src/index.ts", "--mode", "reader"]],
];

test.each(
  SERVERS.flatMap(([name, words]) => [
    [name, "requests", words, requests] as const,
    [name, "nonsense", words, nonsense] as const,
  ]),
)("%s: a slow reader gets the answers to all %s", async (_, __, words, input) => {
  // Line by line, and between two other programs, because Bun reads ahead what its children say.
  const slowly = 'set -o pipefail; while read -r line; do echo "$line"; done | "$@" | { sleep 1; wc -l; }';
  const child = start(["bash", "-c", slowly, "bash", ...bun(words)], input);
  expect((await new Response(child.stdout).text()).trim()).toBe(String(LINES));
  expect(await child.exited).toBe(0);
});

test.each(SERVERS)("%s ends although nobody reads", async (_, words) => {
  expect(await start(bun(words), nonsense).exited).toBe(0);
});

function bun(words: readonly string[]): string[] {
  return [process.execPath, "--no-env-file", "--config=/dev/null", ...words];
}

function start(words: readonly string[], input: string) {
  return Bun.spawn([...words], {
    cwd: root,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
    stdin: Bun.file(input),
    stdout: "pipe",
    stderr: "ignore",
    lazy: true,
  });
}
