// What recording and taking back costs, beside git on the same tree: its status, its stash, a shadow repository, a full copy.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { LocalKeeper, takeBack, UndoStore } from "@bosun/undo";
import { Recorder } from "@bosun/undo/recorder";
import { median } from "../report.ts";
import type { Row, Section } from "../report.ts";

const FILES = 10_000;
const ROUNDS = 20;
const CHANGED = 1000;

export const undo: Section = {
  name: "undo",
  about: "recording an agent's changes and taking them back, beside git and a full copy",
  async run(progress) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "bosun-bench-undo-"));
    try {
      const tree = path.join(folder, "tree");
      writeTree(tree);
      await git(tree, "init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one");
      progress("first snapshot");
      const rows = await firstSnapshot(folder, tree);
      const recorded = open(path.join(folder, "state"), tree);
      recorded.keeper.freshen();
      progress("looking again");
      rows.push(await rescan(tree, recorded));
      progress("one change, one command");
      rows.push(...(await calls(tree, recorded)));
      progress("taking back");
      rows.push(await takingBack(tree, recorded));
      progress("many versions of one file");
      rows.push(await versions(folder));
      recorded.store.close();
      return rows;
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};

type Recorded = { store: UndoStore; keeper: LocalKeeper; recorder: Recorder };

async function firstSnapshot(folder: string, tree: string): Promise<Row[]> {
  const ours: number[] = [];
  const shadow: number[] = [];
  const copy: number[] = [];
  let bytes = { ours: 0, shadow: 0 };
  for (let round = 0; round < 3; round += 1) {
    const place = path.join(folder, `round${round}`);
    fs.mkdirSync(place);
    ours.push(
      await timed(async () => {
        const { store, keeper } = open(path.join(place, "state"), tree);
        keeper.freshen();
        store.close();
      }),
    );
    const add = `GIT_DIR=${place}/shadow.git git init -q . && GIT_DIR=${place}/shadow.git GIT_WORK_TREE=. git add -A`;
    shadow.push(await timed(() => shell(tree, add)));
    copy.push(await timed(() => shell(tree, `cp -a . ${place}/copy`)));
    bytes = { ours: onDisk(path.join(place, "state")), shadow: onDisk(path.join(place, "shadow.git")) };
    fs.rmSync(place, { recursive: true });
  }
  const what = `first snapshot of ${FILES.toLocaleString("en-US")} files`;
  return [
    row(what, "ms", median(ours), { "shadow git add -A": median(shadow), "cp -a": median(copy) }, 0.8),
    row(`${what}, on disk`, "MB", bytes.ours / 1e6, { "shadow git add -A": bytes.shadow / 1e6 }, 0.3),
  ];
}

async function rescan(tree: string, { keeper }: Recorded): Promise<Row> {
  const ours: number[] = [];
  const status: number[] = [];
  await git(tree, "status >/dev/null");
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await timed(async () => void keeper.scan()));
    status.push(await timed(() => git(tree, "status >/dev/null")));
  }
  return row("looking again, nothing changed", "ms", median(ours), { "git status": median(status) }, 1.5);
}

async function calls(tree: string, { recorder }: Recorded): Promise<Row[]> {
  const write = (round: number): void => fs.writeFileSync(path.join(tree, "d0/f0"), `round ${round}\n`.repeat(100));
  const [plain, recorded, bare, windowed]: number[][] = [[], [], [], []];
  for (let round = 0; round < ROUNDS * 5; round += 1) {
    plain?.push(await timed(async () => write(round)));
    recorded?.push(
      await timed(async () => {
        const change = recorder.openChange({
          session: "s",
          call: `c${round}`,
          tool: "bosun.str_replace",
          label: "d0/f0",
        });
        change.before("d0/f0");
        write(-round - 1);
        change.done();
      }),
    );
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    bare?.push(await timed(() => shell(tree, "true")));
    const label = { session: "s", call: `w${round}`, tool: "bosun.bash", label: "true" };
    const begun = performance.now();
    const window = await recorder.openWindow(label, "command");
    await shell(tree, "true");
    windowed?.push(performance.now() - begun);
    // The answer does not wait for the scan: in a server the keeper does it, in another process.
    await window.close();
  }
  const [one = 0, other = 0] = [median(plain ?? []), median(recorded ?? [])];
  const [alone = 0, within = 0] = [median(bare ?? []), median(windowed ?? [])];
  return [
    {
      what: "a file changed, recorded",
      unit: "ms",
      ours: other,
      theirs: { unrecorded: one },
      target: { text: "≤ +1 ms", reached: other - one <= 1 },
    },
    {
      what: "bash true, recorded",
      unit: "ms",
      ours: within,
      theirs: { unrecorded: alone },
      target: { text: "≤ +2 ms", reached: within - alone <= 2 },
    },
  ];
}

