// The keeper as a process: started when needed, shared between servers, started again, ended when nobody wants it.
import { expect, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { LocalKeeper, storeFolder, UndoStore } from "../src/index.ts";
import { KeeperClient, Recorder } from "../src/recorder-entry.ts";
import { Lock } from "../src/lock.ts";

type Place = {
  root: string;
  state: string;
  store: UndoStore;
  client: (idleMs?: number) => KeeperClient;
  [Symbol.asyncDispose](): Promise<void>;
};

function makePlace(fill: (root: string) => void, stateName = "state"): Place {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-keeper-")));
  const root = path.join(home, "tree");
  const state = path.join(home, stateName);
  fs.mkdirSync(root);
  fill(root);
  const store = new UndoStore({ stateFolder: state, tree: root });
  const clients: KeeperClient[] = [];
  return {
    root,
    state,
    store,
    client: (idleMs = 200) => {
      const client = new KeeperClient({ stateFolder: state, tree: root, settings: {}, idleMs });
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await ended(state, root);
      store.close();
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Until no keeper holds the lock. */
async function ended(state: string, root: string): Promise<void> {
  for (;;) {
    using lock = Lock.take(storeFolder(state, root), "keeper.lock");
    if (lock !== undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function bash(root: string, command: string): Promise<void> {
  await Bun.spawn(["bash", "-c", command], { cwd: root, env: { PATH: process.env["PATH"] ?? "" } }).exited;
}

const fill = (root: string): void => {
  for (let at = 0; at < 300; at += 1) fs.writeFileSync(`${root}/f${at}`, `file ${at}\n`);
};

test("two servers share a keeper; a command's changes are on record when its window has closed", async () => {
  await using place = makePlace(fill);
  const one = new Recorder(place.store, place.client());
  const otherStore = new UndoStore({ stateFolder: place.state, tree: place.root });
  const other = new Recorder(otherStore, place.client());
  for (const [recorder, session] of [
    [one, "a"],
    [other, "b"],
  ] as const) {
    const window = await recorder.openWindow({ session, call: session, tool: "bosun.bash", label: "sed" }, "command");
    await bash(place.root, `echo ${session} > f1; rm f2; echo new > new-${session}; touch f2`);
    await window.close();
    await recorder.settled();
  }
  const steps = place.store.records.steps();
  expect(steps.map(({ session, certainty }) => `${session} ${certainty}`)).toEqual(["a window", "b window"]);
  expect(steps.every(({ partial }) => partial === undefined)).toBe(true);
  otherStore.close();
});

test("its socket is private, and found where the folder's name is too long for one", async () => {
  await using place = makePlace(fill, "s".repeat(120));
  const client = place.client();
  expect(await client.ready(60_000)).toBe(true);
  const socket = path.join(storeFolder(place.state, place.root), "keeper.sock");
  expect((fs.statSync(socket).mode & 0o777).toString(8)).toBe("600");
  await client.scan();
});

test("one that was killed is started again by the next window", async () => {
  await using place = makePlace(fill);
  const client = place.client(60_000);
  const recorder = new Recorder(place.store, client);
  expect(await client.ready(60_000)).toBe(true);
  await kill(place.root);
  const window = await recorder.openWindow({ session: "a", call: "c", tool: "bosun.bash", label: "x" }, "command");
  await bash(place.root, "echo changed > f1");
  await window.close();
  expect(place.store.records.steps()).toHaveLength(1);
  await client.close();
  await kill(place.root);
});

test("killed in the middle of the first snapshot, the next one goes on", async () => {
  await using place = makePlace((root) => {
    for (let at = 0; at < 3000; at += 1) fs.writeFileSync(`${root}/f${at}`, `file ${at}\n`.repeat(200));
  });
  const first = place.client(60_000);
  // Begun, not complete.
  await first.scan();
  await kill(place.root);
  await first.close();
  const second = place.client();
  expect(await second.ready(60_000)).toBe(true);
  const pending = place.store.database.query("SELECT count(*) AS n FROM entry WHERE why IS NOT NULL").get();
  expect(pending).toEqual({ n: 0n });
  await second.close();
});

test("without a keeper a command can still be recorded, in this process", async () => {
  await using place = makePlace(fill);
  const keeper = new LocalKeeper(place.store);
  keeper.freshen();
  expect(keeper.scan().steps).toEqual([]);
});

/** The keeper of this tree, by its command line: nobody else's. */
async function kill(root: string): Promise<void> {
  const pids = fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandLine(name).includes(`"tree":"${root}"`));
  for (const pid of pids) process.kill(Number(pid), "SIGKILL");
  while (pids.some((pid) => fs.existsSync(`/proc/${pid}`) && !/\) Z /.test(statOf(pid))))
    await new Promise((resolve) => setImmediate(resolve));
}

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // ended meanwhile
  }
}

function statOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return ") Z "; // ended meanwhile
  }
}
