// Rules and questions through the real server, answered by the official client: allowed, refused, not answered, cannot be
// asked; both carriers; remembered as shown; recorded (issue: one guard).
import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { verifyAuditFolder } from "@bosun/policy";
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { HttpServer } from "./harness/http.ts";
import { BUN, cleanEnvironment, MAIN, scratch, TestServer } from "./harness/server.ts";

announceRows();

const RULES = `
[[rules]]
name = "ask before push"
decide = "ask"
command = ["git push"]

[[rules]]
name = "no curl"
decide = "deny"
command = ["curl"]
reason = "nothing is downloaded here"

[[rules]]
name = "ask before writing"
decide = "ask"
tool = ["bosun.create_*"]

[[rules]]
name = "drafts only"
decide = "deny"
path = ["final/**"]
access = "write"
`;

function prepared(rules = RULES): { base: string; root: string } {
  const made = scratch({ "final/a.txt": "final\n" });
  mkdirSync(`${made.base}/config/bosun`, { recursive: true });
  writeFileSync(`${made.base}/config/bosun/config.toml`, rules, { mode: 0o600 });
  return made;
}

type Reply = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };
type Asked = { message: string; choices: string[] };

/** The official client, over stdio, in the era asked for. */
async function connect(
  mode: "legacy" | "auto",
  reply: (asked: Asked, withdrawn: AbortSignal) => Promise<Reply> | Reply,
  made = prepared(),
  args: string[] = [],
) {
  const asked: Asked[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    const schema = (params as { requestedSchema?: { properties?: { decision?: { enum?: string[] } } } })
      .requestedSchema;
    const question = { message: String(params.message), choices: schema?.properties?.decision?.enum ?? [] };
    asked.push(question);
    return reply(question, mcpReq.signal);
  });
  const [command = "", ...flags] = BUN;
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...flags, MAIN, "--transport", "stdio", "--sandbox", "off", ...args],
      cwd: made.root,
      env: cleanEnvironment(made.base),
      stderr: "ignore",
    }),
  );
  const call = async (
    name: string,
    argumentsOf: Record<string, unknown>,
  ): Promise<{ text: string; isError: boolean }> => {
    const result = (await client.callTool({ name, arguments: argumentsOf })) as {
      content: { text?: string }[];
      isError?: boolean;
    };
    return { text: result.content[0]?.text ?? "", isError: result.isError ?? false };
  };
  return { client, asked, call, ...made, [Symbol.asyncDispose]: () => client.close() };
}

function auditOf(base: string): string {
  const folder = `${base}/state/bosun/audit`;
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
    .join("");
}

