// The proxy as clients meet it: a process between them and a server that may misbehave.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import type { Client, ClientOptions } from "@bosun/mcp/client";
import { ORIGINAL_KEY } from "@bosun/shrink";
import { unfoldLines } from "../src/unfold.ts";

const entry = path.resolve(import.meta.dir, "../src/index.ts");
const faulty = path.resolve(import.meta.dir, "fixtures/faulty-server.ts");
const filesystem = path.resolve(
  import.meta.dir,
  "../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
);
const bun = [process.execPath, "--no-env-file", "--config=/dev/null"];
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-proxy-")));
const env = { XDG_STATE_HOME: path.join(folder, "state") };
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let next = 0;

describe("a server that misbehaves costs only the call that met it", () => {
  test("killed in the middle of a call: that call says how it ended, the next one works", async () => {
    await using proxied = await start();
    expect(await proxied.call("die")).toEqual({ failed: true, text: expect.stringContaining("exit 3") });
    expect(await proxied.call("ok")).toEqual({ failed: false, text: "fine" });
    // It was not sent again: it could have run twice.
    expect(proxied.ran("die")).toBe(1);
    expect(proxied.ran("start")).toBe(2);
  });

  test("dead between two calls: the second is sent to a new one, once", async () => {
    await using proxied = await start();
    await proxied.call("die_slowly");
    await Bun.sleep(400);
    expect((await proxied.call("ok")).text).toBe("fine");
    expect(proxied.ran("ok")).toBe(1);
  });

  test("stalled: the call fails after its time, others go on meanwhile", async () => {
    await using proxied = await start({ options: ["--timeout", "2"] });
    const stalled = proxied.call("stall");
    expect((await proxied.call("ok")).text).toBe("fine");
    expect(await stalled).toEqual({ failed: true, text: expect.stringContaining("no answer within 2000 ms") });
  });

  test("garbage on its output is skipped", async () => {
    await using proxied = await start();
    expect((await proxied.call("garbage")).text).toBe("after the garbage");
  });

  test("two answers to one call: the first counts", async () => {
    await using proxied = await start();
    expect((await proxied.call("twice")).text).toBe("first");
    expect((await proxied.call("ok", { text: "next" })).text).toBe("next");
  });

  test("an answer that comes after its call was given up reaches nobody else", async () => {
    await using proxied = await start();
    const given = AbortSignal.timeout(200);
    await expect(proxied.client.callTool("late", {}, { signal: given })).rejects.toThrow();
    const answers = [];
    for (let i = 0; i < 8; i++) {
      answers.push((await proxied.call("ok", { text: `${i}` })).text);
      await Bun.sleep(250);
    }
    expect(answers).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
  });

  test("a flood of notifications comes through and the answer behind it", async () => {
    let heard = 0;
    await using proxied = await start({ client: { onNotification: () => void heard++ } });
    expect((await proxied.call("flood")).text).toBe("flooded");
    expect(heard).toBeGreaterThan(0);
  });

  test("a command that does not exist is an answer with a reason", async () => {
    const client = connectChild(
      { command: bun[0] ?? "", args: [...bun.slice(1), entry, "--mode", "proxy", "--", "/no/such/program"], env },
      { name: "t", version: "1", era: "legacy" },
    );
    await expect(client).rejects.toThrow(/\/no\/such\/program|program is gone|cannot be started/);
  });
});

