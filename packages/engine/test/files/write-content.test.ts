import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import {
  ViewedFiles,
  encodeContent,
  kindOfFile,
  openForReading,
  readLines,
  replaceText,
  writeFile,
} from "../../src/index.ts";
import type { EngineCode, Written, WriteOptions } from "../../src/index.ts";
import { CHUNK_BYTES } from "../../src/files/read-buffer.ts";
import { Workspace, directory, failure, link, outcome } from "../workspace.ts";

const MIB = 1024 ** 2;

async function write(
  workspace: Workspace,
  name: string,
  text: string,
  options: WriteOptions & { maxBytes?: number } = {},
): Promise<Written> {
  const content = encodeContent(text, options.maxBytes ?? MIB);
  using place = workspace.resolve(name, { writing: true });
  return await writeFile(place, content, options);
}

describe("writing", () => {
  test.each<[string, string, string]>([
    ["a new file", "new", "hello"],
    ["an empty file", "new", ""],
    ["with parents that do not exist", "a/b/c/new", "hello"],
    ["over a file that exists", "old", "hello"],
    ["letters beyond ASCII, in bytes", "new", "é😀"],
    ["through a link inside", "alias", "hello"],
    ["through a dangling link inside", "dangling", "hello"],
    ["exactly the largest size", "new", "x".repeat(MIB)],
    ["a name that begins with a dash (S10)", "-rf", "hello"],
  ])("%s", async (_, name, text) => {
    using workspace = new Workspace({
      old: "old content",
      real: "x",
      alias: link("real"),
      dangling: link("made/by/it"),
    });
    const existed = fs.existsSync(workspace.at(name));
    const written = await write(workspace, name, text);
    expect([written.bytes, written.created]).toEqual([Buffer.byteLength(text), !existed]);
    expect(workspace.read(name)).toBe(text);
    expect(leftovers(workspace.root)).toEqual([]);
  });

  test("a link stays a link", async () => {
    using workspace = new Workspace({ real: "x", alias: link("real") });
    await write(workspace, "alias", "y");
    expect([fs.readlinkSync(workspace.at("alias")), workspace.read("real")]).toEqual(["real", "y"]);
  });

  test("new files and directories get the usual modes; an old file keeps its own", async () => {
    using workspace = new Workspace({ old: "x" });
    fs.chmodSync(workspace.at("old"), 0o600);
    const umask = process.umask(0o022);
    try {
      await write(workspace, "d/new", "x");
      await write(workspace, "old", "y");
    } finally {
      process.umask(umask);
    }
    const mode = (name: string) => fs.statSync(workspace.at(name)).mode & 0o777;
    expect([mode("d"), mode("d/new"), mode("old")]).toEqual([0o755, 0o644, 0o600]);
  });

  test.each<[string, string, string, EngineCode]>([
    ["more than the largest size", "new", "x".repeat(MIB + 1), "TOO_LARGE"],
    ["a directory", "d", "x", "NOT_FILE"],
    ["a name that ends in a slash", "new/", "x", "NOT_DIRECTORY"],
    ["below a file", "old/new", "x", "NOT_DIRECTORY"],
    ["through a link out", "out", "x", "OUTSIDE_SCOPE"],
    ["through a dangling link out", "dangling-out", "x", "OUTSIDE_SCOPE"],
    ["below a dangling link out", "dangling-out/x", "x", "OUTSIDE_SCOPE"],
    ["an unpaired surrogate", "new", "a\ud83d", "INVALID_INPUT"],
  ])("refused: %s", async (_, name, text, code) => {
    using workspace = new Workspace({
      old: "old",
      d: directory,
      out: link("../outside/secret.txt"),
      "dangling-out": link("../outside/made"),
    });
    expect(await outcome(() => write(workspace, name, text))).toBe(code);
    expect(fs.readdirSync(workspace.outside)).toEqual(["secret.txt"]);
    expect(fs.readFileSync(path.join(workspace.outside, "secret.txt"), "utf8")).toBe("secret\n");
    expect(workspace.read("old")).toBe("old");
    expect(leftovers(workspace.root)).toEqual([]);
  });

  test("the size is checked before anything else", async () => {
    using workspace = new Workspace();
    const error = await failure(() => write(workspace, "d", "xxx", { maxBytes: 2 }));
    expect(error.message).toBe("content is 3 bytes, exceeds maximum 2 bytes");
  });

  test("many at once, each whole", async () => {
    using workspace = new Workspace();
    const texts = Array.from({ length: 40 }, (_, i) => `${i}`.repeat(10_000));
    await Promise.all(texts.map((text) => write(workspace, "deep/er/f", text)));
    expect(texts).toContain(workspace.read("deep/er/f"));
    expect(fs.readdirSync(workspace.at("deep/er"))).toEqual(["f"]);
  });
});