together(() => {
  rows(
    "server",
    [
      ["legacy: allowed once", "legacy", "2025-11-25", { action: "accept", content: { decision: "allow once" } }, true],
      [
        "legacy: refused by choice",
        "legacy",
        "2025-11-25",
        { action: "accept", content: { decision: "refuse" } },
        false,
      ],
      ["legacy: declined", "legacy", "2025-11-25", { action: "decline" }, false],
      ["legacy: dismissed", "legacy", "2025-11-25", { action: "cancel" }, false],
      [
        "legacy: an answer that was not offered is a no",
        "legacy",
        "2025-11-25",
        { action: "accept", content: { decision: "always allow this tool" } },
        false,
      ],
      [
        "2026-07-28: allowed once",
        "auto",
        "2026-07-28",
        { action: "accept", content: { decision: "allow once" } },
        true,
      ],
      [
        "2026-07-28: refused by choice",
        "auto",
        "2026-07-28",
        { action: "accept", content: { decision: "refuse" } },
        false,
      ],
      ["2026-07-28: declined", "auto", "2026-07-28", { action: "decline" }, false],
    ] satisfies [string, "legacy" | "auto", string, Reply, boolean][],
    async (_, mode, version, reply, runs) => {
      await using person = await connect(mode, () => reply);
      expect(person.client.getNegotiatedProtocolVersion()).toBe(version);
      const { text, isError } = await person.call("bash", { command: "touch ran; git push origin main" });
      expect(existsSync(`${person.root}/ran`)).toBe(runs);
      expect(isError).toBe(!runs);
      if (!runs) expect(text).toMatch(/^\[ACCESS_DENIED\] Not run.*ask before push \(.*config\.toml:\d+\)/);
      expect(person.asked.length).toBeGreaterThan(0);
      expect(person.asked[0]?.message).toContain("touch ran; git push origin main");
      expect(person.asked[0]?.message).toContain(person.root);
      expect(person.asked[0]?.message).toMatch(/digest: [0-9a-f]{64}/);
      expect(person.asked[0]?.choices).toEqual(["allow once", "refuse"]);
      await person.client.close();
      const audit = auditOf(person.base);
      expect(audit).toMatch(/"verdict":"ask","rule":"ask before push/);
      expect(audit).toContain(runs ? '"answer":"allowed: once"' : '"answer":"denied: ');
      expect(verifyAuditFolder(`${person.base}/state/bosun/audit`).every(({ report }) => report.ok)).toBe(true);
    },
  );

  row("server", "a question nobody answers is a no after its time, and is withdrawn", async () => {
    const withdrawn = Promise.withResolvers<unknown>();
    const silent = (_: Asked, signal: AbortSignal): Promise<Reply> => {
      signal.addEventListener("abort", () => withdrawn.resolve(signal.reason));
      return new Promise(() => {});
    };
    await using person = await connect("legacy", silent, prepared(), ["--approval-timeout", "1"]);
    const { text, isError } = await person.call("bash", { command: "touch ran; git push" });
    expect(isError).toBe(true);
    expect(text).toContain("Nobody answered within 1 s");
    expect(existsSync(`${person.root}/ran`)).toBe(false);
    expect(String(await withdrawn.promise)).toContain("no answer within 1000 ms");
  });

  row("server", "a client that cannot be asked is told the rule and the way out", async () => {
    const made = prepared();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
    const text = await server.bash("git push");
    expect(text).toMatch(/^\[ACCESS_DENIED\] Not run.*ask before push.*This client cannot ask a person.*config\.toml/);
  });

  row("server", "an answer can hold for the session, with its scope shown, for this client alone", async () => {
    const made = prepared();
    await using person = await connect(
      "legacy",
      () => ({ action: "accept", content: { decision: "allow this tool for this session" } }),
      made,
    );
    for (const path of ["one.txt", "two.txt"])
      expect((await person.call("create_file", { path, content: "x" })).isError).toBe(false);
    expect(person.asked).toHaveLength(1);
    expect(person.asked[0]?.message).toContain("bosun.create_file with any arguments, for this session");
    await using other = await connect("legacy", () => ({ action: "decline" }), made);
    expect((await other.call("create_file", { path: "three.txt", content: "x" })).isError).toBe(true);
    expect(other.asked).toHaveLength(1);
  });

  row("server", "over HTTP with the official client, a question travels with its call", async () => {
    const made = prepared();
    await using server = await HttpServer.start({ root: made.root, args: ["--sandbox", "off", "--generate-token"] });
    const client = new Client(
      { name: "t", version: "1" },
      { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } } },
    );
    const offered: unknown[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      offered.push(
        (params as { requestedSchema?: { properties?: { decision?: { enum?: string[] } } } }).requestedSchema
          ?.properties?.decision?.enum,
      );
      return { action: "accept" as const, content: { decision: "allow once" } };
    });
    await client.connect(
      new StreamableHTTPClientTransport(server.url, {
        requestInit: { headers: { authorization: `Bearer ${server.token}` } },
      }),
    );
    await client.callTool({ name: "bash", arguments: { command: "touch ran; git push" } });
    expect(existsSync(`${made.root}/ran`)).toBe(true);
    // Whoever holds the token shares its name: an answer for "this session" would be everybody's.
    await client.callTool({ name: "create_file", arguments: { path: "new.txt", content: "x" } });
    expect(existsSync(`${made.root}/new.txt`)).toBe(true);
    expect(new Set(offered.map(String))).toEqual(new Set(["allow once,refuse"]));
    await client.close();
  });

  rows(
    "server",
    [
      ["a denied command", "bash", { command: "curl example.com" }, /Refused.*nothing is downloaded here.*no curl/],
      ["a denied command in a pipe", "bash", { command: "echo x | curl -T - example.com" }, /no curl/],
      ["a denied command in a shell in a shell", "bash", { command: "sh -c \"bash -c 'curl x'\"" }, /no curl/],
      ["a denied command through env", "bash", { command: "env -i A=1 /usr/bin/curl x" }, /no curl/],
      [
        "a denied path, by a file tool",
        "str_replace",
        { path: "final/a.txt", old_str: "final", new_str: "changed" },
        /drafts only/,
      ],
      ["a denied path, by a redirect", "bash", { command: "echo x > final/a.txt" }, /drafts only/],
      ["a denied path, by sed -i", "bash", { command: "sed -i s/f/g/ final/a.txt" }, /drafts only/],
      ["a denied path, by tee", "bash", { command: "echo x | tee final/a.txt" }, /drafts only/],
      [
        "what cannot be parsed is not let through",
        "bash",
        { command: "echo 'unclosed" },
        /needs a person's approval|Refused/,
      ],
    ] satisfies [string, string, Record<string, unknown>, RegExp][],
    async (_, tool, args, expected) => {
      await using server = await TestServer.start({ root: prepared().root, args: ["--sandbox", "off"] });
      const result = await server.call(tool, args);
      expect(result.isError).toBe(true);
      expect(result.content[0]?.text).toMatch(expected);
      expect(readFileSync(server.at("final/a.txt"), "utf8")).toBe("final\n");
    },
  );

  row("server", "harmless work is not asked about", async () => {
    await using server = await TestServer.start({ root: prepared().root, args: ["--sandbox", "off"] });
    for (const command of [
      "git status || true",
      "echo 'git push'",
      "cat final/a.txt",
      "ls | grep curl || true",
      "echo curl",
    ]) {
      expect([command, (await server.bash(command)).slice(0, 12)]).toEqual([command, "exit_code: 0"]);
    }
  });

  row("server", "a rule in the settings that cannot be read stops the start, with its place", async () => {
    const { base, root } = prepared('[[rules]]\ndecide = "alow"\n');
    const child = Bun.spawn([...BUN, MAIN, "--transport", "stdio"], {
      cwd: root,
      env: cleanEnvironment(base),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toMatch(/config\.toml:2:\d+.*did you mean "allow"/);
    expect(await child.exited).toBe(2);
  });

  row("server", "[serve] of the settings is the layer below flags and variables", async () => {
    const { root } = prepared('[serve]\ntools = ["workspace"]\ntimeout_s = 7\nread_only = true\n');
    await using server = await TestServer.start({ root, args: ["--sandbox", "off"] });
    expect(await server.toolNames()).toEqual(["list_dir", "read_file"]);
    await using flagged = await TestServer.start({ root, args: ["--sandbox", "off", "--tools", "coding"] });
    expect(await flagged.toolNames()).toEqual(["view", "grep", "glob"]);
  });

  row("server", "when the record cannot be written, nothing runs", async () => {
    const { base, root } = prepared("");
    mkdirSync(`${base}/state/bosun`, { recursive: true, mode: 0o700 });
    writeFileSync(`${base}/state/bosun/audit`, "a file where the folder should be");
    await using server = await TestServer.start({ root, args: ["--sandbox", "off"] });
    const result = await server.call("bash", { command: "touch ran" });
    expect(result.isError).toBe(true);
    expect(existsSync(server.at("ran"))).toBe(false);
  });

  row("server", "every command is recorded, with how it ended; reads too; no secret in it", async () => {
    const { base, root } = prepared("");
    await using server = await TestServer.start({ root, args: ["--sandbox", "off"] });
    await server.bash("echo out; exit 4");
    await server.call("view", { path: "final/a.txt" });
    await server.call("create_file", {
      path: "k.txt",
      content: "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    });
    await server.close();
    const audit = auditOf(base);
    expect(audit).toMatch(/"tool":"bosun\.bash".*"command":"echo out; exit 4".*"exit":4/);
    expect(audit).toMatch(/"tool":"bosun\.view".*"outcome":"ok"/);
    expect(audit).not.toContain("wJalrXUtnFEMI");
    expect(audit).not.toContain('out\\n"');
  });
});
