// Protected places through real folders: what a change is, what is put back, what is kept aside, and what is never
// touched. Commands are stood in for by whatever the test does between begin and end.
import { afterEach, expect, spyOn, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { SettledPlaces } from "../../src/index.ts";
import type { ProtectedPlace, SettledPlacesOptions, SettledChange } from "../../src/index.ts";

class Place implements Disposable {
  readonly base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-settle-")));
  readonly root = path.join(this.base, "w");
  readonly outside = path.join(this.base, "outside");
  readonly state = path.join(this.base, "state");
  readonly settled: SettledChange[] = [];
  readonly places: SettledPlaces;
  readonly session = {};
  leftovers = false;
  #calm = Promise.withResolvers<void>();

  constructor(files: Record<string, string | Uint8Array> = {}, options: Partial<SettledPlacesOptions> = {}) {
    for (const folder of [this.root, this.outside, this.state]) fs.mkdirSync(folder);
    fs.writeFileSync(path.join(this.outside, "secret"), "secret\n");
    for (const [name, content] of Object.entries(files)) this.write(name, content);
    this.places = this.server(options);
  }

  server(options: Partial<SettledPlacesOptions> = {}): SettledPlaces {
    return new SettledPlaces({
      roots: [this.root],
      workdir: this.root,
      home: path.join(this.base, "home"),
      stateFolder: this.state,
      hasLeftovers: async () => {
        setImmediate(() => this.#calm.resolve());
        return this.leftovers;
      },
      onSettled: (changes) => {
        this.settled.push(...changes);
        for (const change of changes) this.places.offer(change);
      },
      ...options,
    });
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  write(name: string, content: string | Uint8Array): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  read(name: string): string | undefined {
    return fs.existsSync(this.at(name)) ? fs.readFileSync(this.at(name), "utf8") : undefined;
  }

  /** A command that does that; gives what was done about it. */
  run(command: () => void): SettledChange[] {
    const end = this.places.begin(this.session, "foreground");
    command();
    end();
    return this.settled.splice(0);
  }

  /** When it has been seen that nothing is left of the last command. */
  async calm(): Promise<void> {
    this.#calm = Promise.withResolvers<void>();
    await this.#calm.promise;
  }

  [Symbol.dispose](): void {
    this.places.close();
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

const summary = (changes: readonly SettledChange[]): string[] =>
  changes.map(({ shown, done, level }) => `${level} ${shown}: ${done}`).sort();

const SETTLED: readonly string[] = [
  ".vscode/tasks.json",
  ".idea/workspace.xml",
  "x.code-workspace",
  ".devcontainer/devcontainer.json",
  ".devcontainer.json",
  ".mcp.json",
  ".claude/settings.json",
  ".cursor/mcp.json",
  ".codex/config.toml",
  ".agents/a.md",
  ".gemini/settings.json",
  ".envrc",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".gitmodules",
  ".husky/pre-commit",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  ".mise.toml",
  "mise.local.toml",
  ".cargo/config.toml",
  ".cargo/config",
  "opencode.json",
  ".aider.conf.yml",
  ".continue/config.yaml",
  ".vimrc",
  ".exrc",
  ".dir-locals.el",
];

test.each(SETTLED.map((name) => [name]))("%s: made, changed and deleted by a command, it is put back", async (name) => {
  using place = new Place();
  expect(summary(place.run(() => place.write(name, "evil\n")))).toEqual([`settle ${name}: put back`]);
  expect(fs.readdirSync(place.root)).toEqual([]);
  await place.calm();
  place.write(name, "mine\n");
  const [changed] = place.run(() => place.write(name, "evil\n"));
  expect([place.read(name), changed?.done]).toEqual(["mine\n", "put back"]);
  expect(fs.readFileSync(changed?.aside ?? "", "utf8")).toBe("evil\n");
  expect(changed?.aside).toMatch(new RegExp(`/aside/\\d{8}-\\d{6}-\\d+/${name.replace(/\./g, "\\.")}$`));
  expect(summary(place.run(() => fs.rmSync(place.at(name))))).toEqual([`settle ${name}: put back`]);
  expect(place.read(name)).toBe("mine\n");
});

test("what is not listed is nobody's business, and what is listed counts only at the top", () => {
  using place = new Place();
  expect(
    place.run(() => ["src/.envrc", "a/b/.vscode/tasks.json", "README.md"].map((name) => place.write(name, "x"))),
  ).toEqual([]);
});

test.each([
  ["package.json", '{"scripts":{"test":"a"}}', '{"scripts":{"test":"b"}}'],
  ["Makefile", "all:\n", "all: evil\n"],
  [".github/workflows/ci.yml", "a", "b"],
  ["CLAUDE.md", "a", "b"],
  [".venv/bin/activate", "a", "b"],
])("%s is noted, and stays as it was changed", (name, before, after) => {
  using place = new Place({ [name]: before });
  expect(summary(place.run(() => place.write(name, after)))).toEqual([`note ${name}: noted`]);
  expect(place.read(name)).toBe(after);
  expect(place.run(() => {})).toEqual([]);
});

test("of a package file only the scripts count", () => {
  using place = new Place({ "package.json": '{"scripts":{"test":"a"}}' });
  expect(place.run(() => place.write("package.json", '{"name":"x","scripts":{"test":"a"}}'))).toEqual([]);
});

test("of a git configuration only programs count, and what is put back is the whole file", async () => {
  using place = new Place({}, { settlesGit: true });
  const git = (...words: string[]): unknown => Bun.spawnSync(["git", ...words], { cwd: place.root });
  git("init", "-q", ".");
  git("config", "user.name", "a");
  git("remote", "add", "origin", "https://example.com/x");
  const before = place.read(".git/config");
  expect(summary(place.run(() => git("config", "core.pager", "less")))).toEqual(["settle .git/config: put back"]);
  expect(place.read(".git/config")).toBe(before);
  // What names no program may be set, and is put back with the rest from then on.
  expect(place.run(() => git("remote", "add", "other", "https://example.com/y"))).toEqual([]);
  const later = place.read(".git/config");
  const [change] = place.run(() => git("config", "core.pager", "less"));
  expect([later === before, place.read(".git/config")]).toEqual([false, later]);
  // A person's yes must not undo what was set meanwhile.
  git("remote", "add", "third", "https://example.com/z");
  expect(change && place.places.putIn(change)).toBe(false);
  expect(place.read(".git/config")).toContain("third");
});

test("a package file that the settings want settled is put back as a whole", () => {
  const whole = '{"name":"a","scripts":{"test":"a"},"dependencies":{"b":"1"}}';
  using place = new Place({ "package.json": whole }, { settle: ["package.json"] });
  place.run(() => place.write("package.json", '{"scripts":{"test":"evil"}}'));
  expect(place.read("package.json")).toBe(whole);
});

test("modes, binary content and links come back as they were", () => {
  using place = new Place({ ".husky/pre-commit": "#!/bin/sh\n", ".vscode/icon": Buffer.from([0, 255, 10, 0xe9]) });
  fs.chmodSync(place.at(".husky/pre-commit"), 0o750);
  fs.symlinkSync("../outside/secret", place.at(".envrc"));
  place.run(() => {
    fs.chmodSync(place.at(".husky/pre-commit"), 0o777);
    place.write(".vscode/icon", Buffer.from([1, 2, 3]));
    fs.rmSync(place.at(".envrc"));
    place.write(".envrc", "evil\n");
  });
  expect(fs.statSync(place.at(".husky/pre-commit")).mode & 0o7777).toBe(0o750);
  expect(fs.readFileSync(place.at(".vscode/icon"))).toEqual(Buffer.from([0, 255, 10, 0xe9]));
  expect(fs.readlinkSync(place.at(".envrc"))).toBe("../outside/secret");
  expect(fs.readFileSync(path.join(place.outside, "secret"), "utf8")).toBe("secret\n");
});

test("a folder that a person keeps as a link stays a link, and what it leads to is settled", () => {
  using place = new Place();
  fs.mkdirSync(place.at("shared"));
  fs.symlinkSync("shared", place.at(".vscode"));
  expect(summary(place.run(() => place.write("shared/tasks.json", "x")))).toEqual([
    "settle shared/tasks.json: put back",
  ]);
  expect(fs.readlinkSync(place.at(".vscode"))).toBe("shared");
});

test("a link planted at a place is moved aside: never followed, never read, never written through", () => {
  using place = new Place({ ".envrc": "mine\n" });
  const secret = path.join(place.outside, "secret");
  fs.chmodSync(secret, 0o644);
  const atime = fs.statSync(secret).atimeMs;
  const [first, second] = place.run(() => {
    fs.rmSync(place.at(".envrc"));
    fs.symlinkSync(secret, place.at(".envrc"));
    fs.symlinkSync(place.outside, place.at(".vscode"));
  });
  for (const one of [first, second]) expect(fs.lstatSync(one?.aside ?? "").isSymbolicLink()).toBe(true);
  expect(place.read(".envrc")).toBe("mine\n");
  expect(fs.existsSync(place.at(".vscode"))).toBe(false);
  const after = fs.statSync(secret);
  expect([after.atimeMs, after.mode & 0o777, fs.readFileSync(secret, "utf8")]).toEqual([atime, 0o644, "secret\n"]);
});

test("a link planted in a tree that is moved aside keeps its target's mode", () => {
  using place = new Place();
  const secret = path.join(place.outside, "secret");
  fs.chmodSync(secret, 0o755);
  place.run(() => {
    for (let n = 0; n < 30; n += 1) place.write(`.vscode/f${n}`, "x");
    fs.symlinkSync(secret, place.at(".vscode/link"));
  });
  expect(fs.existsSync(place.at(".vscode"))).toBe(false);
  expect(fs.statSync(secret).mode & 0o777).toBe(0o755);
});

test("ten thousand new entries are one change, moved aside as a whole", () => {
  using place = new Place({ ".vscode/settings.json": "{}\n" });
  const settled = place.run(() => {
    for (let n = 0; n < 10_000; n += 1) place.write(`.vscode/f${n}`, "");
    place.write(".vscode/settings.json", "evil\n");
  });
  expect(summary(settled)).toEqual(["settle .vscode: put back"]);
  expect(fs.readdirSync(place.at(".vscode"))).toEqual(["settings.json"]);
  expect(place.read(".vscode/settings.json")).toBe("{}\n");
  expect(fs.readdirSync(settled[0]?.aside ?? "")).toHaveLength(10_001);
});

test("of a tree that was too large from the start what was seen is settled, and nothing is lost", () => {
  using place = new Place();
  for (let n = 0; n < 2000; n += 1) place.write(`.idea/f${String(n).padStart(4, "0")}`, "x");
  const settled = place.run(() => {
    place.write(".idea/f0001", "evil");
    place.write(".idea/f1999", "changed");
  });
  expect(summary(settled)).toEqual(["settle .idea/f0001: put back"]);
  expect([place.read(".idea/f0001"), place.read(".idea/f1999")]).toEqual(["x", "changed"]);
  expect(fs.readdirSync(place.at(".idea"))).toHaveLength(2000);
});

test("in a tree that was too large from the start, what is new beside what was seen goes, however much of it", () => {
  using place = new Place();
  for (let n = 0; n < 800; n += 1) place.write(`.idea/f${String(n).padStart(4, "0")}`, "x");
  expect(summary(place.run(() => place.write(".idea/zzz", "evil")))).toEqual(["settle .idea/zzz: put back"]);
  for (let n = 0; n < 2; n += 1)
    place.run(() => {
      for (let m = 0; m < 700; m += 1) place.write(`.idea/new-${m}`, "evil");
    });
  expect(fs.readdirSync(place.at(".idea"))).toHaveLength(800);
});

test("what a person's own links lead to is settled, and every link on the way", async () => {
  using place = new Place({ "conf/real/envrc": "mine\n", "editor/tasks.json": "{}\n", "src/a": "a" });
  fs.symlinkSync("real", place.at("conf/current"));
  fs.symlinkSync("conf/current/envrc", place.at(".envrc"));
  fs.symlinkSync("editor", place.at(".vscode"));
  fs.symlinkSync(".", place.at(".claude"));
  const settled = place.run(() => {
    place.write("conf/real/envrc", "evil\n");
    place.write("editor/new.json", "evil\n");
    place.write("src/a", "b");
  });
  expect(summary(settled)).toEqual(["settle conf/real/envrc: put back", "settle editor/new.json: put back"]);
  expect([place.read(".envrc"), place.read("src/a")]).toEqual(["mine\n", "b"]);
  await place.calm();
  const led = place.run(() => {
    place.write("other/envrc", "evil\n");
    fs.rmSync(place.at("conf/current"));
    fs.symlinkSync("../other", place.at("conf/current"));
  });
  expect([place.read(".envrc"), led.map(({ done }) => done)]).toEqual(["mine\n", ["put back"]]);
});

test("a file under another name is the place that it also is", () => {
  using place = new Place({ ".envrc": "mine\n", ".vscode/tasks.json": "{}\n", other: "x" });
  place.run(() => {
    fs.linkSync(place.at(".envrc"), place.at("x"));
    fs.linkSync(place.at(".vscode/tasks.json"), place.at("y"));
    fs.linkSync(place.at("other"), place.at("z"));
  });
  const same = (name: string): string | undefined => place.places.placeOfSameFile(place.at(name));
  expect([same("x"), same("y"), same("z"), same("missing")]).toEqual([
    place.at(".envrc"),
    place.at(".vscode/tasks.json"),
    undefined,
    undefined,
  ]);
});

test("a held file with a second name from before: no mount is on that name, so it is compared and put back", () => {
  const held: ProtectedPlace[] = [];
  using place = new Place({ ".git/config": "[core]\n", ".git/hooks/pre-commit": "mine\n" }, { held: () => held });
  const usual = { absent: "nothing", isPutBack: true } as const;
  held.push(
    { ...usual, path: place.at(".git/config"), use: "obeyed by git", isFolder: false },
    { ...usual, path: place.at(".git/hooks"), use: "run by git", isFolder: true },
  );
  fs.linkSync(place.at(".git/config"), place.at("other"));
  fs.linkSync(place.at(".git/hooks/pre-commit"), place.at("script"));
  const settled = place.run(() => {
    place.write("other", "[core]\n\tfsmonitor = evil\n");
    place.write("script", "evil\n");
    fs.rmSync(place.at("other"));
  });
  expect(settled.map(({ shown, done }) => [shown, done])).toEqual([
    [".git/config", "put back"],
    [".git/hooks/pre-commit", "put back"],
  ]);
  expect([place.read(".git/config"), place.read(".git/hooks/pre-commit")]).toEqual(["[core]\n", "mine\n"]);
});

test("a file that became a folder, and a folder that became a file, are what they were", () => {
  using place = new Place({ ".envrc": "mine\n", ".vscode/tasks.json": "{}\n" });
  place.run(() => {
    fs.rmSync(place.at(".envrc"));
    place.write(".envrc/x", "evil\n");
    fs.rmSync(place.at(".vscode"), { recursive: true });
    place.write(".vscode", "evil\n");
  });
  expect([place.read(".envrc"), place.read(".vscode/tasks.json")]).toEqual(["mine\n", "{}\n"]);
});

test("names are bytes", () => {
  using place = new Place();
  const name = Buffer.concat([Buffer.from(`${place.at(".vscode")}/caf`), Buffer.from([0xe9])]);
  fs.mkdirSync(place.at(".vscode"));
  fs.writeFileSync(name, "mine\n");
  const settled = place.run(() => fs.writeFileSync(name, "evil\n"));
  expect(settled.map(({ done }) => done)).toEqual(["put back"]);
  expect(fs.readFileSync(name, "utf8")).toBe("mine\n");
});

test("two commands that overlap: what counts is what stood there before the first", () => {
  using place = new Place({ ".envrc": "mine\n" });
  const first = place.places.begin({}, "foreground");
  place.write(".envrc", "evil\n");
  const second = place.places.begin({}, "foreground");
  second();
  expect(place.read(".envrc")).toBe("mine\n");
  place.write(".envrc", "evil again\n");
  first();
  expect(place.read(".envrc")).toBe("mine\n");
});

test("while something a command left behind still runs, nothing new counts", async () => {
  using place = new Place({ ".envrc": "mine\n" });
  place.leftovers = true;
  place.run(() => {});
  place.write(".envrc", "evil\n");
  expect(summary(place.run(() => {}))).toEqual(["settle .envrc: put back"]);
  expect(place.read(".envrc")).toBe("mine\n");
});

test("a person's own change between commands counts", async () => {
  using place = new Place({ ".envrc": "mine\n" });
  place.run(() => {});
  await place.calm();
  place.write(".envrc", "mine, newer\n");
  expect(place.run(() => {})).toEqual([]);
  expect(place.read(".envrc")).toBe("mine, newer\n");
});

test("a task is settled while it runs", async () => {
  using place = new Place({ ".envrc": "mine\n" });
  const end = place.places.begin(place.session, "background");
  place.write(".envrc", "evil\n");
  for (let n = 0; n < 400 && place.read(".envrc") !== "mine\n"; n += 1) await Bun.sleep(25);
  expect(place.read(".envrc")).toBe("mine\n");
  end();
});

test("the folder above renamed, and another in its place: what a person opens there is as it was", () => {
  using place = new Place({ "sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.vscode/tasks.json": "{}\n" });
  place.run(() => {
    fs.renameSync(place.at("sub"), place.at("moved"));
    place.write("sub/.vscode/tasks.json", "evil\n");
  });
  expect(place.read("sub/.vscode/tasks.json")).toBe("{}\n");
});

test("the folder above replaced by a link: the link goes", () => {
  using place = new Place({ "sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.vscode/tasks.json": "{}\n" });
  const settled = place.run(() => {
    fs.renameSync(place.at("sub"), place.at("moved"));
    place.write("evil/.vscode/tasks.json", "evil\n");
    fs.symlinkSync("evil", place.at("sub"));
  });
  expect(summary(settled)).toContain("settle sub: put back");
  expect(fs.existsSync(place.at("sub"))).toBe(false);
});

test("a repository that is removed as a whole is gone, and what comes in its place is judged again", () => {
  using place = new Place({ "sub/.git/HEAD": "ref: refs/heads/main\n", "sub/.vscode/tasks.json": "{}\n" });
  expect(place.run(() => fs.rmSync(place.at("sub"), { recursive: true }))).toEqual([]);
  expect(summary(place.run(() => place.write("sub/.vscode/tasks.json", "evil\n")))).toEqual([
    "settle sub/.vscode/tasks.json: put back",
  ]);
});

test("what a person takes out is not touched; what the settings add is", () => {
  using place = new Place(
    {},
    { open: [".vscode/**", "/**/.envrc"], settle: ["tools/run.sh", "conf/**"], note: ["*.tf"] },
  );
  const settled = place.run(() => {
    for (const name of [".vscode/tasks.json", ".envrc", "tools/run.sh", "conf/a/b", "main.tf"]) place.write(name, "x");
  });
  expect(summary(settled)).toEqual([
    "note main.tf: noted",
    "settle conf/a/b: put back",
    "settle tools/run.sh: put back",
  ]);
  expect(place.read(".vscode/tasks.json")).toBe("x");
});

test("without the default list only what the settings add counts", () => {
  using place = new Place({}, { enabled: false, settle: ["run.sh"] });
  expect(summary(place.run(() => [".envrc", "run.sh", "Makefile"].map((name) => place.write(name, "x"))))).toEqual([
    "settle run.sh: put back",
  ]);
});

test("start-up files of a home that is allowed: absent ones are settled, through a link on the way as well", () => {
  using place = new Place({}, {});
  const places = place.server({ home: place.root });
  const end = places.begin({}, "foreground");
  place.write(".bashrc", "evil\n");
  fs.symlinkSync(place.outside, place.at(".cargo"));
  end();
  places.close();
  expect(summary(place.settled)).toEqual(["settle .bashrc: put back", "settle .cargo: put back"]);
  expect(fs.readdirSync(place.root)).toEqual([]);
});

test("a changed version can be put in again, and counts from then on", () => {
  using place = new Place({ ".envrc": "mine\n" });
  const [change] = place.run(() => place.write(".envrc", "theirs\n"));
  if (change === undefined) throw new Error("nothing changed");
  expect(place.places.contentOf(change.after)?.toString()).toBe("theirs\n");
  expect(place.places.putIn(change)).toBe(true);
  expect(place.read(".envrc")).toBe("theirs\n");
  expect(fs.existsSync(change.aside ?? "")).toBe(false);
  expect(place.run(() => {})).toEqual([]);
});

test("what a tool was let write counts, and nothing that a command changed beside it", () => {
  using place = new Place({ ".vscode/tasks.json": "mine\n" });
  const digest = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");
  place.run(() => {
    for (const name of [".envrc", ".vscode/tasks.json", ".vscode/launch.json"]) place.write(name, "evil\n");
    place.write("Makefile", "noted\n");
    place.places.accept(place.at("Makefile"));
    place.write(".vscode/settings.json", "agreed\n");
    place.places.accept(place.at(".vscode/settings.json"), digest("agreed\n"));
    place.write(".mcp.json", "evil, in time\n");
    place.places.accept(place.at(".mcp.json"), digest("agreed\n"));
  });
  expect(fs.readdirSync(place.root).sort()).toEqual([".vscode", "Makefile"]);
  expect(fs.readdirSync(place.at(".vscode")).sort()).toEqual(["settings.json", "tasks.json"]);
  expect(place.read(".vscode/tasks.json")).toBe("mine\n");
});

test("a yes to one change lets no other one in", () => {
  using place = new Place({ ".envrc": "mine\n" });
  const end = place.places.begin({}, "foreground");
  const [change] = place.run(() => place.write(".envrc", "theirs\n"));
  if (change === undefined) throw new Error("nothing changed");
  place.write(".mcp.json", "evil\n");
  expect(place.places.putIn(change)).toBe(true);
  end();
  expect([place.read(".envrc"), place.read(".mcp.json")]).toEqual(["theirs\n", undefined]);
});

test("who writes without pause loses in the end", async () => {
  using place = new Place({ ".envrc": "mine\n" });
  place.leftovers = true;
  place.run(() => {});
  const writer = Bun.spawn(["bash", "-c", `while :; do echo evil > ${place.at(".envrc")}; done`]);
  for (let n = 0; n < 20; n += 1) {
    place.run(() => {});
    await Bun.sleep(1);
  }
  writer.kill("SIGKILL");
  await writer.exited;
  place.run(() => {});
  expect(place.read(".envrc")).toBe("mine\n");
});

test("a changed version is not put in over something else", () => {
  using place = new Place({ ".envrc": "mine\n" });
  const [change] = place.run(() => place.write(".envrc", "theirs\n"));
  if (change === undefined) throw new Error("nothing changed");
  place.write(".envrc", "mine, newer\n");
  expect(place.places.putIn(change)).toBe(false);
  expect(place.read(".envrc")).toBe("mine, newer\n");
});

test("versions aside are private, and the oldest go", () => {
  using place = new Place();
  const mask = process.umask(0);
  try {
    const [change] = place.run(() => {
      place.write(".vscode/run.sh", "evil\n");
      fs.chmodSync(place.at(".vscode/run.sh"), 0o777);
    });
    expect(fs.statSync(change?.aside ?? "").mode & 0o777).toBe(0o600);
    for (let at = path.dirname(change?.aside ?? ""); at !== place.state; at = path.dirname(at))
      expect([at, fs.statSync(at).mode & 0o777]).toEqual([at, 0o700]);
  } finally {
    process.umask(mask);
  }
  const aside = path.join(place.state, "aside");
  for (let n = 0; n < 3; n += 1) place.run(() => place.write(".vscode/big", Buffer.alloc(45 * 1024 * 1024, n)));
  const slots = fs.readdirSync(aside);
  expect(slots).toHaveLength(2);
});

const memory = "/dev/shm";
const isOther = fs.existsSync(memory) && fs.statSync(memory).dev !== fs.statSync(os.tmpdir()).dev;

test.skipIf(!isOther)(
  "a state folder on another device: versions are copied there; what is too large lies beside",
  () => {
    const stateFolder = fs.mkdtempSync(path.join(memory, "bosun-settle-"));
    try {
      using place = new Place({ ".envrc": "mine\n" }, { stateFolder });
      const settled = place
        .run(() => {
          place.write(".envrc", "evil\n");
          for (let n = 0; n < 30; n += 1) place.write(`.idea/f${n}`, "x");
          fs.symlinkSync(place.outside, place.at(".idea/link"));
          fs.mkdirSync(place.at(".vscode"));
          fs.closeSync(fs.openSync(place.at(".vscode/large"), "w"));
          fs.truncateSync(place.at(".vscode/large"), 200 * 1024 * 1024);
        })
        .sort((one, other) => one.shown.localeCompare(other.shown));
      const [file, tree, large] = settled;
      expect(fs.readFileSync(file?.aside ?? "", "utf8")).toBe("evil\n");
      expect(fs.readdirSync(tree?.aside ?? "")).toHaveLength(31);
      expect(fs.lstatSync(path.join(tree?.aside ?? "", "link")).isSymbolicLink()).toBe(true);
      expect(settled).toHaveLength(3);
      expect(large?.aside).toMatch(/\/w\/\.bosun-aside-[0-9a-f]+$/);
      expect(fs.existsSync(large?.aside ?? "")).toBe(true);
      expect(fs.existsSync(place.at(".vscode/large"))).toBe(false);
      expect([place.read(".envrc"), fs.existsSync(place.at(".idea"))]).toEqual(["mine\n", false]);
      expect(fs.readFileSync(path.join(place.outside, "secret"), "utf8")).toBe("secret\n");
    } finally {
      fs.rmSync(stateFolder, { recursive: true, force: true });
    }
  },
);

/** A process with a server of its own, `places`; what it prints is a line each. */
function serverProcess(place: Place, body: string, shell = 'exec "$@"'): Bun.Subprocess<"ignore", "pipe", "inherit"> {
  const script = `
    import { SettledPlaces } from ${JSON.stringify(path.resolve(import.meta.dir, "../../src/index.ts"))};
    import fs from "node:fs";
    const [root, stateFolder] = process.argv.slice(-2);
    const first = Promise.withResolvers();
    const options = { roots: [root], workdir: root, home: "/nowhere", stateFolder, hasLeftovers: async () => false };
    const places = new SettledPlaces({
      ...options,
      onSettled(changes, sessions, isShared) {
        for (const { shown, done } of changes) console.log(shown, done + (isShared ? ", shared" : ""));
        first.resolve();
      },
      onFailed(error) { console.log("failed", error.code); },
    });
    ${body}
  `;
  const file = path.join(place.base, "server.ts");
  fs.writeFileSync(file, script);
  return Bun.spawn(["sh", "-c", shell, "sh", process.execPath, file, place.root, place.state], { stderr: "inherit" });
}

async function killedServer(place: Place): Promise<void> {
  const body = `
    places.begin({}, "foreground");
    const names = fs.existsSync(root + "/.idea") ? fs.readdirSync(root + "/.idea") : [];
    for (const name of [".envrc", ".mcp.json", ...names.map((one) => ".idea/" + one)])
      fs.writeFileSync(root + "/" + name, "evil\\n");
    process.kill(process.pid, "SIGKILL");
  `;
  await serverProcess(place, body).exited;
}

test("a server that was killed while a command ran: the next one in that folder settles what was left", async () => {
  using place = new Place({ ".envrc": "mine\n", ".vscode/tasks.json": "{}\n" });
  await killedServer(place);
  expect(place.read(".envrc")).toBe("evil\n");
  place.places.recover();
  expect(summary(place.settled)).toEqual(["settle .envrc: put back", "settle .mcp.json: put back"]);
  expect([place.read(".envrc"), place.read(".mcp.json"), place.read(".vscode/tasks.json")]).toEqual([
    "mine\n",
    undefined,
    "{}\n",
  ]);
  expect(fs.readdirSync(path.join(place.state, "settle"))).toEqual([]);
});

test("four servers that start at once after a kill: everything is back, and each change is told once", async () => {
  const names = Array.from({ length: 300 }, (_, n) => `.idea/f${n}`);
  using place = new Place(Object.fromEntries(names.map((name) => [name, `mine ${name}`])));
  await killedServer(place);
  expect(place.read(".idea/f7")).toBe("evil\n");
  const servers = Array.from({ length: 4 }, () => serverProcess(place, "places.recover();"));
  const said = await Promise.all(servers.map(({ stdout }) => new Response(stdout).text()));
  expect(names.filter((name) => place.read(name) !== `mine ${name}`)).toEqual([]);
  expect(said.join("").trimEnd().split("\n").sort()).toEqual(
    [...names, ".envrc", ".mcp.json"].map((name) => `${name} put back`).sort(),
  );
  expect(fs.readdirSync(path.join(place.state, "settle"))).toEqual([]);
}, 30_000);

test("a journal that lost its copies, or is nonsense, does not prevent the start", async () => {
  const failures: unknown[] = [];
  using place = new Place(
    { ".envrc": "mine\n", Makefile: "all:\n", "package.json": "{}", "AGENTS.md": "a" },
    { onFailed: (error) => failures.push(error) },
  );
  await killedServer(place);
  const all = path.join(place.state, "settle");
  const [name = ""] = fs.readdirSync(all);
  const owner = { pid: 1, startedAt: "never", realm: "none" };
  const nonsense = { owner, roots: [5], tops: [], git: [], gitFolders: [] };
  fs.mkdirSync(path.join(all, "0-nonsense"));
  fs.writeFileSync(path.join(all, "0-nonsense", "journal"), `open\n${JSON.stringify(nonsense)}`);
  fs.rmSync(path.join(all, name, "copies"), { recursive: true });
  place.places.recover();
  // And what is only noted is not in a journal: nothing is known of whether it changed.
  expect(summary(place.settled)).toEqual(["settle .envrc: stays", "settle .mcp.json: put back"]);
  expect(failures).toHaveLength(1);
});

test("out of descriptors: it is said, nothing is lost, and what could not be looked at is settled later", async () => {
  using place = new Place({ ".envrc": "mine\n", ".vscode/tasks.json": "{}\n" });
  const body = `
    const fds = [];
    const exhaust = () => { try { for (;;) fds.push(fs.openSync("/dev/null")); } catch {} };
    const free = () => { for (const fd of fds.splice(0)) fs.closeSync(fd); };
    exhaust();
    try { places.begin({}, "foreground"); } catch (error) { console.log("refused", error.code); }
    free();
    const end = places.begin({}, "foreground");
    fs.writeFileSync(root + "/.envrc", "evil");
    exhaust();
    end();
    free();
    await first.promise;
    places.begin({}, "foreground")();
    places.close();
  `;
  const said = await new Response(serverProcess(place, body, 'ulimit -n 256; exec "$@"').stdout).text();
  expect(said).toBe("refused IO_ERROR\nfailed EMFILE\n.envrc put back\n");
  expect([place.read(".envrc"), place.read(".vscode/tasks.json")]).toEqual(["mine\n", "{}\n"]);
});

test("hundreds of changed files: versions aside are counted once, and the disk is not waited for each time", () => {
  const names = Array.from({ length: 400 }, (_, n) => `.idea/f${n}`);
  using place = new Place(Object.fromEntries(names.map((name) => [name, "mine\n"])));
  const evil = (): void => names.forEach((name) => place.write(name, "evil\n"));
  place.run(evil);
  const [lists, syncs] = [spyOn(fs, "readdirSync"), spyOn(fs, "fsyncSync")];
  try {
    expect(place.run(evil)).toHaveLength(400);
    const aside = path.join(place.state, "aside");
    expect(lists.mock.calls.filter(([folder]) => folder === aside)).toHaveLength(1);
    expect(syncs.mock.calls.length).toBeLessThan(100);
  } finally {
    lists.mockRestore();
    syncs.mockRestore();
  }
  expect(names.filter((name) => place.read(name) !== "mine\n")).toEqual([]);
});

test("a change while another server's command runs in the same folder is said to be perhaps its own", async () => {
  using place = new Place({ ".envrc": "mine\n" });
  const end = place.places.begin({}, "foreground");
  const body =
    'const end = places.begin({}, "foreground"); fs.writeFileSync(root + "/.envrc", "evil"); end(); places.close();';
  expect(await new Response(serverProcess(place, body).stdout).text()).toBe(".envrc put back, shared\n");
  end();
});

test.each<[string, string | undefined, string]>([
  ["changed", "mine\n", "evil\n"],
  ["made", undefined, "evil\n"],
])(
  "two servers: what the other's command has just %s does not count as having been there",
  async (_, before, after) => {
    using place = new Place(before === undefined ? {} : { ".envrc": before });
    const end = place.places.begin({}, "foreground");
    place.write(".envrc", after);
    const [begun, go] = [path.join(place.base, "begun"), path.join(place.base, "go")];
    const other = serverProcess(
      place,
      `const end = places.begin({}, "foreground"); fs.writeFileSync(${JSON.stringify(begun)}, "");
     while (!fs.existsSync(${JSON.stringify(go)})) Bun.sleepSync(5);
     end(); places.close();`,
    );
    while (!fs.existsSync(begun)) await Bun.sleep(5);
    end();
    expect(place.read(".envrc")).toBe(before);
    fs.writeFileSync(go, "");
    await other.exited;
    expect(place.read(".envrc")).toBe(before);
  },
);

test("two servers with other rules: what only one of them knows of is left alone", async () => {
  using place = new Place({ "mine/a": "a", ".envrc": "mine\n" });
  const end = place.places.begin({}, "foreground");
  const other = serverProcess(
    place,
    `const second = new SettledPlaces({ ...options, settle: ["mine"], onSettled: () => console.log("settled") });
     const end = second.begin({}, "foreground"); end(); second.close();`,
  );
  expect(await new Response(other.stdout).text()).toBe("");
  end();
  expect(place.read("mine/a")).toBe("a");
});

test("the journal of a server that runs is left alone", () => {
  using place = new Place({ ".envrc": "mine\n" });
  const end = place.places.begin({}, "foreground");
  place.write(".envrc", "evil\n");
  place.server().recover();
  expect(place.settled).toEqual([]);
  end();
  expect(place.read(".envrc")).toBe("mine\n");
});

afterEach(() => {
  process.umask(0o022);
});
