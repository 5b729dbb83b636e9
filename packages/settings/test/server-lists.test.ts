import { describe, expect, test } from "bun:test";
import { readServerList } from "../src/server-lists.ts";

const env = { TOKEN: "t0k", HOME: "/home/bob", EVIL: '"; rm -rf / #${TOKEN}' };

function read(servers: unknown, taken: string[] = []): ReturnType<typeof readServerList> {
  return readServerList(".mcp.json", JSON.stringify({ mcpServers: servers }), env, taken);
}

describe("what other programs write is taken as", () => {
  test.each<[string, unknown, object]>([
    [
      "a command",
      { command: "npx", args: ["-y", "srv"], env: { A: "1" } },
      { command: "npx", args: ["-y", "srv"], env: { A: "1" }, url: undefined },
    ],
    [
      "a command in one list",
      { command: ["node", "a.js", "-x"], environment: { A: "1" } },
      { command: "node", args: ["a.js", "-x"], env: { A: "1" } },
    ],
    ["an address", { url: "https://h/mcp" }, { url: "https://h/mcp", transport: "auto", command: undefined }],
    ["an address with a type", { type: "streamable-http", url: "https://h/mcp" }, { transport: "auto" }],
    ["the old transport", { type: "sse", url: "https://h/sse" }, { transport: "sse" }],
    ["httpUrl", { httpUrl: "https://h/mcp" }, { url: "https://h/mcp" }],
    ["serverUrl", { serverUrl: "https://h/mcp" }, { url: "https://h/mcp" }],
    ["headers", { url: "https://h/mcp", headers: { "X-Key": "${TOKEN}" } }, { headers: { "X-Key": "t0k" } }],
    ["headers in a list", { url: "https://h/mcp", headers: ["X-Key: a:b"] }, { headers: { "X-Key": "a:b" } }],
    ["disabled", { command: "x", disabled: true }, { enabled: false }],
    ["not enabled", { command: "x", enabled: false }, { enabled: false }],
    [
      "a variable with a default",
      { command: "x", args: ["${NONE:-a b}", "${HOME}/x"] },
      { args: ["a b", "/home/bob/x"] },
    ],
    ["a variable that is text, not syntax", { command: "x", args: ["${EVIL}"] }, { args: ['"; rm -rf / #${TOKEN}'] }],
    ["never trusted", { command: "x", trust: true }, { trust: false }],
  ])("%s", (_, entry, made) => {
    expect(read({ s: entry }).servers["s"]).toMatchObject(made);
  });

  test("VS Code's list", () => {
    expect(readServerList("mcp.json", '{"servers":{"a":{"command":"x"}}}', {}).servers["a"]).toMatchObject({
      command: "x",
    });
  });
});

describe("what is left out or changed is said", () => {
  test.each<[string, unknown, string]>([
    [
      "approvals",
      { command: "x", autoApprove: ["*"], alwaysAllow: ["y"] },
      "s: autoApprove, alwaysAllow ignored: approvals are not imported",
    ],
    ["a variable that is not set", { command: "x", args: ["${NOPE}"] }, "s: left out: the variable NOPE is not set"],
    [
      "another kind of address",
      { url: "file:///etc/passwd" },
      "s: left out: its url is not a plain http:// or https:// address",
    ],
    [
      "an address with a password",
      { url: "https://u:p@h/" },
      "s: left out: its url is not a plain http:// or https:// address",
    ],
    ["neither", {}, "s: left out: needs a url or a command"],
    [
      "both",
      { url: "https://h/", command: "x" },
      "s: left out: has a url and a command, and only one of them can be meant",
    ],
    ["an empty command", { command: "" }, "s: left out: its command is empty"],
    ["no object", "x", "s: left out: is not an object"],
  ])("%s", (_, entry, note) => {
    expect(read({ s: entry }).notes).toEqual([note]);
  });

  test("names become aliases, clashes get a number", () => {
    const list = read(
      {
        "My Files": { command: "a" },
        my_files: { command: "b" },
        "my-files": { command: "c" },
        aish: { command: "d" },
        日本: { command: "e" },
      },
      ["my_files"],
    );
    expect(Object.entries(list.servers).map(([alias, { command }]) => `${alias} ${command}`)).toEqual([
      "my-files a",
      "my_files-2 b",
      "my-files-2 c",
      "aish-2 d",
    ]);
    expect(list.notes).toContain("日本: no alias can be made of this name");
  });

  test("no list at all is an error with its place", () => {
    expect(() => readServerList("x.json", "{}", {})).toThrow('x.json:1:1: there is no "mcpServers" object');
    expect(() => readServerList("x.json", '{"mcpServers": {', {})).toThrow("x.json:1:");
    expect(() => read({ s: { command: "x", args: [{}] } })).toThrow("s.args must be text");
  });
});
