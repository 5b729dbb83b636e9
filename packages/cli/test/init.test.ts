// bosun init as a process, on real files: what is shown, what is written, and what is left alone.
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { CLIENTS } from "../src/init/client-files.ts";
import { isOurs, putProxyInFront, takeProxyAway } from "../src/init/server-entries.ts";
import { FROM_SOURCES, Place } from "./harness/bosun.ts";

const FILES: Readonly<Record<string, [string, string]>> = {
  "claude-code": ["home/.claude.json", "mcpServers"],
  "claude-desktop": ["home/.config/Claude/claude_desktop_config.json", "mcpServers"],
  cursor: ["home/.cursor/mcp.json", "mcpServers"],
  vscode: ["work folder/.vscode/mcp.json", "servers"],
  "mcp-json": ["work folder/.mcp.json", "mcpServers"],
};

test.concurrent.each(Object.keys(CLIENTS))(
  "%s: the entry is written where that client looks, and taken out again",
  async (client) => {
    using place = new Place();
    const [relative = "", key = ""] = FILES[client] ?? [];
    const file = path.join(place.folder, relative);
    const dry = await place.run(["init", client, "--dry-run"]);
    expect({ code: dry.code, written: existsSync(file) }).toEqual({ code: 0, written: false });
    expect(dry.out).toContain('+    "bosun": {');
    const { code, out } = await place.run(["init", client, "--yes"]);
    expect(code).toBe(0);
    expect(out).toContain(`Written: ${file}`);
    const written = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, { args: string[] }>>;
    expect(written[key]?.["bosun"]?.args).toContain("serve");
    const again = await place.run(["init", client, "--yes"]);
    expect(again.out).toContain("is there already");
    await place.run(["init", client, "--remove", "--yes"]);
    expect(JSON.parse(readFileSync(file, "utf8")) as object).toEqual({ [key]: {} });
  },
);

test("what it writes starts a server", async () => {
  using place = new Place();
  await place.run(["init", "mcp-json", "--yes"]);
  const { mcpServers } = JSON.parse(readFileSync(path.join(place.work, ".mcp.json"), "utf8")) as {
    mcpServers: { bosun: { command: string; args: string[] } };
  };
  const { command, args } = mcpServers.bosun;
  const { out } = await place.run(args, `{"jsonrpc":"2.0","id":7,"method":"ping"}\n`, [command]);
  expect(JSON.parse(out) as object).toMatchObject({ id: 7, result: {} });
});

test("a project's file names bosun where that is on everybody's PATH, not where only npx finds it", async () => {
  using place = new Place();
  const programs = [path.join(place.folder, "node_modules/.bin"), path.join(place.folder, "bin")];
  const written = async (): Promise<string> => {
    await place.run(["init", "mcp-json", "--yes"]);
    const { mcpServers } = JSON.parse(readFileSync(path.join(place.work, ".mcp.json"), "utf8")) as {
      mcpServers: { bosun: { command: string } };
    };
    return mcpServers.bosun.command;
  };
  const commands: string[] = [];
  for (const folder of programs) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "bosun"), "", { mode: 0o755 });
    place.env = { ...place.env, PATH: `${folder}:${process.env["PATH"]}` };
    commands.push(await written());
  }
  expect(commands).toEqual(["node", "bosun"]);
});

const VSCODE = `{
\t// my servers
\t"inputs": [ { "type": "promptString", "id": "key" } ],
\t"servers": {
\t\t"files": { "command": "npx", "args": ["-y", "some-server", "."] }, // keep me
\t\t"web": {
\t\t\t"type": "http",
\t\t\t"url": "https://example.org/mcp"
\t\t},
\t\t"bare": { "command": "bare-server" },
\t\t"keyed": { "command": "keyed", "env": { "TOKEN": "sk-ant-REDACTED" } },
\t\t"headed": { "url": "https://example.org/mcp", "headers": { "Authorization": "x" } },
\t\t"old": { "type": "sse", "url": "https://example.org/sse" },
\t},
}
`;

