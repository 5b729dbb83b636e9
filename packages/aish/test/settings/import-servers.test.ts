// Other programs' lists of servers, in all the spellings they come in.
import { expect, test } from "bun:test";
import { importServers } from "../../src/settings/import-servers.ts";
import { aliasFrom } from "../../src/tools/names.ts";

const env = { TOKEN: "t0ken", EMPTY: "" };
const read = (value: unknown) => importServers(JSON.stringify(value), env, (name) => aliasFrom(name, () => false));

test.each<[string, unknown, object]>([
  [
    "command, args and env",
    { command: "npx", args: ["x", "${TOKEN}"], env: { A: "${TOKEN}" } },
    { reach: { kind: "stdio", command: "npx", args: ["x", "t0ken"], env: { A: "t0ken" } }, enabled: true },
  ],
  [
    "command as a list, environment",
    { command: ["npx", "x"], environment: { A: "1" } },
    { reach: { kind: "stdio", command: "npx", args: ["x"], env: { A: "1" } } },
  ],
  ["a url without a type", { url: "https://x.example/mcp" }, { reach: { kind: "http", url: "https://x.example/mcp" } }],
  ["the old transport", { type: "sse", url: "https://x.example/sse" }, { reach: { kind: "http" } }],
  ["httpUrl", { httpUrl: "https://x.example/mcp" }, { reach: { kind: "http" } }],
  [
    "headers as a table",
    { url: "https://x.example/", headers: { Authorization: "Bearer ${TOKEN}" } },
    { reach: { headers: { Authorization: "Bearer t0ken" } } },
  ],
  ["headers as lines", { url: "https://x.example/", headers: ["X-A: 1"] }, { reach: { headers: { "X-A": "1" } } }],
  ["disabled", { command: "x", disabled: true }, { enabled: false }],
  ["a default", { command: "${NOT_SET:-fallback}" }, { reach: { command: "fallback" }, enabled: true }],
  [
    "a variable that is not set",
    { command: "${NOT_SET}" },
    { enabled: false, problem: "the variable NOT_SET is not set" },
  ],
  ["an empty variable is not set either", { command: "a", args: ["${EMPTY}"] }, { enabled: false }],
  ["neither", { foo: 1 }, { enabled: false, problem: "neither a command nor a url" }],
  ["not an address", { url: "file:///etc/passwd" }, { enabled: false }],
])("%s", (_, entry, expected) => {
  expect(read({ mcpServers: { "My Server": entry } }).servers).toMatchObject([{ alias: "my-server", ...expected }]);
});

test("VS Code's list; approvals are left behind and said once", () => {
  const { servers, notes } = read({
    servers: { a: { command: "x", alwaysAllow: ["y"] }, b: { command: "x", trust: true } },
  });
  expect(servers.map(({ alias }) => alias)).toEqual(["a", "b"]);
  expect(notes).toEqual(["approvals in other programs' lists are not taken over"]);
});

test.each([["{"], ["[]"], ['{"x":1}']])("%s is refused", (text) => {
  expect(() => importServers(text, env, (name) => name)).toThrow();
});
