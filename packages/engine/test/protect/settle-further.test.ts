// Places that are settled or compared in special ways: while a long command runs, by what of a file counts, by a second name.
import { expect, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Protection, SettledPlaces } from "../../src/index.ts";
import type { SettledChange } from "../../src/index.ts";

class Folder implements Disposable {
  readonly base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-settle-")));
  readonly root = path.join(this.base, "w");
  readonly settled: SettledChange[] = [];
  #places: SettledPlaces | undefined;

  constructor() {
    fs.mkdirSync(this.root);
    fs.mkdirSync(path.join(this.base, "state"));
  }

  /** With the folder itself as the home. */
  get places(): SettledPlaces {
    const { root, base, settled } = this;
    const protection = new Protection({ roots: [root], home: root, open: [], extra: [], enabled: true });
    this.#places ??= new SettledPlaces({
      roots: [root],
      workdir: root,
      home: root,
      stateFolder: path.join(base, "state"),
      held: () => protection.places(),
      hasLeftovers: async () => false,
      onSettled: (changes) => void settled.push(...changes),
    });
    return this.#places;
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  run(command: () => void): string[] {
    const end = this.places.begin({}, "foreground");
    command();
    end();
    return this.settled.splice(0).map(({ shown, done }) => `${shown}: ${done}`);
  }

  [Symbol.dispose](): void {
    this.#places?.close();
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

test("what a long foreground command writes is put back while it runs", async () => {
  using folder = new Folder();
  const end = folder.places.begin({}, "foreground");
  folder.write(".envrc", "evil\n");
  while (fs.existsSync(folder.at(".envrc"))) await Bun.sleep(50); // the test's own patience ends this
  expect(folder.settled.map(({ shown, done }) => `${shown}: ${done}`)).toEqual([".envrc: put back"]);
  end();
});

test("a start-up file of the home folder that is changed through a hard link is put back", () => {
  using folder = new Folder();
  folder.write(".bashrc", "mine\n");
  fs.linkSync(folder.at(".bashrc"), folder.at("dotfiles"));
  expect(folder.run(() => folder.write("dotfiles", "evil\n"))).toEqual([".bashrc: put back"]);
  expect(fs.readFileSync(folder.at(".bashrc"), "utf8")).toBe("mine\n");
});

test.each([
  [".tool-versions", "nodejs 24.1.0\n", "nodejs 26.0.0 24.1.0 # newer\npython 3.15\n", "nodejs path:/w/evil\n"],
  [
    "rust-toolchain.toml",
    '[toolchain]\nchannel = "1.90"\n',
    '[toolchain]\nchannel = "1.95"\ncomponents = [\n  "clippy",\n  "rustfmt",\n]\nprofile = "minimal"\n',
    '[toolchain]\n"path" = "evil"\n',
  ],
  ["rust-toolchain", "stable\n", "nightly-2026-01-01\n", '[toolchain]\npath = "evil"\n'],
])("%s may name another version, not a folder", (name, before, harmless, evil) => {
  using folder = new Folder();
  folder.write(name, before);
  expect(folder.run(() => folder.write(name, harmless))).toEqual([]);
  expect(folder.run(() => folder.write(name, evil))).toEqual([`${name}: put back`]);
  expect(fs.readFileSync(folder.at(name), "utf8")).toBe(harmless);
});

test("where Mercurial is led to another repository is settled, and a new folder of user services", () => {
  using folder = new Folder();
  fs.mkdirSync(folder.at(".hg"));
  expect(folder.run(() => folder.write(".hg/sharedpath", "../evil/.hg"))).toEqual([".hg/sharedpath: put back"]);
  fs.mkdirSync(folder.at(".config"));
  expect(folder.run(() => folder.write(".config/environment.d/x.conf", "LD_PRELOAD=evil"))).toEqual([
    ".config/environment.d/x.conf: put back",
  ]);
});
