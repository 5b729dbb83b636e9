// The proxy as clients meet it: a process between them and a server that may misbehave.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { connectChild } from "@bosun/mcp/client";
import type { ClientOptions } from "@bosun/mcp/client";
import { ORIGINAL_KEY } from "@bosun/shrink";
import {
  bun,
  cleanUp,
  proxyCommand,
  faulty,
  folder,
  json,
  listed,
  original,
  reasonOf,
  record,
  run,
  shown,
  start,
  stateIn,
  tool,
  unfolded,
  until,
} from "./proxy-process.ts";

const filesystem = path.resolve(
  import.meta.dir,
  "../../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
);
afterAll(cleanUp);

describe("a server that is not there", () => {
  test.concurrent("dead between two calls: the second is sent to a new one, once", async () => {
    let err = "";
    await using proxied = await start({ onStderr: (text) => void (err += text) });
    await proxied.call("die_slowly");
    await until(() => err.includes("ended (exit 4)"));
    expect((await proxied.call("ok")).text).toBe("fine");
    expect(proxied.ran("ok")).toBe(1);
  });

  test.concurrent("a command that does not exist is an answer with a reason", async () => {
    const client = connectChild(
      {
        command: bun[0] ?? "",
        args: [...bun.slice(1), ...proxyCommand.slice(bun.length), "--", "/no/such/program"],
        env: stateIn(),
      },
      { name: "t", version: "1", era: "legacy" },
    );
    expect(await reasonOf(client)).toMatch(/\/no\/such\/program|program is gone|cannot be started/);
  });
});

