// BCP_CLI_PATH: another binary behind the same tools, whatever it does.
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
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
  ["succeeds without a word", "exit 0", "30000", /said nothing/],
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
  ["is not there", () => at("no-such-binary"), /no-such-binary cannot be started: no such program/],
  ["may not be run", () => program("not-executable", "#!/bin/sh", 0o644), /a folder, or not executable/],
  ["is a folder", () => folder, /a folder, or not executable/],
  ["is in no folder", () => at("made.bcp/bcp"), /not a folder/],
  ["is empty", () => program("empty", ""), /not a program/],
  ["is for another machine", () => program("foreign", "\x7fELF and so on"), /not a program/],
  ["needs what is not there", () => program("headless", "#!/no/such/shell\n"), /its first line names none/],
])("one that %s is named", async (_, made, why) => {
  const named = made();
  const external = await opened({ BCP_CLI_PATH: named });
  const outcome = await call(external, "read_bcp_file", { path: at("made.bcp") });
  expect(outcome).toEqual({ failed: true, text: expect.stringMatching(why) });
  expect(outcome.text).toStartWith(`BCP_CLI_PATH: ${named} `);
});

test("its path may have blanks in it, and start in the server's folder", async () => {
  script("one of two words", WRAPPER);
  for (const named of [at("one of two words"), path.relative(process.cwd(), at("one of two words"))]) {
    const external = await opened({ BCP_CLI_PATH: named });
    const outcome = await call(external, "read_bcp_file", { path: at("made.bcp") });
    expect(outcome).toEqual({ failed: false, text: expect.stringContaining("some text") });
  }
});

test.each([
  ["read_bcp_file", "exec yes", /^the output is longer than \d+ characters: set a budget$/],
  ["inspect_bcp_file", "exec yes", /^the output is longer than \d+ characters: read_bcp_file takes a budget$/],
  ["encode_bcp_file", "exec yes", /^the output is longer than \d+ characters$/],
  ["read_bcp_file", "exec yes >&2", /^the error output is longer than \d+ characters$/],
])("what is recommended instead of too much output can be done: %s, %s", async (tool, body, said) => {
  const external = await opened({ BCP_CLI_PATH: script("flood", body) });
  const encode = { manifest_path: at("manifest.json"), output_path: at("flooded.bcp") };
  const args = tool === "encode_bcp_file" ? encode : { path: at("made.bcp") };
  expect(await call(external, tool, args)).toEqual({ failed: true, text: expect.stringMatching(said) });
});

