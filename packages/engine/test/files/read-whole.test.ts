import { expect, test } from "bun:test";
import fs from "node:fs";
import { decodeText, openForReading, readWhole } from "../../src/index.ts";
import { Workspace, failure, outcome } from "../workspace.ts";

async function read(workspace: Workspace, name: string, maxBytes: number): Promise<Buffer> {
  using place = workspace.resolve(name);
  using file = openForReading(place);
  return await readWhole(file, { maxBytes });
}

test.each([0, 1, 100, 262_143, 262_144, 262_145, 1_000_000])("a file of %i bytes comes back whole", async (size) => {
  const content = Buffer.alloc(size, "abcdefg\n");
  using workspace = new Workspace({ f: content });
  expect((await read(workspace, "f", 1_000_000)).equals(content)).toBe(true);
});

test("larger than the cap is refused, never cut", async () => {
  using workspace = new Workspace({ f: "x".repeat(17) });
  const error = await failure(() => read(workspace, "f", 16));
  expect([error.code, error.details.bytes, error.details.maxBytes]).toEqual(["TOO_LARGE", 17, 16]);
  expect((await read(workspace, "f", 17)).length).toBe(17);
});

test("a file that says it is empty is read to its cap", async () => {
  using workspace = new Workspace({}, { roots: [] });
  expect(await outcome(() => read(workspace, "/proc/self/maps", 100))).toBe("TOO_LARGE");
  expect((await read(workspace, "/proc/self/status", 100_000)).toString()).toContain("Pid:");
});

test("a file that grows after it was opened is read as it is, up to the cap", async () => {
  using workspace = new Workspace({ f: "x" });
  using place = workspace.resolve("f");
  using file = openForReading(place);
  fs.appendFileSync(workspace.at("f"), "y".repeat(600_000));
  expect((await readWhole(file, { maxBytes: 1_000_000 })).length).toBe(600_001);
  expect(await outcome(() => readWhole(file, { maxBytes: 1000 }))).toBe("TOO_LARGE");
});

test.each<[string, number[], string, boolean]>([
  ["valid", [0x63, 0xc3, 0xa9], "cé", false],
  ["invalid becomes a replacement character", [0x61, 0xff], "a\ufffd", true],
  ["cut short", [0xf0, 0x9f, 0x98], "\ufffd", true],
  ["a byte-order mark stays", [0xef, 0xbb, 0xbf, 0x61], "\ufeffa", false],
])("text: %s", (_, bytes, text, lossy) => {
  expect(decodeText(new Uint8Array(bytes))).toEqual({ text, lossy });
});
