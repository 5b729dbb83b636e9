// Files so long that their text is sent while it is made: the same text as any other way, over stdio and over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "./harness/server.ts";
import { HttpServer } from "./harness/http.ts";

const LINES = 9000;
const TOKEN = "a-token-with-some-length";

function file(line: (i: number) => string | Uint8Array, start: Uint8Array = new Uint8Array(0)): Buffer {
  return Buffer.concat([start, ...Array.from({ length: LINES }, (_, i) => Buffer.from(line(i)))]);
}

const FILES: Record<string, Buffer> = {
  plain: file(() => `${"y".repeat(63)}\n`),
  code: file((i) => `\tif (names["${i}"] === '\\\\') return "\\n" + \`${i}\`;\n`),
  "code without a last newline": file((i) => `  const n${i} = "${i}";${i === LINES - 1 ? "" : "\n"}`),
  "marked, with carriage returns": file(
    (i) => `line ${i} of a file that is older${i % 3 === 0 ? "\r" : ""}\r\n`,
    Buffer.from("\ufeff"),
  ),
  "control characters": file(
    (i) => `\u001b[3${i % 8}m colour ${i} \u001b[0m \u0000\u007f ${"#".repeat(40)}\n`,
    Buffer.from(`${"-".repeat(600)}\n`),
  ),
  "other scripts": file((i) => `${i}: äöü 日本語 😀 \u2028 end of line\n`),
  "not UTF-8": file((i) =>
    i % 2 === 0 ? Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0xe2, 0x82, 0x0a]) : `${"ok ".repeat(40)}\n`,
  ),
  "a few long lines": file((i) =>
    i % 1000 === 0 ? `${"ä".repeat(1999 + ((i / 1000) % 3))}\n` : `short ${i} ${"x".repeat(50)}\n`,
  ),
};

/** As the contract has it, the slow way. */
function viewed(bytes: Buffer, first: number, last: number): string {
  const text = new TextDecoder().decode(bytes);
  const lines = text.replace(/\n$/, "").split("\n");
  const shown = lines.slice(first - 1, last);
  const width = String(first + shown.length - 1).length;
  return shown
    .map((line, i) => {
      const ended = first + i < lines.length || text.endsWith("\n");
      const visible = [...(ended ? line.replace(/\r$/, "") : line)];
      const cut = visible.length > 2000 ? `... [truncated, ${visible.length} chars total]` : "";
      return `${String(first + i).padStart(width)}\t${visible.slice(0, 2000).join("")}${cut}\n`;
    })
    .join("");
}

const TRUNCATED = "[Truncated: file has 9000 lines. Use view_range to read specific sections.]";

describe("over stdio", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ args: ["--tools", "coding,workspace", "--sandbox", "off"], files: FILES });
  });
  afterAll(async () => server[Symbol.asyncDispose]());

  test.each(Object.entries(FILES))("view: %s", async (name, bytes) => {
    const view = (range: readonly number[]): Promise<string> => server.text("view", { path: name, view_range: range });
    expect((await view([1, LINES + 1])) === viewed(bytes, 1, LINES + 1)).toBe(true);
    expect((await view([4321, 8765])) === viewed(bytes, 4321, 8765)).toBe(true);
  });

  test("many at once, long and short in turns: none has anything of another", async () => {
    const names = Object.keys(FILES);
    const asked = Array.from({ length: 40 }, (_, i) => {
      const name = names[i % names.length] ?? "";
      const last = i % 3 === 0 ? 20 : LINES;
      return { name, last, text: server.text("view", { path: name, view_range: [1, last] }) };
    });
    for (const { name, last, text } of asked) {
      expect((await text) === viewed(FILES[name] ?? Buffer.alloc(0), 1, last)).toBe(true);
    }
  });

  test("view without a range: the first lines and a note, long or not", async () => {
    const long = await server.text("view", { path: "plain" });
    expect(long === `${viewed(FILES["plain"] ?? Buffer.alloc(0), 1, 2000)}\n${TRUNCATED}`).toBe(true);
  });

  test.each(Object.entries(FILES))("read_file: %s", async (name, bytes) => {
    const text = await server.text("read_file", { file: name, maxBytes: 1_048_576 });
    const content = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const lossy = name === "not UTF-8" ? { lossy: true } : {};
    expect(text === JSON.stringify({ ok: true, data: { file: name, content, bytes: bytes.length, ...lossy } })).toBe(
      true,
    );
  });
});

test("over HTTP, and without the server's own token", async () => {
  const secret = `before ${TOKEN} after`;
  const marked = file((i) => (i === 5000 ? `${secret}\n` : `line ${i} ${"x".repeat(30)}\n`));
  await using server = await HttpServer.start({
    args: ["--tools", "coding,workspace", "--sandbox", "off", "--token", TOKEN],
    files: { plain: FILES["plain"]?.toString() ?? "", marked: marked.toString() },
  });
  const client = await server.session({ authorization: `Bearer ${TOKEN}` });
  const range = [1, LINES];
  expect(
    (await client.text("view", { path: "plain", view_range: range })) === viewed(FILES["plain"] ?? marked, 1, LINES),
  ).toBe(true);
  for (const [tool, args] of [
    ["view", { path: "marked", view_range: range }],
    ["read_file", { file: "marked", maxBytes: 1_048_576 }],
  ] as const) {
    const text = await client.text(tool, args);
    expect([text.includes(TOKEN), text.includes("[redacted: server token]")]).toEqual([false, true]);
  }
});