describe("view before edit", () => {
  const limits = { encoding: "utf-8", maxLines: 2000, maxLineChars: 2000, maxBytes: MIB, maxTextBytes: MIB } as const;

  async function view(
    workspace: Workspace,
    viewed: ViewedFiles,
    name: string,
    range?: { first: number; last: number },
  ) {
    using place = workspace.resolve(name);
    using file = openForReading(place);
    const { fingerprint } = await readLines(file, { ...limits, ...(range === undefined ? {} : { range }) });
    viewed.note(place.path, fingerprint);
  }

  const guarded = (viewed: ViewedFiles): WriteOptions => ({
    guard: (place, file) => viewed.require(place, file),
  });

  async function edit(workspace: Workspace, viewed: ViewedFiles, find: string, replace: string) {
    using place = workspace.resolve("f", { writing: true });
    const done = await replaceText(place, { find, replace, all: false, maxBytes: MIB, ...guarded(viewed) });
    viewed.note(place.path, done.fingerprint);
  }

  test("an unseen file is refused, a new one is not", async () => {
    using workspace = new Workspace({ f: "x" });
    const viewed = new ViewedFiles();
    expect(await outcome(() => write(workspace, "f", "y", guarded(viewed)))).toBe("NOT_VIEWED");
    expect(await outcome(() => write(workspace, "new", "y", guarded(viewed)))).toBe("ok");
    expect(await outcome(() => edit(workspace, viewed, "x", "y"))).toBe("NOT_VIEWED");
    expect(workspace.read("f")).toBe("x");
  });

  test("a seen file may be edited, again and again", async () => {
    using workspace = new Workspace({ f: "one" });
    const viewed = new ViewedFiles();
    await view(workspace, viewed, "f");
    await edit(workspace, viewed, "one", "two");
    await edit(workspace, viewed, "two", "three");
    expect(workspace.read("f")).toBe("three");
  });

  // Just written, so that stamps prove nothing and the content itself is compared.
  test.each([0, 1, CHUNK_BYTES, 2 * CHUNK_BYTES, 2 * CHUNK_BYTES + 1])(
    "a file of %d bytes that was seen a moment ago is still the same",
    async (bytes) => {
      using workspace = new Workspace({ f: "x".repeat(bytes) });
      const viewed = new ViewedFiles();
      await view(workspace, viewed, "f");
      expect(await outcome(() => write(workspace, "f", "y", guarded(viewed)))).toBe("ok");
    },
  );

  test("one's own new file counts as seen", async () => {
    using workspace = new Workspace();
    const viewed = new ViewedFiles();
    viewed.note(workspace.at("f"), (await write(workspace, "f", "one")).fingerprint);
    expect(await outcome(() => edit(workspace, viewed, "one", "two"))).toBe("ok");
  });

  test.each<[string, (at: string) => void]>([
    ["other content", (at) => fs.writeFileSync(at, "other")],
    ["other content of the same length at once", (at) => fs.writeFileSync(at, "thr")],
    [
      "other content with the old time",
      (at) => {
        const { atime, mtime } = fs.statSync(at);
        fs.writeFileSync(at, "thr");
        fs.utimesSync(at, atime, mtime);
      },
    ],
    [
      "another file in its place",
      (at) => {
        fs.writeFileSync(`${at}.new`, "thr");
        fs.renameSync(`${at}.new`, at);
      },
    ],
  ])("changed since: %s", async (_, change) => {
    using workspace = new Workspace({ f: "one" });
    const viewed = new ViewedFiles();
    await view(workspace, viewed, "f");
    change(workspace.at("f"));
    expect(await outcome(() => edit(workspace, viewed, "t", "x"))).toBe("CHANGED_SINCE_VIEW");
  });

  test("touched or rewritten with the same content is not changed", async () => {
    using workspace = new Workspace({ f: "one" });
    const viewed = new ViewedFiles();
    await view(workspace, viewed, "f");
    fs.utimesSync(workspace.at("f"), 1, 1);
    expect(await outcome(() => edit(workspace, viewed, "one", "two"))).toBe("ok");
  });

  test("views are per client", async () => {
    using workspace = new Workspace({ f: "one" });
    await view(workspace, new ViewedFiles(), "f");
    expect(await outcome(() => edit(workspace, new ViewedFiles(), "one", "two"))).toBe("NOT_VIEWED");
  });

  test("a range counts as a view", async () => {
    using workspace = new Workspace({ f: "one\ntwo\n" });
    const viewed = new ViewedFiles();
    await view(workspace, viewed, "f", { first: 2, last: 2 });
    expect(await outcome(() => edit(workspace, viewed, "one", "1"))).toBe("ok");
  });
});

test("a file kind is told from its first bytes", () => {
  using workspace = new Workspace({ text: "x", binary: "a\0b", "late-nul": `${"x".repeat(512)}\0`, empty: "" });
  const kind = (name: string) => {
    using place = workspace.resolve(name);
    using file = openForReading(place);
    return kindOfFile(file).kind;
  };
  expect(["text", "binary", "late-nul", "empty"].map(kind)).toEqual(["text", "binary", "text", "text"]);
});

function leftovers(root: string): string[] {
  return (fs.readdirSync(root, { recursive: true }) as string[]).filter((name) => name.includes(".bosun-"));
}