test("one that wrote nothing, or half of it, changes nothing", async () => {
  const args = { manifest_path: at("manifest.json"), output_path: at("old.bcp") };
  writeFileSync(args.output_path, "old");
  chmodSync(args.output_path, 0o640);
  const before = readdirSync(folder).length;
  for (const [body, said] of [
    ["echo Wrote 5 bytes", "wrote nothing"],
    ['echo half > "$4"; echo no >&2; exit 1', "no"],
    ['echo half > "$4"; kill -KILL $$', "SIGKILL"],
  ] as const) {
    const external = await opened({ BCP_CLI_PATH: script("half", body) });
    expect(await call(external, "encode_bcp_file", args)).toEqual({
      failed: true,
      text: expect.stringContaining(said),
    });
    expect(readFileSync(args.output_path, "utf8")).toBe("old");
  }
  const external = await opened({ BCP_CLI_PATH: script("half", WRAPPER) });
  expect((await call(external, "encode_bcp_file", args)).failed).toBe(false);
  expect(statSync(args.output_path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toHaveLength(before + 1);
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
    const server = spawnReader({ BCP_CLI_PATH: program }, "ignore");
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
  // The same key, spelled so that a search for it would not find it; and where a parser does not see it any more.
  const spelled = JSON.stringify({ blocks }).replace("content_file", "content\\u005ffile");
  const twice = JSON.stringify({ blocks }).replace(/}$/, ',"blocks":[]}');
  for (const source of [JSON.stringify({ blocks }), spelled, twice]) {
    writeFileSync(args.manifest_path, source);
    const outcome = await call(scoped, "encode_bcp_file", args);
    expect(outcome).toEqual({ failed: true, text: expect.stringContaining("in the manifest itself") });
    expect(existsSync(args.output_path)).toBe(false);
  }
  const harmless = { type: "document", title: '"content_file":"\\', content: '\\"content_file": x' };
  writeFileSync(args.manifest_path, JSON.stringify({ blocks: [harmless] }));
  expect((await call(scoped, "encode_bcp_file", args)).failed).toBe(false);
});

test("within allowed folders another binary gets what was judged, not what was swapped in since", async () => {
  for (const name of ["safe", "safe/a", "other"]) mkdirSync(at(name));
  const made = readFileSync(at("made.bcp"));
  writeFileSync(at("safe/a/file.bcp"), made);
  writeFileSync(at("other/file.bcp"), "a secret");
  const plain = { type: "document", title: "T", content: "plain" };
  writeFileSync(at("safe/a/m.json"), JSON.stringify({ blocks: [plain] }));
  writeFileSync(at("other/m.json"), JSON.stringify({ blocks: [{ ...plain, content: "a secret" }] }));
  writeFileSync(at("other/out.bcp"), "untouched");
  // It swaps the folder itself before it looks: as late as anybody could.
  const swap = `cd '${at("safe")}'; mv a b; ln -s '${at("other")}' a; `;
  const back = "rm a; mv b a";
  const body = `${swap} ${WRAPPER.replace("exec ", "")}; code=$?; ${back}; exit $code`;
  const scoped = await opened({ BCP_CLI_PATH: script("swapping", body) }, ["--allow-dir", at("safe")]);
  const file = at("safe/a/file.bcp");
  expect((await call(scoped, "read_bcp_file", { path: file })).text).toContain("some text");
  expect((await call(scoped, "inspect_bcp_file", { path: file })).text).toContain("DOCUMENT");
  const args = { manifest_path: at("safe/a/m.json"), output_path: at("safe/a/out.bcp") };
  const written = await call(scoped, "encode_bcp_file", args);
  expect(written.text).toStartWith(`Wrote ${args.output_path}\n\nFile:    ${args.output_path}  (`);
  expect(readFileSync(args.output_path, "utf8")).toContain("plain");
  expect(readFileSync(at("other/out.bcp"), "utf8")).toBe("untouched");
  expect(readdirSync(at("safe/a")).toSorted()).toEqual(["file.bcp", "m.json", "out.bcp"]);
  // Names of ours are not shown to anybody.
  writeFileSync(file, "nonsense");
  expect((await call(scoped, "read_bcp_file", { path: file })).text).toStartWith(`error: failed to decode ${file}: `);
});

test("another binary does not write through a link that leads nowhere", async () => {
  mkdirSync(at("kept"));
  symlinkSync(at("escaped.bcp"), at("kept/link.bcp"));
  const scoped = await opened({ BCP_CLI_PATH: script("wrapper", WRAPPER) }, ["--allow-dir", at("kept")]);
  writeFileSync(at("kept/m.json"), readFileSync(at("manifest.json")));
  const args = { manifest_path: at("kept/m.json"), output_path: at("kept/link.bcp") };
  expect((await call(scoped, "encode_bcp_file", args)).failed).toBe(true);
  expect(existsSync(at("escaped.bcp"))).toBe(false);
});

test.each([
  ["what a binary started", "sleep 61"],
  ["what left its group", "setsid sleep 61"],
])("%s ends with it", async (_, started) => {
  const program = script("leaves-a-child", `${started} & echo $! > '${at("child.pid")}'; wait`);
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
  return program(name, `#!/bin/sh\n${body}\n`);
}

function program(name: string, source: string, mode = 0o755): string {
  const file = at(name);
  writeFileSync(file, source);
  chmodSync(file, mode);
  return file;
}
