import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { kindOfFile, openForReading, readLines } from "../../src/index.ts";
import type { EngineCode, LinesRead, ReadLinesOptions } from "../../src/index.ts";
import { CHUNK_BYTES } from "../../src/files/read-buffer.ts";
import { Workspace, failure, outcome } from "../workspace.ts";

const MIB = 1024 ** 2;
const limits = { maxLines: 2000, maxLineChars: 2000, maxBytes: 10 * MIB, maxTextBytes: 10 * MIB };

async function read(workspace: Workspace, name: string, options: Partial<ReadLinesOptions> = {}): Promise<LinesRead> {
  using place = workspace.resolve(name);
  using file = openForReading(place);
  const kind = kindOfFile(file);
  const encoding = kind.kind === "text" ? kind.encoding : "utf-8";
  return await readLines(file, { encoding, ...limits, ...options });
}

const range = (first: number, last: number) => ({ range: { first, last } });
const texts = (result: LinesRead) => result.lines.map(({ text }) => text);

describe("whole files", () => {
  test.each<[string, string | Uint8Array, string[]]>([
    ["an empty file has no lines", "", []],
    ["a final newline makes no extra line", "a\nb\n", ["a", "b"]],
    ["a last line without newline counts", "a\nb", ["a", "b"]],
    ["blank lines count", "\n\na\n\n", ["", "", "a", ""]],
    ["CRLF is hidden", "a\r\nb\r\n", ["a", "b"]],
    ["a CR that ends no line stays", "a\rb\nc\r", ["a\rb", "c\r"]],
    ["a byte-order mark is not shown", "\ufeffa\n", ["a"]],
    ["a mark elsewhere is text", "a\n\ufeffb\n", ["a", "\ufeffb"]],
    ["invalid UTF-8 becomes a replacement character", new Uint8Array([0x61, 0xff, 0x62, 0x0a]), ["a\ufffdb"]],
    ["UTF-16, little end first", new Uint8Array([0xff, 0xfe, 0x61, 0, 0x0d, 0, 0x0a, 0, 0xe9, 0]), ["a", "é"]],
    ["UTF-16, big end first", new Uint8Array([0xfe, 0xff, 0, 0x61, 0, 0x0a, 0, 0xe9]), ["a", "é"]],
    ["astral characters", "😀\n", ["😀"]],
  ])("%s", async (_, content, lines) => {
    using workspace = new Workspace({ f: content });
    const before = workspace.bytes("f");
    const whole = await read(workspace, "f");
    expect(texts(whole)).toEqual(lines);
    expect(whole.totalLines).toBe(lines.length);
    expect(whole.lines.map(({ number }) => number)).toEqual(lines.map((_, i) => i + 1));
    // The same through a range, and the file untouched.
    if (lines.length > 0) expect(texts(await read(workspace, "f", range(1, 9999)))).toEqual(lines);
    expect(workspace.bytes("f")).toEqual(before);
  });

  test("more lines than the cap: the first of them, and the total", async () => {
    using workspace = new Workspace({ f: Array.from({ length: 2001 }, (_, i) => `${i + 1}\n`).join("") });
    const result = await read(workspace, "f");
    expect(result.lines.length).toBe(2000);
    expect(result.lines.at(-1)).toEqual({ number: 2000, text: "2000" });
    expect([result.totalLines, result.more]).toEqual([2001, true]);
  });

  test("exactly the cap is not more", async () => {
    using workspace = new Workspace({ f: "x\n".repeat(2000) });
    expect((await read(workspace, "f")).more).toBe(false);
  });
});