async function takingBack(tree: string, recorded: Recorded): Promise<Row> {
  const { store, keeper, recorder } = recorded;
  const ours: number[] = [];
  const checkout: number[] = [];
  const stash: number[] = [];
  const change = `find . -path ./.git -prune -o -type f -print | sort | head -${CHANGED} | xargs sed -i s/value/VALUE/`;
  await git(tree, "checkout -q -- .");
  keeper.scan();
  for (let round = 0; round < 5; round += 1) {
    const window = await recorder.openWindow(
      { session: "u", call: `u${round}`, tool: "bosun.bash", label: "sed" },
      "command",
    );
    await shell(tree, change);
    await window.close();
    const console = { out: () => {}, error: () => {}, ask: undefined };
    const freshen = async (): Promise<void> => void keeper.scan();
    ours.push(
      await timed(async () => void (await takeBack({ store, console, freshen }, { kind: "undo", isAgreed: true }))),
    );
    await shell(tree, change);
    checkout.push(await timed(() => git(tree, "checkout -q -- .")));
    await shell(tree, change);
    stash.push(await timed(() => git(tree, "-c user.name=a -c user.email=a@b stash -q -u")));
    await git(tree, "stash drop -q");
    keeper.scan();
  }
  const theirs = { "git checkout -- .": median(checkout), "git stash -u": median(stash) };
  return row(`undo of ${CHANGED.toLocaleString("en-US")} changed files`, "ms", median(ours), theirs, 3);
}

async function versions(folder: string): Promise<Row> {
  const tree = path.join(folder, "one");
  fs.mkdirSync(tree);
  const file = path.join(tree, "f");
  const text = (version: number): string =>
    Array.from(
      { length: 400 },
      (_, at) => `line ${at} of a file ${(at * 7919 + (at === version % 400 ? version : 0)) % 99991} and more text`,
    ).join("\n");
  fs.writeFileSync(file, text(0));
  const { store, keeper, recorder } = open(path.join(folder, "versions"), tree);
  keeper.freshen();
  const shadow = `export GIT_DIR=${folder}/versions.git GIT_WORK_TREE=${tree}; git init -q; `;
  await shell(tree, shadow);
  for (let version = 1; version <= 1000; version += 1) {
    const change = recorder.openChange({ session: "s", call: `c${version}`, tool: "bosun.str_replace", label: "f" });
    change.before("f");
    fs.writeFileSync(file, text(version));
    change.done();
    // As loose objects, which is what a shadow repository has until it repacks.
    fs.writeFileSync(path.join(folder, "versions.git", `version-${version}`), text(version));
  }
  await shell(
    tree,
    `${shadow} git hash-object -w $(printf '${folder}/versions.git/version-%d ' $(seq 1000)) > /dev/null; rm ${folder}/versions.git/version-*`,
  );
  store.close();
  const theirs = { "loose objects of git": onDisk(path.join(folder, "versions.git/objects")) / 1e6 };
  return row("1,000 edits of one 20 KB file, on disk", "MB", onDisk(path.join(folder, "versions")) / 1e6, theirs, 0.5);
}

function open(state: string, tree: string): Recorded {
  const store = new UndoStore({ stateFolder: state, tree });
  const keeper = new LocalKeeper(store);
  const scan = async (): Promise<void> => void keeper.scan();
  return { store, keeper, recorder: new Recorder(store, { ready: async () => true, scan }) };
}

function writeTree(tree: string): void {
  for (let folder = 0; folder < 100; folder += 1) {
    fs.mkdirSync(path.join(tree, `d${folder}`), { recursive: true });
    for (let at = 0; at < FILES / 100; at += 1)
      fs.writeFileSync(
        path.join(tree, `d${folder}/f${at}`),
        `file ${at} of ${folder}\nvalue ${at * folder}\n`.repeat(1 + (at % 40)),
      );
  }
}

function row(what: string, unit: string, ours: number, theirs: Record<string, number>, most: number): Row {
  const [first = 0] = Object.values(theirs);
  return { what, unit, ours, theirs, target: { text: `≤ ${most}×`, reached: ours <= most * first } };
}

async function timed(run: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

function git(tree: string, words: string): Promise<void> {
  return shell(tree, `git ${words}`);
}

async function shell(cwd: string, text: string): Promise<void> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
  await Bun.spawn(["bash", "-c", text], { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }).exited;
}

/** Blocks, not lengths: small files cost a block each. */
function onDisk(folder: string): number {
  let sum = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) sum += fs.statSync(path.join(entry.parentPath, entry.name)).blocks * 512;
  return sum;
}
