// Files that carry trust: only a plain file of our own is believed, and it is replaced whole, never written through.
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { readPrivateFile, writePrivateFile } from "../../src/private-files/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const nextFolder = temporaryFolder();

function newFolder(): string {
  const folder = nextFolder();
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

test("what was written is read, by its owner alone, in a folder that is made", () => {
  const folder = newFolder();
  const file = path.join(folder, "state/deep/file.json");
  expect(readPrivateFile(file)).toBeUndefined();
  writePrivateFile(file, "text é\n");
  expect(readPrivateFile(file)).toEqual({ text: "text é\n", readableByOthers: false });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  writePrivateFile(file, new Uint8Array([0x6f, 0x6b]));
  expect(readFileSync(file, "utf8")).toBe("ok");
  expect(readdirSync(path.dirname(file))).toEqual(["file.json"]);
});

type Place = { readonly file: string; readonly folder: string };
const UNSAFE: readonly (readonly [name: string, make: (place: Place) => void, message: RegExp])[] = [
  ["a link", ({ file, folder }) => symlinkSync(path.join(folder, "target"), file), /symbolic link/],
  ["a dangling link", ({ file }) => symlinkSync("nowhere", file), /symbolic link/],
  ["a folder", ({ file }) => mkdirSync(file), /not a regular file/],
  ["a FIFO, which must not hang us", ({ file }) => void Bun.spawnSync(["mkfifo", file]), /not a regular file/],
  ["a second name", ({ file, folder }) => linkSync(path.join(folder, "target"), file), /2 names/],
  ["others may write it", ({ file }) => (writeFileSync(file, "x"), chmodSync(file, 0o666)), /chmod go-w/],
  ["endless", ({ file }) => (writeFileSync(file, "", { mode: 0o600 }), truncateSync(file, 2 ** 40)), /larger than/],
  ["not text", ({ file }) => writeFileSync(file, new Uint8Array([0xff, 0xfe]), { mode: 0o600 }), /UTF-8/],
];

test.each(UNSAFE)("not believed: %s", (_, make, message) => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "target"), "secret", { mode: 0o600 });
  const file = path.join(folder, "file");
  make({ file, folder });
  expect(() => readPrivateFile(file)).toThrow(message);
});

test("settings behind a link, and a file that others can read, are told apart", () => {
  const folder = newFolder();
  const target = path.join(folder, "target");
  writeFileSync(target, "settings");
  chmodSync(target, 0o644);
  symlinkSync(target, path.join(folder, "file"));
  expect(readPrivateFile(path.join(folder, "file"), { followLinks: true })).toEqual({
    text: "settings",
    readableByOthers: true,
  });
});

test("writing replaces a link instead of following it", () => {
  const folder = newFolder();
  const target = path.join(folder, "target");
  const file = path.join(folder, "file");
  writeFileSync(target, "theirs");
  symlinkSync(target, file);
  writePrivateFile(file, "ours");
  expect(readFileSync(target, "utf8")).toBe("theirs");
  expect(lstatSync(file).isFile()).toBe(true);
});

test("a folder that others can change, or that is a link, holds no state", () => {
  const folder = newFolder();
  const open = path.join(folder, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(() => writePrivateFile(path.join(open, "file"), "x")).toThrow(/chmod go-w/);
  symlinkSync(open, path.join(folder, "link"));
  expect(() => writePrivateFile(path.join(folder, "link/file"), "x")).toThrow(/not a plain folder/);
  expect(existsSync(path.join(open, "file"))).toBe(false);
});

test("what cannot be written leaves the old file and nothing beside it", () => {
  const folder = newFolder();
  const file = path.join(folder, "file");
  mkdirSync(file); // a folder cannot be replaced by a file
  expect(() => writePrivateFile(file, "x")).toThrow();
  expect(readdirSync(folder)).toEqual(["file"]);
});
