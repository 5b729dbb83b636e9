import { expect, test } from "bun:test";
import { kindOfFile, loadImage, openForReading, sniffImage } from "../../src/index.ts";
import { Workspace, failure } from "../workspace.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVQI12NoAAAAggCB3UNq9AAAAABJRU5ErkJggg==",
  "base64",
);

/** A 1×1 bitmap with a header of 40 bytes. */
function bitmap(): Buffer {
  const bytes = Buffer.alloc(58);
  bytes.write("BM");
  bytes.writeUInt32LE(58, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  return bytes;
}

const text = (value: string) => Buffer.from(value, "latin1");

test.each<[string, Buffer, string | undefined]>([
  ["PNG", PNG, "image/png"],
  ["JPEG", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), "image/jpeg"],
  ["GIF87a", text("GIF87a..."), "image/gif"],
  ["GIF89a", text("GIF89a..."), "image/gif"],
  ["WebP", text("RIFF\x10\0\0\0WEBPVP8 "), "image/webp"],
  ["a bitmap", bitmap(), "image/bmp"],
  ["an icon", Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]), "image/x-icon"],
  ["a cursor", Buffer.from([0, 0, 2, 0, 1, 0, 16, 16]), "image/x-icon"],
  ["text that begins with BM", text("BM25 is a ranking function used by search engines.\n"), undefined],
  ["RIFF that is sound", text("RIFF\x10\0\0\0WAVEfmt "), undefined],
  ["an icon without pictures", Buffer.from([0, 0, 1, 0, 0, 0]), undefined],
  ["two letters", text("BM"), undefined],
  ["half a PNG mark", PNG.subarray(0, 4), undefined],
  ["nothing", Buffer.alloc(0), undefined],
])("%s", (_, bytes, type) => {
  expect(sniffImage(bytes, bytes.length)).toBe(type as ReturnType<typeof sniffImage>);
});

test("a bitmap whose pixels lie past the end is none", () => {
  const bytes = bitmap();
  bytes.writeUInt32LE(9999, 10);
  expect(sniffImage(bytes, bytes.length)).toBeUndefined();
});

test.each<[string, string, Buffer, string]>([
  ["content decides, not the name", "picture.txt", PNG, "image"],
  ["a name makes no image", "picture.png", text("not one"), "text"],
  ["SVG is told by its name", "drawing.SVG", text("<svg/>"), "svg"],
  ["an empty SVG is text", "drawing.svg", Buffer.alloc(0), "text"],
  ["a NUL makes it binary", "data", text("a\0b"), "binary"],
])("%s", (_, name, content, kind) => {
  using workspace = new Workspace({ [name]: content });
  using place = workspace.resolve(name);
  using file = openForReading(place);
  expect(kindOfFile(file).kind).toBe(kind as "text");
});

test("an image is loaded whole", async () => {
  using workspace = new Workspace({ p: PNG });
  using place = workspace.resolve("p");
  using file = openForReading(place);
  expect(await loadImage(file, { maxBytes: 1000 })).toEqual({ base64: PNG.toString("base64"), bytes: PNG.length });
});

test.each([
  ["the file", { maxBytes: 10 }],
  ["what base64 makes of it", { maxBytes: 1000, maxBase64Bytes: 80 }],
])("an image is refused when %s is too large", async (_, limits) => {
  using workspace = new Workspace({ p: PNG });
  using place = workspace.resolve("p");
  using file = openForReading(place);
  expect((await failure(() => loadImage(file, limits))).code).toBe("TOO_LARGE");
});