test("the proxy goes in front of the servers that are there, and away again, and every other byte stays", async () => {
  using place = new Place();
  const file = path.join(place.work, "mcp.json");
  writeFileSync(file, VSCODE);
  const words = ["init", "vscode", "--file", "mcp.json", "--proxy"];
  const { code, out } = await place.run([...words, "--yes", "--command", "bosun"]);
  expect(code).toBe(0);
  for (const name of ["headed sends headers", "old speaks the old"]) expect(out).toContain(name);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(
    `"files": { "command": "bosun", "args": ["proxy", "--", "npx", "-y", "some-server", "."] }, // keep me`,
  );
  expect(text).toContain(`"args": ["proxy", "--url", "https://example.org/mcp"]`);
  expect(text).toContain(`"bare": { "command": "bosun", "args": ["proxy","--","bare-server"] }`);
  expect((await place.run([...words, "--remove", "--yes"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toBe(VSCODE);
  expect(readdirSync(place.work).filter((name) => name.endsWith(".backup")).length).toBe(2);
});

test("--server chooses, and a name that is not there is said", async () => {
  using place = new Place();
  writeFileSync(path.join(place.work, "mcp.json"), VSCODE);
  const words = [
    "init",
    "vscode",
    "--file",
    "mcp.json",
    "--proxy",
    "--server",
    "bare",
    "--server",
    "ghost",
    "--dry-run",
  ];
  const { out } = await place.run(words);
  expect(out).toContain("ghost is not there");
  expect(out).toContain('+\t\t"bare"');
  expect(out).not.toContain('+\t\t"files"');
});

test("without a client it says which are here and what they have", async () => {
  using place = new Place();
  writeFileSync(
    path.join(place.work, ".mcp.json"),
    '{"mcpServers": {"a": {"command": "bosun", "args": ["proxy", "--", "x"]}, "b": {}}}',
  );
  writeFileSync(path.join(place.home, ".claude.json"), "{oops");
  await place.run(["init", "cursor", "--yes"]);
  const { code, out } = await place.run(["init"]);
  expect(code).toBe(0);
  expect(out).toMatch(/mcp-json .*\.mcp\.json {2}\(2 servers, 1 behind the proxy\)/);
  expect(out).toMatch(/claude-code .*\.claude\.json {2}\(1:2: expected a key, found "o"\)/);
  expect(out).toMatch(/cursor .*mcp\.json {2}\(1 server, bosun serve among them\)/);
  expect(out).toMatch(/claude-desktop .*\(absent\)/);
});

test("keys of other servers are not shown", async () => {
  using place = new Place();
  const secret = `ghp_${"a1B2".repeat(9)}`;
  const file = path.join(place.work, ".mcp.json");
  writeFileSync(
    file,
    `{\n  "mcpServers": {\n    "x": { "command": "x", "env": { "GITHUB_TOKEN": "${secret}" } }\n  }\n}\n`,
  );
  const { out } = await place.run(["init", "mcp-json", "--yes"]);
  expect(out).not.toContain(secret);
  expect(readFileSync(file, "utf8")).toContain(secret);
});

describe("a file", () => {
  test("keeps its mode, and the backup has the old bytes and the same mode", async () => {
    using place = new Place();
    const file = path.join(place.home, ".claude.json");
    writeFileSync(file, '{"history": [1, 2]}');
    chmodSync(file, 0o640);
    const { out } = await place.run(["init", "claude-code", "--yes"]);
    const backup = /Backup: {2}(.*)/.exec(out)?.[1] ?? "";
    expect([statSync(file).mode & 0o777, statSync(backup).mode & 0o777]).toEqual([0o640, 0o640]);
    expect(readFileSync(backup, "utf8")).toBe('{"history": [1, 2]}');
    expect(JSON.parse(readFileSync(file, "utf8")) as object).toMatchObject({ history: [1, 2] });
  });

  test("of the user behind a link is changed where it is, and the link stays", async () => {
    using place = new Place();
    const target = path.join(place.folder, "dotfiles.json");
    writeFileSync(target, "{}");
    symlinkSync(target, path.join(place.home, ".claude.json"));
    expect((await place.run(["init", "claude-code", "--yes"])).code).toBe(0);
    expect(lstatSync(path.join(place.home, ".claude.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toContain("bosun");
  });

  test.each<[string, (place: Place) => void, string]>([
    [
      "of a project behind a link that leads out is refused",
      (place) => {
        writeFileSync(path.join(place.home, "victim.json"), "{}");
        symlinkSync(path.join(place.home, "victim.json"), path.join(place.work, ".mcp.json"));
      },
      "leads out of this folder",
    ],
    [
      "behind a link to nowhere is refused",
      (place) => symlinkSync("/nonexistent/x", path.join(place.work, ".mcp.json")),
      "leads nowhere",
    ],
    [
      "that is no JSON is refused with its place",
      (place) => writeFileSync(path.join(place.work, ".mcp.json"), '{\n  "a": oops\n}'),
      ".mcp.json:2:8: ",
    ],
    [
      "with servers that are no object is refused",
      (place) => writeFileSync(path.join(place.work, ".mcp.json"), '{"mcpServers": []}'),
      "mcpServers is not an object",
    ],
    [
      "that is not UTF-8 is refused",
      (place) => writeFileSync(path.join(place.work, ".mcp.json"), Buffer.from([0x7b, 0xff, 0x7d])),
      "not UTF-8",
    ],
    ["that is a folder is refused", (place) => mkdirSync(path.join(place.work, ".mcp.json")), "is not a file"],
  ])("%s", async (_, prepare, said) => {
    using place = new Place();
    prepare(place);
    const before = readdirSync(place.folder, { recursive: true });
    const { code, err } = await place.run(["init", "mcp-json", "--yes"]);
    expect(err).toContain(said);
    expect(code).toBe(1);
    expect(readdirSync(place.folder, { recursive: true })).toEqual(before);
  });

  test("is not written when nobody can be asked", async () => {
    using place = new Place();
    const { code, err } = await place.run(["init", "mcp-json"]);
    expect({ code, written: existsSync(path.join(place.work, ".mcp.json")) }).toEqual({ code: 1, written: false });
    expect(err).toContain("--yes");
  });
});

test.each([
  ["y", true],
  ["n", false],
  ["", false],
])("a person at a terminal is asked, and %j decides", async (answer, written) => {
  using place = new Place();
  let shown = "";
  const child = Bun.spawn([...FROM_SOURCES, "init", "mcp-json"], {
    cwd: place.work,
    env: { ...place.env, TERM: "dumb" },
    terminal: {
      data(terminal, bytes) {
        const asked = shown.includes("Make this change?");
        shown += new TextDecoder().decode(bytes);
        if (!asked && shown.includes("Make this change?")) terminal.write(`${answer}\n`);
      },
    },
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), 40_000);
  expect(await child.exited).toBe(written ? 0 : 1);
  clearTimeout(timer);
  child.terminal?.close();
  expect(existsSync(path.join(place.work, ".mcp.json"))).toBe(written);
});

test("another server that is called bosun is left alone", async () => {
  using place = new Place();
  const text = '{"mcpServers": {"bosun": {"command": "somebody-elses"}}}';
  writeFileSync(path.join(place.work, ".mcp.json"), text);
  const { out } = await place.run(["init", "mcp-json", "--yes"]);
  expect(out).toContain("another server of that name");
  expect(readFileSync(path.join(place.work, ".mcp.json"), "utf8")).toBe(text);
});

test.each<[string, string, boolean]>([
  ["bosun", '["proxy","--","x"]', true],
  ["/opt/bosun", '["proxy","--","x"]', true],
  ["C:\\\\bosun.exe", '["proxy","--","x"]', true],
  ["npx", '["-y","@bosun/cli","proxy","--","x"]', true],
  ["node", '["/a/scripts/bun.mjs","/a/packages/cli/src/main.ts","proxy","--","x"]', true],
  ["mcp-proxy", '["proxy","--","x"]', false],
  ["bosuns", '["proxy","--","x"]', false],
  ["bosun", '["serve"]', false],
])("%s %s is ours: %p", (command, args, expected) => {
  const entry: unknown = JSON.parse(`{"command":"${command}","args":${args}}`);
  expect(isOurs(entry, "proxy")).toBe(expected);
});

test("proxied twice is proxied once, and options of the proxy go with it", () => {
  const text = '{"s":{"a":{"command":"x","args":["1"]}}}';
  const once = putProxyInFront(text, "s", [], ["bosun"]);
  expect(putProxyInFront(once.text, "s", [], ["bosun"])).toMatchObject({ text: once.text, changed: [] });
  const tuned = once.text.replace('"--"', '"--tool-list", "lazy", "--"');
  expect(JSON.parse(takeProxyAway(tuned, "s", []).text) as object).toEqual(JSON.parse(text) as object);
});
