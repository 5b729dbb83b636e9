// The short way to a file: it opens what the resolver would open, and leaves everything else to the resolver.
import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { openDirectly, readWhole } from "../../src/index.ts";
import { Workspace, directory, link } from "../workspace.ts";

const files = {
  "a.txt": "a\n",
  "d/e/deep.txt": "deep\n",
  "x (deleted)": "odd name\n",
  "...": "three dots\n",
  "linked.txt": link("a.txt"),
  out: link("../outside"),
  sub: link("d"),
  "d/up": link("../a.txt"),
  empty: "",
  folder: directory,
};

async function opened(workspace: Workspace, requested: string, base = workspace.root): Promise<string | undefined> {
  using file = openDirectly(workspace.scope, requested, base);
  return file && (await readWhole(file, { maxBytes: 1000 })).toString();
}

// Elsewhere there is no opening below a descriptor, and everything is left to the resolver.
describe.skipIf(process.platform !== "linux")("on Linux", () => {
  test.each<[string, string, string]>([
    ["a file straight below the root", "a.txt", "a\n"],
    ["one further down", "d/e/deep.txt", "deep\n"],
    ["an empty one", "empty", ""],
    ["a name that looks deleted", "x (deleted)", "odd name\n"],
    ["a name of dots", "...", "three dots\n"],
  ])("opens %s, by its relative and its absolute path", async (_, name, content) => {
    using workspace = new Workspace(files);
    expect(await opened(workspace, name)).toBe(content);
    expect(await opened(workspace, workspace.at(name))).toBe(content);
  });

  test("a relative path starts at the directory given", async () => {
    using workspace = new Workspace(files);
    expect(await opened(workspace, "deep.txt", workspace.at("d/e"))).toBe("deep\n");
    expect(await opened(workspace, "secret.txt", workspace.outside)).toBeUndefined();
  });

  test.each<[string, string]>([
    ["a link", "linked.txt"],
    ["a link on the way", "sub/e/deep.txt"],
    ["a link out of the scope", "out/secret.txt"],
    ["a link further down", "d/up"],
    ["a directory", "folder"],
    ["the root", "."],
    ["what is not there", "missing"],
    ["what is below a file", "a.txt/x"],
    ["..", "d/../a.txt"],
    [". in the middle", "d/./e/deep.txt"],
    ["a doubled slash", "d//e/deep.txt"],
    ["a slash at the end", "a.txt/"],
    ["an unpaired surrogate", "\ud800"],
    ["a NUL", "a.txt\0"],
    ["nothing at all", ""],
    ["the outside", "../outside/secret.txt"],
    ["a device", "/dev/null"],
  ])("leaves %s to the resolver", async (_, requested) => {
    using workspace = new Workspace(files);
    fs.writeFileSync(workspace.at("\ufffd"), "not what was meant");
    expect(await opened(workspace, requested)).toBeUndefined();
  });

  test("leaves a FIFO to the resolver without waking its writer", async () => {
    using workspace = new Workspace();
    expect(Bun.spawnSync(["mkfifo", workspace.at("fifo")]).exitCode).toBe(0);
    const writer = Bun.spawn(["sh", "-c", `echo x > '${workspace.at("fifo")}'`], { stderr: "ignore", env: {} });
    expect(await opened(workspace, "fifo")).toBeUndefined();
    expect(writer.exitCode).toBeNull();
    writer.kill();
    await writer.exited;
  });

  test("leaves denied places to the resolver, also below a denied directory", async () => {
    using workspace = new Workspace(files, { deny: ["d", "**/*.txt"] });
    expect(await opened(workspace, "d/e/deep.txt")).toBeUndefined();
    expect(await opened(workspace, "a.txt")).toBeUndefined();
    expect(await opened(workspace, "x (deleted)")).toBe("odd name\n");
  });

  test("a root that was moved, and another put in its place: what the name means now counts", async () => {
    using workspace = new Workspace(files);
    fs.renameSync(workspace.root, `${workspace.root}-old`);
    fs.mkdirSync(workspace.root);
    fs.writeFileSync(workspace.at("a.txt"), "another\n");
    expect(await opened(workspace, "a.txt")).toBeUndefined();
    fs.rmSync(`${workspace.root}-old`, { recursive: true });
  });

  test("walking by names, and without roots, it is the resolver's work altogether", async () => {
    using names = new Workspace(files, { walkMode: "names" });
    expect(await opened(names, "a.txt")).toBeUndefined();
    using unscoped = new Workspace(files, { roots: [] });
    expect(await opened(unscoped, "a.txt")).toBeUndefined();
  });

  test("no descriptor is left open, whatever comes of it", async () => {
    using workspace = new Workspace(files);
    const count = () => fs.readdirSync("/proc/self/fd").length;
    const names = ["a.txt", "d/e/deep.txt", "linked.txt", "sub/e/deep.txt", "missing", "d/missing/x", "a.txt/x"];
    const before = count();
    for (let i = 0; i < 50; i += 1) for (const name of names) await opened(workspace, name);
    expect(count()).toBe(before);
  });
});
