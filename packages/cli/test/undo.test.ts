// bosun undo, redo and changes as a person types them: the five examples of docs/undo.md, and the refusals.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { LocalKeeper, UndoStore } from "@bosun/undo";
import { Recorder } from "@bosun/undo/recorder";
import { helpText } from "@bosun/platform/flags";
import { PROGRAM as CHANGES } from "../src/changes-command.ts";
import { PROGRAM as REDO } from "../src/redo-command.ts";
import { PROGRAM as UNDO } from "../src/undo-command.ts";
import { Place, ROOT } from "./harness/bosun.ts";

/** A place whose folder is recorded, as a server does it. */
class RecordedPlace extends Place {
  readonly store: UndoStore;
  readonly #keeper: LocalKeeper;
  #calls = 0;

  constructor(files: Readonly<Record<string, string>>) {
    super();
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    this.store = new UndoStore({ stateFolder: path.join(this.home, ".local/state/bosun"), tree: this.work });
    this.#keeper = new LocalKeeper(this.store);
    this.#keeper.freshen();
  }

  write(name: string, text: string): void {
    fs.mkdirSync(path.dirname(path.join(this.work, name)), { recursive: true });
    fs.writeFileSync(path.join(this.work, name), text);
  }

  read(name: string): string {
    return fs.readFileSync(path.join(this.work, name), "utf8");
  }

  async agent(command: string, session = "3f9a12cd"): Promise<void> {
    const scan = async (): Promise<void> => {
      this.#keeper.scan();
    };
    const recorder = new Recorder(this.store, { ready: async () => true, scan });
    this.#calls += 1;
    const call = { session, call: `c${this.#calls}`, tool: "bosun.bash", label: command };
    const window = await recorder.openWindow(call, "command");
    await Bun.spawn(["bash", "-c", command], { cwd: this.work, env: this.env }).exited;
    await window.close();
  }

  override [Symbol.dispose](): void {
    this.store.close();
    super[Symbol.dispose]();
  }
}

const FILES = { "src/a.ts": "a\n", "src/b.ts": "b\n" };
const withTime = (text: string): string => text.replace(/\d\d:\d\d:\d\d/g, "10:42:07");

test("example 1: an agent removed a folder", async () => {
  using place = new RecordedPlace(FILES);
  await place.agent("rm -rf src");
  expect(withTime((await place.run(["undo", "--list"])).out)).toBe(
    "STEP  WHEN      SESSION   BY                FILES        MARK\n   1  10:42:07  3f9a12cd  bash: rm -rf src  -3\n",
  );
  expect(await place.run(["undo", "--yes"])).toEqual({
    code: 0,
    out: "make src/ (folder)\nrestore src/a.ts (+1 -0)\nrestore src/b.ts (+1 -0)\n3 restored, 0 removed.\n",
    err: "",
  });
  expect(place.read("src/b.ts")).toBe("b\n");
});

test("example 2: look first", async () => {
  using place = new RecordedPlace(FILES);
  await place.agent("echo A > src/a.ts; echo new > src/new.ts");
  const stat = "~ src/a.ts (+1 -1)\n+ src/new.ts (+1 -0)\n2 paths changed.\n";
  expect((await place.run(["changes", "--stat"])).out).toBe(stat);
  const diff = await place.run(["changes"]);
  expect(diff.out).toStartWith(
    "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+A\n",
  );
  expect(await place.run(["undo", "--dry-run"])).toEqual({
    code: 0,
    out: "restore src/a.ts (+1 -1)\nremove src/new.ts (made by this step)\n1 to restore, 1 to remove. Nothing was changed.\n",
    err: "",
  });
  expect(place.read("src/a.ts")).toBe("A\n");
  expect((await place.run(["undo", "--show", "1"])).out).toContain("+new");
});

