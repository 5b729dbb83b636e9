// Repositories further down than is looked before each command, with real git: found at any depth, beside other work.
import { expect, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { DeepFolders, Protection, SettledPlaces } from "../../src/index.ts";
import type { SettledChange } from "../../src/index.ts";

const DEEP = "a1/b/c/d/e/sub";
const IN_MODULES = "node_modules/m/sub";

class Folder implements Disposable {
  readonly base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-deep-")));
  readonly root = path.join(this.base, "w");
  readonly settled: SettledChange[] = [];

  constructor() {
    fs.mkdirSync(this.root);
    fs.mkdirSync(path.join(this.base, "state"));
    this.git(".", "init", "-q");
  }

  git(folder: string, ...words: string[]): string {
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.base, GIT_CONFIG_NOSYSTEM: "1" };
    const as = ["-c", "user.name=a", "-c", "user.email=a@x", "-C", path.join(this.root, folder)];
    return Bun.spawnSync(["git", ...as, ...words], { env })
      .stdout.toString()
      .trim();
  }

  /** As an agent would leave it: a commit of another branch names a repository that starts a program. */
  plant(place: string): void {
    fs.mkdirSync(path.join(this.root, place), { recursive: true });
    this.git(place, "init", "-q");
    this.git(place, "commit", "-q", "--allow-empty", "-m", "x");
    this.git(place, "config", "core.fsmonitor", `touch ${this.base}/ran; false`);
    const head = this.git(place, "rev-parse", "HEAD");
    this.git(".", "commit", "-q", "--allow-empty", "-m", "x");
    this.git(".", "checkout", "-q", "-b", "feature");
    this.git(".", "update-index", "--add", "--cacheinfo", `160000,${head},${place}`);
    this.git(".", "commit", "-qm", "f");
    this.git(".", "checkout", "-q", "-");
  }

  open(): Server {
    return new Server(this);
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

class Server implements Disposable {
  readonly protection: Protection;
  readonly places: SettledPlaces;

  constructor({ root, base, settled }: Folder) {
    const home = path.join(base, "home");
    this.protection = new Protection({ roots: [root], home, open: [], extra: [], enabled: true });
    this.places = new SettledPlaces({
      roots: [root],
      workdir: root,
      home,
      stateFolder: path.join(base, "state"),
      deep: this.protection.deep,
      hasLeftovers: async () => false,
      onSettled: (changes) => void settled.push(...changes),
    });
    this.places.recover();
  }

  looked(): boolean {
    return this.protection.deep.finish(60_000);
  }

  [Symbol.dispose](): void {
    this.places.close();
  }
}

for (const place of [DEEP, IN_MODULES])
  test(`a repository that a command leaves in ${place} starts nothing when a commit that names it is checked out`, () => {
    using folder = new Folder();
    using server = folder.open();
    expect(server.looked()).toBe(true);
    const end = server.places.begin({}, "foreground");
    folder.plant(place);
    end();
    expect(server.looked()).toBe(true);
    folder.git(".", "checkout", "-q", "feature");
    folder.git(".", "status");
    expect(fs.existsSync(path.join(folder.base, "ran"))).toBe(false);
    expect(folder.settled.map(({ shown, done }) => `${shown}: ${done}`)).toContain(`${place}/.git/config: put back`);
    expect(folder.git(place, "config", "core.repositoryformatversion")).toBe("0");
  });

test("what a command left is settled when the server ends before it has looked", () => {
  using folder = new Folder();
  {
    using server = folder.open();
    const end = server.places.begin({}, "foreground");
    folder.plant(DEEP);
    end();
  }
  expect(folder.git(DEEP, "config", "core.fsmonitor")).toBe("");
});

test("a person's repository further down is held once it is found, and keeps its hooks when that is late", () => {
  using folder = new Folder();
  fs.mkdirSync(path.join(folder.root, DEEP), { recursive: true });
  folder.git(DEEP, "init", "-q");
  const hook = path.join(folder.root, DEEP, ".git/hooks/pre-commit");
  fs.writeFileSync(hook, "#!/bin/sh\n", { mode: 0o755 });
  Bun.sleepSync(100); // older than any command, by more than a file system's clock may be behind
  using server = folder.open();
  server.places.begin({}, "foreground")(); // before anything was looked at
  expect(server.looked()).toBe(true);
  expect(folder.settled).toEqual([]);
  expect(fs.existsSync(hook)).toBe(true);
  expect(server.protection.places().map(({ path: file }) => file)).toContain(path.dirname(hook));
});

test("where there are more folders than are looked at, that is said", () => {
  using folder = new Folder();
  for (let n = 0; n < 30; n += 1) fs.mkdirSync(path.join(folder.root, `f${n}/in`), { recursive: true });
  const deep = new DeepFolders([folder.root], 20);
  deep.request();
  expect(deep.finish(60_000)).toBe(true);
  expect(deep.limited).toBe(true);
  expect(deep.folders).toEqual([folder.root]);
  deep.close();
});