describe("what passes through", () => {
  test.concurrent("integers above 2^53 and members nobody knows arrive as they were sent", async () => {
    const [command = "", ...flags] = bun;
    const child = Bun.spawn([command, ...flags, ...proxyCommand.slice(bun.length), "--", command, faulty, record()], {
      stdin: "pipe",
      stdout: "pipe",
      env: { ...process.env, ...stateIn() },
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

  test.concurrent("variables that a client's configuration sets reach the server they are meant for", async () => {
    const never = { BUN_OPTIONS: "--smol", NODE_OPTIONS: "--no-warnings", BOSUN_TOKEN: "ours", LD_AUDIT: "/no.so" };
    await using proxied = await start({ env: { SERVICE_KEY: "for the server", ...never } });
    expect((await proxied.call("variable", { text: "SERVICE_KEY" })).text).toBe("for the server");
    for (const text of Object.keys(never)) expect((await proxied.call("variable", { text })).text).toBe("unset");
  });

  test.concurrent.each<[string[], boolean]>([
    [[], false],
    [["--originals", "list"], true],
    [["--fold", "dense"], true],
    [["--budget", "500"], true],
    [["--fold", "dense", "--originals", "repeat"], false],
  ])("the tool list keeps every name; with %p read_original is listed: %p", async (options, isListed) => {
    await using proxied = await start({ options });
    const names = await proxied.names();
    expect(names.slice(0, 3)).toEqual(["ok", "big_number", "die"]);
    expect(names.includes("read_original")).toBe(isListed);
  });

  test.concurrent("what is fetched back through two proxies is the original, not shortened again", async () => {
    await using proxied = await start({
      server: [...proxyCommand, "--originals", "list", "--", ...bun, faulty, record()],
    });
    await proxied.names();
    const { _meta } = await proxied.client.callTool("tree");
    const { text } = await proxied.call("read_original", { handle: String(_meta?.["bosun.inner/original"]) });
    expect(JSON.parse(text)).toHaveLength(12);
  });

  test.concurrent("with --tool-list lazy the full definitions are had on demand", async () => {
    await using proxied = await start({ options: ["--tool-list", "lazy"] });
    await proxied.client.listTools();
    expect((await proxied.call("describe_tool", { name: "flood" })).text).toContain("Does flood.");
    expect(await proxied.call("describe_tool", { name: "nope" })).toMatchObject({ failed: true });
  });

  test.concurrent("also where a server has a describe_tool of its own: then ours has another name", async () => {
    const long = "Does a thing that takes many words to say. ".repeat(80);
    const file = json({
      name: "s",
      tools: [tool("thing", long), tool("describe_tool", "Describes tools of a workshop.")],
    });
    await using proxied = await start({ options: ["--tool-list", "lazy"], server: [...bun, listed, file] });
    expect(await proxied.names()).toEqual(["thing", "describe_tool", "bosun_describe_tool"]);
    expect((await proxied.call("bosun_describe_tool", { name: "thing" })).text).toContain(long.trim());
    expect((await proxied.call("describe_tool", { name: "thing" })).text).toContain('"server":"s"');
  });
});

describe.each(["legacy", "modern"] as const)("a %s client in front of a legacy server", (era) => {
  test.concurrent.each(["legacy", "silent", "exits"])(
    "that is %s to what it does not know",
    async (mode) => {
      await using proxied = await start({ mode, client: { era } });
      expect((await proxied.call("ok", { text: era })).text).toBe(era);
      const cancelled = proxied.client.callTool("stall", {}, { signal: AbortSignal.timeout(100) });
      expect(await reasonOf(cancelled)).toMatch(/abort|cancel|time/i);
      expect((await proxied.call("ok")).text).toBe("fine");
    },
    30_000,
  );

  test.concurrent("answers what the server asks in the middle of a call", async () => {
    const elicit: ClientOptions["elicit"] = async ({ message }) => ({
      action: "accept",
      content: { name: String(message) },
    });
    await using proxied = await start({ client: { era, elicit } });
    expect((await proxied.call("asks")).text).toBe('answered {"action":"accept","content":{"name":"Who?"}}');
  });
});

test.concurrent("a modern client of a legacy server knows no method of the older era", async () => {
  await using proxied = await start({ client: { era: "modern" } });
  await proxied.call("ok");
  for (const method of ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list"])
    expect(await reasonOf(proxied.client.session.request(method, {}))).toContain("Method not found");
  expect((await proxied.call("ok")).text).toBe("fine");
});

describe("shorter and the same", () => {
  test.concurrent("a tree comes out smaller, and both ways back give every byte", async () => {
    await using proxied = await start();
    const result = await proxied.client.callTool("tree");
    const text = shown(result);
    const direct = JSON.stringify(JSON.parse(await original(proxied, result)), undefined, 2);
    expect(text.length).toBeLessThan(direct.length / 3);
    expect(await original(proxied, result)).toBe(direct);
    expect(await unfolded([{ text, meta: result._meta }])).toEqual([direct]);
  });

  test.concurrent("parts of an original: lines, bytes, a pattern; what is fetched is never shortened", async () => {
    await using proxied = await start();
    const handle = String((await proxied.client.callTool("tree"))._meta?.[ORIGINAL_KEY]);
    expect((await proxied.call("read_original", { handle, lines: "1-2" })).text).toBe("[\n  {");
    expect((await proxied.call("read_original", { handle, bytes: "0-3" })).text).toBe("[\n ");
    expect((await proxied.call("read_original", { handle, pattern: "module-77\\." })).text).toContain("module-77.ts");
    const resource = await proxied.client.readResource(`bosun://original/${handle}`);
    expect(JSON.stringify(resource)).toContain("module-143.ts");
  });

  test.concurrent.each([
    ["a handle nobody gave out", { handle: "000000000000000000000000" }, /no original/],
    ["a range that is none", { handle: "1", lines: "many" }, /range like 10-20/],
    ["no handle", {}, /id is required/],
  ])("%s is refused with a reason", async (_, args, said) => {
    await using proxied = await start();
    expect(await proxied.call("read_original", args)).toEqual({ failed: true, text: expect.stringMatching(said) });
  });

  test.concurrent("behind another proxy, each gives back what it has taken away itself", async () => {
    const inner = [...proxyCommand, "--pins", "off", "--originals", "list", "--", ...bun, faulty, record()];
    await using proxied = await start({ options: ["--budget", "60"], server: inner });
    expect((await proxied.names()).filter((name) => name === "read_original")).toHaveLength(1);
    const text = Array.from({ length: 300 }, (_, n) => `word${n * 7919}`).join(" ");
    const cut = await proxied.client.callTool("plain", { text });
    expect(shown(cut).length).toBeLessThan(text.length / 2);
    expect(await original(proxied, cut)).toBe(text);
    expect((await proxied.call("read_original", { handle: "1".repeat(24) })).text).toMatch(/no original/);
  });

  test.concurrent("another client cannot redeem a handle", async () => {
    await using one = await start();
    await using other = await start();
    const handle = String((await one.client.callTool("tree"))._meta?.[ORIGINAL_KEY]);
    expect(await other.call("read_original", { handle })).toMatchObject({ failed: true });
  });

  test.concurrent("text that looks like our own marks arrives as the text it is", async () => {
    await using proxied = await start();
    const forged = '[bosun:tree *.ts]\nsrc/ a b c\n[bosun:repeat of="1" lines=1-4]\n'.repeat(3);
    const result = await proxied.client.callTool("ok", { text: forged });
    expect(await unfolded([{ text: shown(result), meta: result._meta }])).toEqual([forged]);
  });

  test.concurrent("a patch taken through the proxy and back applies with git", async () => {
    const at = (name: string): string => path.join(folder, name);
    writeFileSync(at("file.txt"), Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n") + "\n");
    const git = (...words: string[]): string => {
      const { stdout, exitCode, stderr } = Bun.spawnSync(["git", "-C", folder, ...words], {
        env: { PATH: process.env["PATH"] ?? "", HOME: folder },
      });
      expect({ words, exitCode, stderr: stderr.toString() }).toMatchObject({ exitCode: 0 });
      return stdout.toString();
    };
    git("init", "-q");
    git("add", "file.txt");
    git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "start");
    writeFileSync(
      at("file.txt"),
      readFileSync(at("file.txt"), "utf8").replace("line 7\n", "line seven\n").replace("line 50\n", ""),
    );
    const patch = git("diff");
    git("checkout", "-q", "file.txt");
    await using proxied = await start();
    const result = await proxied.client.callTool("diff", { text: patch });
    const [back = ""] = await unfolded([{ text: shown(result), meta: result._meta }]);
    writeFileSync(at("back.patch"), back);
    git("apply", "--check", "back.patch");
    expect(back).toBe(patch);
  });

  test.concurrent("the official filesystem server says less and means the same", async () => {
    const root = path.resolve(import.meta.dir, "../../bcp/src");
    await using proxied = await start({ server: ["node", filesystem, root] });
    const result = await proxied.client.callTool("directory_tree", { path: root });
    expect(result.structuredContent).toBeUndefined();
    const whole = JSON.parse(await original(proxied, result)) as { name: string }[];
    expect(whole.map(({ name }) => name)).toContain("render");
    expect(shown(result).length).toBeLessThan(JSON.stringify(whole, undefined, 2).length / 3);
  });
});

test.concurrent.each<[string, string[], RegExp]>([
  ["no server", [], /which server/],
  ["an option of nobody's", ["--colour", "--", "x"], /unknown option --colour/],
  ["a level that does not exist", ["--fold", "max", "--", "x"], /--fold must be plain, dense or off, got "max"/],
  ["a level for a server that is not there", ["--fold", "y=off", "--", "x"], /no such server; there are: x/],
  ["a tool list nobody knows", ["--tool-list", "some", "--", "x"], /--tool-list must be all or lazy/],
  ["pins neither on nor off", ["--pins", "maybe", "--", "x"], /--pins must be on or off/],
  ["a rendering nobody knows", ["--render-mode", "pdf", "--", "x"], /xml, markdown or minimal/],
  ["two kinds of servers", ["--url", "http://127.0.0.1:1/", "--", "x"], /not several/],
  ["a list of servers that is not there", ["--servers", "/no/such.json"], /no such file/],
  ["a list without servers", ["--servers", path.resolve(import.meta.dir, "../package.json")], /mcpServers/],
  ["an address that is no web address", ["--url", "file:///etc/passwd"], /http or https/],
  ["a budget that is no number", ["--budget", "lots", "--", "x"], /--budget must be a whole number/],
])("%s stops the start with a reason", async (_, args, said) => {
  const { code, err } = await run(args);
  expect(err).toMatch(said);
  expect(code).toBe(2);
});
