// Who does what at the same time: steady clients, clients that come and go, and whole programs that live briefly.
import { badLine, badRequest, halfARequest, stranger } from "./bad-input.ts";
import { anyDeed } from "./deeds.ts";
import { serveWords } from "./fleet.ts";
import type { Fleet } from "./fleet.ts";
import { HttpPeer } from "./http-peer.ts";
import type { Endpoint } from "./http-peer.ts";
import { inTime } from "./in-time.ts";
import { note } from "./ledger.ts";
import type { Tally } from "./ledger.ts";
import { call, Gone } from "./peer.ts";
import type { Peer } from "./peer.ts";
import type { Place } from "./place.ts";
import { descendants, isAlive } from "./process-table.ts";
import type { Seen } from "./process-table.ts";
import type { Random } from "./random.ts";
import { StdioPeer } from "./stdio-peer.ts";

/** Far beyond any honest answer on a loaded machine. */
const HANG_MS = 90_000;
/** What a program that is gone may leave for this long. */
const GRACE_MS = 20_000;
const STEADY_WORKERS = 3;
const HTTP_WORKERS = 2;

export type Scene = {
  readonly place: Place;
  readonly program: readonly string[];
  readonly tally: Tally;
  /** How often each thing was done. */
  readonly done: Map<string, number>;
  readonly orphans: string[];
  /** True when nobody may begin anything new. */
  over(): boolean;
};

/** One period of load; everything it started has been answered or ended when it returns. */
export async function load(fleet: Fleet, scene: Scene, random: Random): Promise<void> {
  const lanes: Promise<void>[] = [];
  for (const { peer, isProxy } of fleet.peers) {
    // What runs during a kill may fail, and may say so.
    const kills = { count: 0 };
    for (let at = 0; at < STEADY_WORKERS; at++)
      lanes.push(steadyClient(peer, scene, random.fork(), `${isProxy ? "p" : "s"}${at}`, kills));
    lanes.push(troublemaker(peer, isProxy, scene, random.fork(), kills));
  }
  for (const { name, endpoint } of fleet.endpoints)
    for (let at = 0; at < HTTP_WORKERS; at++)
      lanes.push(visitors(name, endpoint, scene, random.fork(), `${name.slice(0, 1)}h${at}`));
  lanes.push(briefLives(scene, random.fork()));
  await Promise.all(lanes);
}

/** Goes up when a kill begins, and again when the new server answers. */
type Kills = { count: number };
const isUnderWay = (count: number): boolean => count % 2 === 1;

async function steadyClient(peer: Peer, scene: Scene, random: Random, own: string, kills: Kills): Promise<void> {
  while (!scene.over()) await oneDeed(peer, scene, random, own, kills);
}

async function oneDeed(peer: Peer, scene: Scene, random: Random, own: string, kills: Kills): Promise<void> {
  const deed = anyDeed(random);
  const before = kills.count;
  try {
    const problem = await within(deed.run(peer, random, own), `${peer.name}: ${deed.name}`);
    if (problem !== undefined && kills.count === before && !isUnderWay(before))
      note(scene.tally.wrong, `${peer.name}: ${deed.name}: ${problem}`);
  } catch (error) {
    if (error instanceof Hung) note(scene.tally.wrong, error.message);
    else if (!(error instanceof Gone)) throw error;
  }
  count(scene, deed.name);
}

/** Bad lines, a client that does not read, and with a proxy the death of the server behind it. */
async function troublemaker(
  peer: StdioPeer,
  isProxy: boolean,
  scene: Scene,
  random: Random,
  kills: Kills,
): Promise<void> {
  while (!scene.over()) {
    await Bun.sleep(random.between(50, 300));
    if (isProxy && random.chance(0.08)) await killBehind(peer, scene, kills);
    else if (random.chance(0.15)) await slowReader(peer, scene, random);
    else {
      await peer.sendNonsense(badLine(random));
      count(scene, "bad line");
    }
  }
}

async function slowReader(peer: StdioPeer, scene: Scene, random: Random): Promise<void> {
  const answers = Array.from({ length: 12 }, () => call(peer, "view", { path: "large.txt" }));
  await peer.stopReadingFor(random.between(200, 900));
  await Promise.allSettled(answers.map((answer) => within(answer, `${peer.name}: unread answers`)));
  count(scene, "slow reader");
}