describe("long lines", () => {
  test.each<[string, string, number, number | undefined]>([
    ["at the cap it is whole", "a".repeat(2000), 2000, undefined],
    ["one over is cut", "a".repeat(2001), 2000, 2001],
    ["code points are counted, not units", "😀".repeat(2000), 4000, undefined],
    ["a pair is never cut", "😀".repeat(2001), 4000, 2001],
    ["accents are code points", "é".repeat(3000), 2000, 3000],
    ["CR is not counted", `${"a".repeat(2000)}\r`, 2000, undefined],
    ["longer than the buffer", "é".repeat(CHUNK_BYTES), 2000, CHUNK_BYTES],
    ["much longer than the buffer", "a".repeat(3 * CHUNK_BYTES + 7), 2000, 3 * CHUNK_BYTES + 7],
  ])("%s", async (_, line, units, total) => {
    using workspace = new Workspace({ f: `first\n${line}\nlast\n` });
    for (const options of [{}, range(1, 3), range(2, 3)]) {
      const { lines } = await read(workspace, "f", options);
      const long = lines.find(({ number }) => number === 2);
      expect(long?.text.length).toBe(units);
      expect(long?.totalChars).toBe(total);
      expect(lines.at(-1)).toEqual({ number: 3, text: "last" });
    }
  });

  test("a character across two reads is whole, wherever the cut falls", async () => {
    for (let shift = 0; shift < 5; shift += 1) {
      using workspace = new Workspace({ f: `${"x".repeat(CHUNK_BYTES - shift)}😀é\nnext\n` });
      const { lines } = await read(workspace, "f", { maxLineChars: 2 * CHUNK_BYTES });
      expect(lines[0]?.text.endsWith("x😀é")).toBe(true);
      expect(lines[1]?.text).toBe("next");
    }
  });

  test("CRLF across two reads is hidden", async () => {
    using workspace = new Workspace({ f: `${"x".repeat(CHUNK_BYTES - 1)}\r\nnext\r\n` });
    const { lines } = await read(workspace, "f", { maxLineChars: 2 * CHUNK_BYTES });
    expect(lines[0]?.text.length).toBe(CHUNK_BYTES - 1);
    expect(lines[1]?.text).toBe("next");
  });
});

describe("ranges", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => `line ${i + 1}\n`).join("");

  test.each<[string, number, number, number, number]>([
    ["in the middle", 10, 12, 10, 12],
    ["one line", 50, 50, 50, 50],
    ["the end is clamped", 98, 5000, 98, 100],
    ["the last line", 100, 100, 100, 100],
    ["to the end, however far that is", 98, Infinity, 98, 100],
  ])("%s", async (_, first, last, from, to) => {
    using workspace = new Workspace({ f: hundred });
    const { lines, more } = await read(workspace, "f", range(first, last));
    expect([lines[0]?.number, lines.at(-1)?.number, lines.length]).toEqual([from, to, to - from + 1]);
    expect(lines[0]?.text).toBe(`line ${from}`);
    expect(more).toBe(false);
  });

  test("a range may be longer than the cap on whole files", async () => {
    using workspace = new Workspace({ f: "x\n".repeat(5000) });
    expect((await read(workspace, "f", range(1, 5000))).lines.length).toBe(5000);
  });

  test.each<[string, string, number, number, string]>([
    ["a start below 1", hundred, 0, 5, "invalid view_range: start must be >= 1, got 0"],
    ["a start after the end", hundred, 5, 4, "invalid view_range: start 5 > end 4"],
    ["a start past the file", hundred, 101, 200, "invalid view_range: start 101 exceeds total lines 100 in f"],
    ["any range of an empty file", "", 1, 1, "invalid view_range: start 1 exceeds total lines 0 in f"],
    ["a fraction", hundred, 1.5, 2, "invalid view_range: both ends must be integers"],
  ])("refused: %s", async (_, content, first, last, message) => {
    using workspace = new Workspace({ f: content });
    const error = await failure(() => read(workspace, "f", range(first, last)));
    expect([error.code, error.message]).toEqual(["RANGE_INVALID", message]);
  });

  test("lines after a line of megabytes exist", async () => {
    using workspace = new Workspace({ f: `${"x".repeat(3 * MIB)}\nafter\n` });
    expect(texts(await read(workspace, "f", range(2, 2)))).toEqual(["after"]);
  });

  test("deep in a big file, memory stays small", async () => {
    using workspace = new Workspace();
    const fd = fs.openSync(workspace.at("big"), "w");
    const block = Buffer.from("0123456789abcde\n".repeat(65_536));
    for (let i = 0; i < 128; i += 1) fs.writeSync(fd, block);
    fs.closeSync(fd);
    const before = process.memoryUsage.rss();
    const first = 127 * 65_536;
    const { lines } = await read(workspace, "big", { ...range(first, first + 200), maxBytes: Infinity });
    expect(lines.length).toBe(201);
    expect((process.memoryUsage.rss() - before) / MIB).toBeLessThan(32);
  });
});

