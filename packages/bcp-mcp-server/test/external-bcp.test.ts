// BCP_CLI_PATH: another binary behind the same tools, whatever it does.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@bosun/mcp/client";
import { bcpMain, bun, call, INITIALIZE, pipe, spawnReader, start } from "./reading.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bcp-external-"));
const WRAPPER = `exec ${[...bun, bcpMain].map((word) => `'${word}'`).join(" ")} "$@"`;
const clients: Client[] = [];
const at = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  const blocks = [{ type: "document", title: "T", content: "some text" }];
  writeFileSync(at("manifest.json"), JSON.stringify({ blocks }));
  await Bun.spawn([...bun, bcpMain, "encode", at("manifest.json"), "-o", at("made.bcp")], { stdout: "ignore" }).exited;
});
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("another binary answers the same", async () => {
  const program = script("wrapper", WRAPPER);
  const external = await opened({ BCP_CLI_PATH: program });
  const own = await opened({});
  const read = { path: at("made.bcp"), mode: "markdown" };
  const inspect = { path: at("made.bcp") };
  const encode = { manifest_path: at("manifest.json"), output_path: at("written.bcp"), compress: true };
  for (const [tool, args] of Object.entries({
    read_bcp_file: read,
    inspect_bcp_file: inspect,
    encode_bcp_file: encode,
  })) {
    const answer = await call(external, tool, args);
    expect(answer).toEqual(await call(own, tool, args));
    expect(answer.failed).toBe(false);
  }
});

test.each<[string, string, string, RegExp]>([
  ["hangs", "exec sleep 60", "300", /timed out after 300 ms/],
  ["hangs behind a script that waits for it", "sleep 60", "300", /timed out after 300 ms/],
  ["hangs in the background, pipes open", "sleep 60 & exit 0", "300", /timed out after 300 ms/],
  ["does not hear SIGTERM", "trap '' TERM; while :; do sleep 1; done", "300", /timed out after 300 ms/],
  ["floods its output", "exec yes", "30000", /longer than \d+ characters/],
  ["floods its error output", "exec yes >&2", "30000", /longer than \d+ characters/],
  ["is killed", "kill -KILL $$", "30000", /ended by SIGKILL/],
  ["fails without a word", "exit 3", "30000", /exit code 3/],
  ["fails with words", "echo 'no such block' >&2; exit 1", "30000", /^no such block$/],
])("one that %s is an answer, and the server lives on", async (name, body, timeout, said) => {
  const external = await opened({
    BCP_CLI_PATH: script(name.replaceAll(" ", "-"), body),
    BCP_CLI_TIMEOUT_MS: timeout,
  });
  const outcome = await call(external, "read_bcp_file", { path: at("made.bcp") });
  expect(outcome).toEqual({ failed: true, text: expect.stringMatching(said) });
  expect((await external.listTools()).length).toBe(3);
});

test.each([
  ["is not there", "no-such-binary", undefined],
  ["may not be run", "not-executable", 0o644],
])("one that %s is named", async (_, name, mode) => {
  if (mode !== undefined) chmodSync(script(name, "exit 0"), mode);
  const external = await opened({ BCP_CLI_PATH: at(name) });
  const outcome = await call(external, "read_bcp_file", { path: at("made.bcp") });
  expect(outcome).toEqual({ failed: true, text: expect.stringContaining(name) });
});

test("a file that was written is not called a failure because it cannot be counted", async () => {
  const program = script("cannot-count", `if [ "$1" = stats ]; then echo 'too large' >&2; exit 1; fi; ${WRAPPER}`);
  const external = await opened({ BCP_CLI_PATH: program });
  const args = { manifest_path: at("manifest.json"), output_path: at("uncounted.bcp") };
  expect(await call(external, "encode_bcp_file", args)).toEqual({
    failed: false,
    text: `Wrote ${at("uncounted.bcp")}\n\nNo statistics: too large\n`,
  });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "a server that %s ends takes the binary with it",
  async (signal) => {
    const pidFile = at(`pid-of-${signal}`);
    const program = script("stays", `echo $$ > '${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec sleep 62`);
    const params = { name: "read_bcp_file", arguments: { path: at("made.bcp") } };
    const server = spawnReader({ BCP_CLI_PATH: program });
    server.stdin.write(`${INITIALIZE}\n${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params })}\n`);
    await server.stdin.flush();
    while (!existsSync(pidFile)) await Bun.sleep(20);
    server.kill(signal);
    expect(await server.exited).toBeGreaterThan(128);
    const binary = Number(readFileSync(pidFile, "utf8"));
    while (isAlive(binary)) await Bun.sleep(20);
  },
);

test("a slow answer is given also to a client that has said all it had to say", async () => {
  const program = script("slow", `sleep 1.5; ${WRAPPER}`);
  const params = { name: "read_bcp_file", arguments: { path: at("made.bcp") } };
  const read = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params });
  const { lines, exitCode } = await pipe([INITIALIZE, read], [], { BCP_CLI_PATH: program });
  expect(JSON.stringify(lines[1]?.result)).toContain("some text");
  expect(exitCode).toBe(0);
});

test("another binary does not read for a manifest what is outside the allowed folders", async () => {
  mkdirSync(at("inside"));
  writeFileSync(at("secret.txt"), "a secret");
  const blocks = [{ type: "document", title: "T", content_file: "../secret.txt" }];
  const args = { manifest_path: at("inside/m.json"), output_path: at("inside/out.bcp") };
  const env = { BCP_CLI_PATH: script("wrapper", WRAPPER) };
  const scoped = await opened(env, ["--allow-dir", at("inside")]);
  // The same key, spelled so that a search for it would not find it.
  const spelled = JSON.stringify({ blocks }).replace("content_file", "content\\u005ffile");
  for (const source of [JSON.stringify({ blocks }), spelled]) {
    writeFileSync(args.manifest_path, source);
    const outcome = await call(scoped, "encode_bcp_file", args);
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("in the manifest itself") });
    expect(existsSync(args.output_path)).toBe(false);
  }
  writeFileSync(args.manifest_path, JSON.stringify({ blocks: [{ type: "document", title: "T", content: "x" }] }));
  expect((await call(scoped, "encode_bcp_file", args)).failed).toBe(false);
});

test("what a binary started ends with it", async () => {
  const program = script("leaves-a-child", `sleep 61 & echo $! > '${at("child.pid")}'; wait`);
  const external = await opened({ BCP_CLI_PATH: program, BCP_CLI_TIMEOUT_MS: "500" });
  await call(external, "read_bcp_file", { path: at("made.bcp") });
  const child = Number(await Bun.file(at("child.pid")).text());
  while (isAlive(child)) await Bun.sleep(20);
});

async function opened(env: Record<string, string>, args: string[] = []): Promise<Client> {
  const client = await start(args, env);
  clients.push(client);
  return client;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // What has ended and not been waited for counts as gone.
    return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

function script(name: string, body: string): string {
  const file = at(name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}