async function killBehind(peer: StdioPeer, scene: Scene, kills: Kills): Promise<void> {
  const server = descendants(peer.pid).find(({ command }) => command.includes("serve --transport stdio"));
  if (server === undefined) return;
  kills.count++;
  const below = descendants(server.pid);
  process.kill(server.pid, "SIGKILL");
  await expectGone(below, "after the server behind the proxy was killed", scene);
  // Until a call gets through: a list may be answered without the server, before its end was noticed.
  for (let tries = 0; tries < 5; tries++) {
    const answer = within(call(peer, "bash", { command: "true" }), `${peer.name}: the first call after a kill`);
    if ((await answer.catch(() => undefined))?.isError === false) break;
  }
  kills.count++;
  count(scene, "server killed behind the proxy");
}

/** Clients over HTTP: they come, work, and say goodbye or do not. */
async function visitors(name: string, endpoint: Endpoint, scene: Scene, random: Random, own: string): Promise<void> {
  while (!scene.over()) {
    const trouble = random.next();
    if (trouble < 0.1) await badRequest(endpoint, random, scene.tally);
    else if (trouble < 0.15) await halfARequest(endpoint, random);
    else if (trouble < 0.2) await stranger(endpoint, random, scene.tally);
    if (trouble < 0.2) count(scene, "bad HTTP request");
    const peer = new HttpPeer(name, endpoint, random.chance(0.5) ? "session" : "modern", scene.tally);
    try {
      if (!(await within(peer.greet(), `${name}: greeting`))) {
        count(scene, "HTTP client turned away");
        await Bun.sleep(250);
        continue;
      }
    } catch (error) {
      if (error instanceof Hung) note(scene.tally.wrong, error.message);
      peer.vanish();
      continue;
    }
    for (let deeds = random.between(2, 10); deeds > 0 && !scene.over(); deeds--)
      await oneDeed(peer, scene, random, own, { count: 0 });
    if (random.chance(0.15)) {
      const slow = await within(peer.ask("tools/call", LARGE_READ, 300), `${name}: slow reader`);
      if (slow.isError) note(scene.tally.wrong, `${name}: slow reader: ${slow.text}`);
    }
    if (random.chance(0.4)) {
      const cut = call(peer, "bash", { command: "head -c 8000000 /dev/zero; sleep 1" }).catch(() => undefined);
      await Bun.sleep(random.between(0, 150));
      peer.vanish();
      await cut;
      count(scene, "HTTP client vanished in a call");
    } else await peer.leave();
    count(scene, "HTTP client");
  }
}

const LARGE_READ = { name: "view", arguments: { path: "large.txt" } };

/** A server or a proxy of its own, ended in the middle of its work: nothing of it may stay. */
async function briefLives(scene: Scene, random: Random): Promise<void> {
  const { place, program, tally } = scene;
  while (!scene.over()) {
    const isProxy = random.chance(0.5);
    const serve = serveWords(program);
    const name = isProxy ? "brief proxy" : "brief server";
    const peer = new StdioPeer(name, isProxy ? [...program, "proxy", "--", ...serve] : serve, place, tally);
    try {
      await within(peer.greet(), `${name}: greeting`);
      await Promise.all(
        Array.from({ length: random.between(1, 4) }, (_, at) =>
          oneDeed(peer, scene, random.fork(), `b${at}`, { count: 0 }),
        ),
      );
    } catch (error) {
      if (error instanceof Hung) note(tally.wrong, error.message);
    }
    for (const command of ["sleep 300 & setsid sleep 300 & wait", "yes | head -c 50000000"])
      void call(peer, "bash", { command }).catch(() => undefined);
    void call(peer, "bash", { command: "sleep 300", run_in_background: true }).catch(() => undefined);
    if (random.chance(0.3)) await peer.sendRaw('{"jsonrpc":"2.0","id":1,"meth');
    await Bun.sleep(random.between(0, 200));
    const below = descendants(peer.pid);
    const how = random.pick(["input ends", "SIGTERM", "SIGKILL"] as const);
    if (!isProxy && how !== "SIGKILL") place.tidy.add(peer.pid);
    if (!(await peer.vanish(how))) note(tally.wrong, `${name}: still there long after: ${how}`);
    await expectGone(below, `after ${name}: ${how}`, scene);
    count(scene, `${name} ended: ${how}`);
  }
}

async function expectGone(processes: readonly Seen[], when: string, scene: Scene): Promise<void> {
  for (const end = Date.now() + GRACE_MS; Date.now() < end && processes.some(isAlive);) await Bun.sleep(50);
  for (const each of processes.filter(isAlive)) note(scene.orphans, `${when}: ${each.pid} ${each.command}`);
}

class Hung extends Error {
  override readonly name = "Hung";
}

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  if (!(await inTime(promise, HANG_MS))) throw new Hung(`no answer in ${HANG_MS / 1000} s: ${what}`);
  return promise;
}

function count({ done }: Scene, what: string): void {
  done.set(what, (done.get(what) ?? 0) + 1);
}