describe("limits", () => {
  test("the reported size is checked first", async () => {
    using workspace = new Workspace();
    fs.closeSync(fs.openSync(workspace.at("sparse"), "w"));
    fs.truncateSync(workspace.at("sparse"), 1024 ** 4);
    const error = await failure(() => read(workspace, "sparse", range(1, 2)));
    expect(error.code).toBe("TOO_LARGE");
    expect(error.details).toMatchObject({ bytes: 1024 ** 4, maxBytes: 10 * MIB, what: "file" });
  });

  test("so are the bytes read, of a file that says it has none", async () => {
    using workspace = new Workspace({}, { roots: [] });
    expect(fs.statSync("/proc/self/maps").size).toBe(0);
    expect(await outcome(() => read(workspace, "/proc/self/maps", { maxBytes: 100 }))).toBe("TOO_LARGE");
    expect((await read(workspace, "/proc/self/maps")).lines.length).toBeGreaterThan(3);
  });

  test("a range that returns too much is refused, not cut", async () => {
    using workspace = new Workspace({ f: `${"x".repeat(1000)}\n`.repeat(1000) });
    const error = await failure(() => read(workspace, "f", { ...range(1, 1000), maxTextBytes: 10_000 }));
    expect([error.code, error.details.what]).toEqual(["TOO_LARGE", "result"]);
  });

  test("what counts is the text: three bytes of one character are one", async () => {
    using workspace = new Workspace({ f: `${"\u4e2d".repeat(500)}\r\n`.repeat(2000) });
    const exact = { ...range(1, 2000), maxTextBytes: 1_000_000 };
    expect((await read(workspace, "f", exact)).lines.length).toBe(2000);
    expect(await outcome(() => read(workspace, "f", { ...exact, maxTextBytes: 999_999 }))).toBe("TOO_LARGE");
  });

  test("cancelling stops it", async () => {
    using workspace = new Workspace({ f: "x\n".repeat(4 * MIB) });
    const controller = new AbortController();
    controller.abort();
    expect(await outcome(() => read(workspace, "f", { signal: controller.signal }))).toBe("CANCELLED");
  });
});

test.each<[string, (w: Workspace) => void, EngineCode]>([
  ["a directory", (w) => fs.mkdirSync(w.at("it")), "NOT_FILE"],
  ["nothing", () => undefined, "NOT_FOUND"],
  ["a FIFO", (w) => makeFifo(w.at("it")), "NOT_REGULAR"],
])("%s is no file to read", async (_, make, code: EngineCode) => {
  using workspace = new Workspace();
  make(workspace);
  expect(await outcome(() => read(workspace, "it"))).toBe(code);
});

test.each(["/dev/zero", "/dev/null", "/dev/tty"])("%s is a device and is never opened", async (device) => {
  using workspace = new Workspace({}, { roots: [] });
  if (!fs.existsSync(device)) return;
  expect(await outcome(() => read(workspace, device))).toBe("NOT_REGULAR");
});

function makeFifo(at: string): void {
  expect(Bun.spawnSync(["mkfifo", at]).exitCode).toBe(0);
}