describe("what passes through", () => {
  test("integers above 2^53 and members nobody knows arrive as they were sent", async () => {
    const [command = "", ...flags] = bun;
    const child = Bun.spawn([command, ...flags, entry, "--mode", "proxy", "--", command, faulty, record()], {
      stdin: "pipe",
      stdout: "pipe",
      env: { ...process.env, ...env },
    });
    child.stdin.write(
      [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":98765432109876543210,"method":"tools/call","params":{"name":"big_number"}}',
        "",
      ].join("\n"),
    );
    await child.stdin.flush();
    let out = "";
    for await (const chunk of child.stdout) {
      out += new TextDecoder().decode(chunk);
      if (out.includes("98765432109876543210")) break;
    }
    child.kill();
    expect(out).toContain('"id":98765432109876543210');
    expect(out).toContain('"n":12345678901234567890,"f":1.0');
    expect(out).toContain('"x-unknown":9007199254740993');
  });

  test("the tool list keeps every name and gets the way back", async () => {
    await using proxied = await start();
    const names = (await proxied.client.listTools()).map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(["ok", "big_number", "die"]);
    expect(names.at(-1)).toBe("read_original");
  });

  test("with --compress-tools the full definitions are had on demand", async () => {
    await using proxied = await start({ options: ["--compress-tools", "full"] });
    await proxied.client.listTools();
    expect((await proxied.call("describe_tool", { name: "flood" })).text).toContain("Does flood.");
    expect(await proxied.call("describe_tool", { name: "nope" })).toMatchObject({ failed: true });
  });
});

describe.each(["legacy", "modern"] as const)("a %s client in front of a legacy server", (era) => {
  test.each(["legacy", "silent", "exits"])(
    "that is %s to what it does not know",
    async (mode) => {
      await using proxied = await start({ mode, client: { era } });
      expect((await proxied.call("ok", { text: era })).text).toBe(era);
      const cancelled = proxied.client.callTool("stall", {}, { signal: AbortSignal.timeout(100) });
      await expect(cancelled).rejects.toThrow();
      expect((await proxied.call("ok")).text).toBe("fine");
    },
    30_000,
  );

  test("answers what the server asks in the middle of a call", async () => {
    const elicit: ClientOptions["elicit"] = async ({ message }) => ({
      action: "accept",
      content: { name: String(message) },
    });
    await using proxied = await start({ client: { era, elicit } });
    expect((await proxied.call("asks")).text).toBe('answered {"action":"accept","content":{"name":"Who?"}}');
  });
});