test("example 3: back to before a step or a time, and forth", async () => {
  using place = new RecordedPlace(FILES);
  for (const n of [1, 2, 3]) await place.agent(`echo ${n} > src/a.ts`);
  expect((await place.run(["undo", "--to", "2", "--yes"])).code).toBe(0);
  expect(place.read("src/a.ts")).toBe("1\n");
  expect((await place.run(["undo", "--since", "30m", "--path", "src", "--yes"])).code).toBe(0);
  expect(place.read("src/a.ts")).toBe("a\n");
  expect((await place.run(["redo", "--yes"])).code).toBe(0);
  expect(place.read("src/a.ts")).toBe("1\n");
});

test("example 4: a person has edited the same file", async () => {
  using place = new RecordedPlace(FILES);
  await place.agent("echo A > src/a.ts; echo B > src/b.ts");
  place.write("src/a.ts", "mine\n");
  const refused = await place.run(["undo", "--yes"]);
  expect({ ...refused, out: withTime(refused.out) }).toEqual({
    code: 3,
    out:
      "CONFLICT src/a.ts (changed since by nobody's call, 10:42:07)\nrestore src/b.ts (+1 -1)\n" +
      "1 to restore, 0 to remove, 1 conflict. Nothing was changed.\n",
    err:
      "bosun undo: 1 of 2 files was changed since; nothing was changed. --path takes back the others, " +
      "--force all (redo brings this state back)\n",
  });
  expect((await place.run(["undo", "--path", "src/b.ts", "--yes"])).out).toBe(
    "restore src/b.ts (+1 -1)\n1 restored, 0 removed.\n",
  );
  expect([place.read("src/a.ts"), place.read("src/b.ts")]).toEqual(["mine\n", "b\n"]);
});

test("example 5: one session, and JSON for programs", async () => {
  using place = new RecordedPlace(FILES);
  await place.agent("echo A > src/a.ts", "alice");
  await place.agent("echo B > src/b.ts", "bob");
  expect((await place.run(["undo", "--session", "alice", "--yes"])).code).toBe(0);
  expect([place.read("src/a.ts"), place.read("src/b.ts")]).toEqual(["a\n", "B\n"]);
  const list = (await place.run(["undo", "--list", "--json"])).out.trim().split("\n");
  const steps = list.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(steps.map(({ v, step, kind, state }) => ({ v, step, kind, state }))).toEqual([
    { v: 1, step: 3, kind: "undo", state: "done" },
    { v: 1, step: 2, kind: "call", state: "done" },
    { v: 1, step: 1, kind: "call", state: "undone" },
  ]);
  expect(Object.keys(steps[2] ?? {})).toEqual(
    "v tree step t session calls tool label kind certainty state partial undoes changes notCovered".split(" "),
  );
});

test("where nothing is recorded, and where nobody can be asked", async () => {
  using bare = new Place();
  expect(await bare.run(["undo"])).toMatchObject({
    code: 1,
    err: `bosun undo: nothing is recorded for ${bare.work}\n`,
  });
  using place = new RecordedPlace(FILES);
  await place.agent("rm src/a.ts");
  const { code, out, err } = await place.run(["undo"]);
  expect({ code, err }).toEqual({ code: 3, err: "bosun undo: needs --yes where nobody can be asked\n" });
  expect(out).toEndWith("1 to restore, 0 to remove. Nothing was changed.\n");
  expect((await place.run(["undo", "--to", "many"])).code).toBe(2);
  expect(await place.run(["undo", "--to", "9"])).toMatchObject({
    code: 3,
    err: `bosun undo: no step 9 in ${place.work}; the newest is 1\n`,
  });
  expect((await place.run(["changes", "--path", "/etc"])).code).toBe(2);
});

test("docs/undo.md has the commands' own help, and its examples are those run here", () => {
  const page = fs.readFileSync(path.join(ROOT, "docs/undo.md"), "utf8");
  for (const program of [UNDO, REDO, CHANGES]) expect(page).toContain(`\`\`\`text\n${helpText(program)}\n\`\`\``);
  const own = fs.readFileSync(import.meta.path, "utf8");
  for (const [, words = ""] of page.matchAll(/^\$ bosun (.+?)(?: > .*)?$/gm))
    expect(own).toContain(
      `[${words
        .split(" ")
        .map((word) => JSON.stringify(word))
        .join(", ")}]`,
    );
});
