// Homes that cannot be used: read-only, relative, empty, of a user nobody knows. One line says so, or work goes on; never a
// stack, and nothing of ours in the folder that tools may write.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Place } from "./harness/bosun.ts";
import type { Ended } from "./harness/bosun.ts";

const GREETING = [
  { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {} } },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/call", params: { name: "create_file", arguments: { path: "made", content: "x" } } },
];
const INPUT = GREETING.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
const STACK = /^\s+at |failed unexpectedly/m;

const serve = (place: Place): Promise<Ended> => place.run(["serve", "--transport", "stdio", "--sandbox", "off"], INPUT);

test.each<[string, (place: Place) => Record<string, string>]>([
  ["a relative HOME", () => ({ HOME: "somewhere" })],
  ["an empty HOME", () => ({ HOME: "" })],
  [
    "relative XDG folders",
    ({ home }) => ({ HOME: home, XDG_STATE_HOME: "a", XDG_CONFIG_HOME: "b", XDG_DATA_HOME: "c" }),
  ],
])("%s: files go nowhere below the working folder", async (_, envOf) => {
  using place = new Place();
  place.env = { ...place.env, ...envOf(place) };
  const { code, err } = await place.run(["serve", "--transport", "stdio", "--sandbox", "off", "--audit", "off"], INPUT);
  expect({ code, stack: STACK.test(err) }).toEqual({ code: 0, stack: false });
  const { out } = await place.run(["help", "files"]);
  expect(out).not.toContain(place.work);
  expect(out.match(/^\S+bosun(\/config\.toml)?$/gm)?.every((file) => path.isAbsolute(file))).toBe(true);
  expect(readdirSync(place.work)).toEqual(["made"]);
});

// In /proc nobody can make a folder, not even root: as on a read-only disk.
test("a state folder that cannot be made: calls are refused in a sentence, and so is the chat", async () => {
  using place = new Place();
  place.env = { ...place.env, HOME: "/proc/nobody" };
  const { out, err } = await serve(place);
  expect(out).toMatch(
    /nothing was done: \/proc\/nobody\S+audit cannot be made \(audit\.folder in the settings names another place\)/,
  );
  expect(existsSync(path.join(place.work, "made"))).toBe(false);
  expect(err).not.toMatch(STACK);
  const chat = await place.run(["chat", "--demo", "-p", "hello"]);
  expect(chat.err).toContain("cannot be made");
  expect(chat.err).not.toMatch(STACK);
  expect(chat.code).not.toBe(0);
});

test("doctor says which folder cannot be made", async () => {
  using place = new Place();
  writeFileSync(path.join(place.home, ".local"), "in the way");
  const { out } = await place.run(["doctor", "--json"]);
  const { folders } = JSON.parse(out) as { folders: { state: { ok: boolean; problem?: string } } };
  expect(folders.state).toMatchObject({ ok: false, problem: expect.stringContaining("cannot be made") });
});

test("init: a file that cannot be written is said in one line, and nothing is left beside it", async () => {
  using place = new Place();
  mkdirSync(path.join(place.home, ".cursor"));
  const file = path.join(place.home, ".cursor/mcp.json");
  writeFileSync(file, `{"mcpServers":{}, "long": ${JSON.stringify("x".repeat(5000))}}`);
  // A limit on file size is what a full disk looks like to a writer.
  const { code, err } = await place.run(
    ["-c", 'ulimit -f 2; exec "$0" "$@"', ...["init", "cursor", "--yes"].toSpliced(0, 0, ...program())],
    "",
    ["bash"],
  );
  expect({ code, err }).toEqual({
    code: 1,
    err: `bosun init: ${file} cannot be written (EFBIG): nothing was changed\n`,
  });
  expect(readdirSync(path.dirname(file))).toEqual(["mcp.json"]);
});

function program(): readonly string[] {
  return [process.execPath, "--no-env-file", "--config=/dev/null", path.resolve(import.meta.dir, "../src/main.ts")];
}