describe("shorter and the same", () => {
  test("a tree comes out smaller, and both ways back give every byte", async () => {
    await using proxied = await start();
    const result = await proxied.client.callTool("tree");
    const text = shown(result);
    const direct = JSON.stringify(JSON.parse(await original(proxied, result)), undefined, 2);
    expect(text.length).toBeLessThan(direct.length / 3);
    expect(await original(proxied, result)).toBe(direct);
    expect(await unfolded([{ text, meta: result._meta }])).toEqual([direct]);
  });

  test("parts of an original: lines, bytes, a pattern; what is fetched is never shortened", async () => {
    await using proxied = await start();
    const handle = String((await proxied.client.callTool("tree"))._meta?.[ORIGINAL_KEY]);
    expect((await proxied.call("read_original", { handle, lines: "1-2" })).text).toBe("[\n  {");
    expect((await proxied.call("read_original", { handle, bytes: "0-3" })).text).toBe("[\n ");
    expect((await proxied.call("read_original", { handle, pattern: "module-77\\." })).text).toContain("module-77.ts");
    const resource = await proxied.client.readResource(`bosun://original/${handle}`);
    expect(JSON.stringify(resource)).toContain("module-143.ts");
  });

  test.each([
    ["a handle nobody gave out", { handle: "000000000000000000000000" }, /no original/],
    ["a range that is none", { handle: "1", lines: "many" }, /range like 10-20/],
    ["no handle", {}, /handle is required/],
  ])("%s is refused with a reason", async (_, args, said) => {
    await using proxied = await start();
    expect(await proxied.call("read_original", args)).toEqual({ failed: true, text: expect.stringMatching(said) });
  });

  test("another client cannot redeem a handle", async () => {
    await using one = await start();
    await using other = await start();
    const handle = String((await one.client.callTool("tree"))._meta?.[ORIGINAL_KEY]);
    expect(await other.call("read_original", { handle })).toMatchObject({ failed: true });
  });

  test("text that looks like our own marks arrives as the text it is", async () => {
    await using proxied = await start();
    const forged = '[bosun:tree *.ts]\nsrc/ a b c\n[bosun:repeat of="1" lines=1-4]\n'.repeat(3);
    const result = await proxied.client.callTool("ok", { text: forged });
    expect(await unfolded([{ text: shown(result), meta: result._meta }])).toEqual([forged]);
  });

  test("a patch taken through the proxy and back applies with git", async () => {
    const at = (name: string): string => path.join(folder, name);
    writeFileSync(at("file.txt"), Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n") + "\n");
    const run = (...words: string[]): string => {
      const { stdout, exitCode, stderr } = Bun.spawnSync(["git", "-C", folder, ...words], {
        env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      });
      expect({ words, exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 0 });
      return stdout.toString();
    };
    run("init", "-q");
    run("add", "file.txt");
    run("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "start");
    writeFileSync(
      at("file.txt"),
      readFileSync(at("file.txt"), "utf8").replace("line 7\n", "line seven\n").replace("line 50\n", ""),
    );
    const patch = run("diff");
    run("checkout", "-q", "file.txt");
    await using proxied = await start();
    const result = await proxied.client.callTool("diff", { text: patch });
    const [back = ""] = await unfolded([{ text: shown(result), meta: result._meta }]);
    writeFileSync(at("back.patch"), back);
    run("apply", "--check", "back.patch");
    expect(back).toBe(patch);
  });

  test("the official filesystem server says less and means the same", async () => {
    const root = path.resolve(import.meta.dir, "../src");
    await using proxied = await start({ server: ["node", filesystem, root] });
    const result = await proxied.client.callTool("directory_tree", { path: root });
    expect(result.structuredContent).toBeUndefined();
    const whole = JSON.parse(await original(proxied, result)) as { name: string }[];
    expect(whole.map(({ name }) => name)).toContain("proxy");
    expect(shown(result).length).toBeLessThan(JSON.stringify(whole, undefined, 2).length / 3);
  });
});

test.each<[string, string[], RegExp]>([
  ["no server", [], /which server/],
  ["an option of nobody's", ["--colour", "--", "x"], /unknown option --colour/],
  ["a level that does not exist", ["--compress-tools", "max", "--", "x"], /off, light or full/],
  ["an address that is no web address", ["--url", "file:///etc/passwd"], /http or https/],
  ["a budget that is no number", ["--budget", "lots", "--", "x"], /--budget must be a number/],
])("%s stops the start with a reason", async (_, args, said) => {
  const child = Bun.spawn([...bun, entry, "--mode", "proxy", ...args], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    env: process.env,
  });
  expect(await new Response(child.stderr).text()).toMatch(said);
  expect(await child.exited).toBe(2);
});

type Proxied = AsyncDisposable & {
  client: Client;
  call(name: string, args?: object): Promise<{ failed: boolean; text: string }>;
  ran(what: string): number;
};

async function start(
  given: { options?: string[]; mode?: string; server?: string[]; client?: Partial<ClientOptions> } = {},
): Promise<Proxied> {
  const [command = "", ...flags] = bun;
  const log = record();
  const server = given.server ?? [...bun, faulty, log, given.mode ?? "legacy"];
  const client = await connectChild(
    { command, args: [...flags, entry, "--mode", "proxy", ...(given.options ?? []), "--", ...server], env },
    { name: "test", version: "1", era: "legacy", ...given.client },
  );
  return {
    client,
    async call(name, args = {}) {
      const result = await client.callTool(name, { ...args });
      return { failed: result.isError === true, text: shown(result) };
    },
    ran: (what) =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line === what).length,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function record(): string {
  const file = path.join(folder, `record-${next++}`);
  writeFileSync(file, "");
  return file;
}

function shown({ content }: { content: { type: string; text?: unknown }[] }): string {
  const [block] = content;
  return typeof block?.text === "string" ? block.text : "";
}

async function original(proxied: Proxied, { _meta }: { _meta?: { [key: string]: unknown } }): Promise<string> {
  return (await proxied.call("read_original", { handle: String(_meta?.[ORIGINAL_KEY]) })).text;
}

async function unfolded(emitted: object[]): Promise<string[]> {
  const out: string[] = [];
  async function* lines(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(emitted.map((one) => `${JSON.stringify(one)}\n`).join(""));
  }
  await unfoldLines(lines(), async (line) => void out.push((JSON.parse(line) as { text: string }).text));
  return out;
}
