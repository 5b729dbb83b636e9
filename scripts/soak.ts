// npm run soak -- --minutes N: load, kills, floods and bad input against real servers and proxies, with rests in between
// at which everything they hold is counted. Fails on a leak, on an answer lost, doubled or wrong, and on a process left.
import { writeFileSync } from "node:fs";
import { helpText, UsageError } from "@bosun/platform/flags";
import { launch, look, notePeaks } from "./soak/fleet.ts";
import type { Fleet } from "./soak/fleet.ts";
import { load } from "./soak/lanes.ts";
import type { Scene } from "./soak/lanes.ts";
import { emptyTally, note } from "./soak/ledger.ts";
import { parseSoakOptions, SOAK } from "./soak/options.ts";
import type { SoakOptions } from "./soak/options.ts";
import { Place } from "./soak/place.ts";
import { descendants, guardedBy, isAlive, marked } from "./soak/process-table.ts";
import { Random } from "./soak/random.ts";
import { failuresOf, summaryText } from "./soak/summary.ts";
import type { Found } from "./soak/summary.ts";

/** Longer than a server needs to notice that clients are gone (fleet.ts): their processes are then none of its own. */
const REST_MS = 4500;
/** What ends with its parent may take this long to be gone. */
const GRACE_MS = 20_000;

export async function soak(options: SoakOptions, say: (line: string) => void, stop: AbortSignal): Promise<Found> {
  const place = new Place();
  const tally = emptyTally();
  const started = Date.now();
  const end = started + options.minutes * 60_000;
  const random = new Random(options.seed);
  let cycleEnd = 0;
  const scene: Scene = {
    place,
    program: options.program,
    tally,
    done: new Map(),
    orphans: [],
    over: () => stop.aborted || Date.now() >= cycleEnd,
  };
  const fleet = await launch(options.program, place, tally);
  const watch = setInterval(() => notePeaks(fleet.ships), 200);
  try {
    while (!stop.aborted && Date.now() < end) {
      cycleEnd = Math.min(Date.now() + options.cycleSeconds * 1000, end);
      await load(fleet, scene, random.fork());
      for (const { peer } of fleet.peers) if (!(await peer.quiet(GRACE_MS))) note(tally.wrong, `${peer.name} is stuck`);
      await Bun.sleep(REST_MS);
      for (const ship of fleet.ships) look(ship, place);
      await noteStrays(fleet, scene, "at rest");
      say(progress(fleet, scene, started, options));
    }
  } finally {
    clearInterval(watch);
  }
  const stopped = new Map<string, boolean>();
  for (const ship of fleet.ships) stopped.set(ship.name, await ship.stop());
  await noteStrays({ ...fleet, ships: [] }, scene, "at the end");
  const leftFiles = place.leftBehind();
  place.remove();
  return {
    seconds: (Date.now() - started) / 1000,
    interrupted: stop.aborted,
    tally,
    done: scene.done,
    orphans: scene.orphans,
    leftFiles,
    stopped,
    ships: fleet.ships,
  };
}

/** Processes with our mark that belong to no living program of ours. They are ended: they are ours. */
async function noteStrays({ ships }: Pick<Fleet, "ships">, { place, orphans }: Scene, when: string): Promise<void> {
  const strays = () => {
    const known = new Set(ships.flatMap(({ pid }) => [pid, ...descendants(pid).map((each) => each.pid)]));
    return marked(place.mark).filter(({ pid }) => !known.has(pid) && !known.has(guardedBy(pid) ?? pid));
  };
  let left = strays();
  for (const end = Date.now() + GRACE_MS; Date.now() < end && left.length > 0; left = strays()) await Bun.sleep(100);
  for (const each of left) {
    note(orphans, `${when}: ${each.pid} ${each.command}`);
    if (isAlive(each)) process.kill(each.pid, "SIGKILL");
  }
}

function progress(fleet: Fleet, { tally, orphans }: Scene, started: number, { minutes }: SoakOptions): string {
  const clock = (seconds: number): string =>
    `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  const ships = fleet.ships.map(({ name, looks }) => {
    const last = looks.at(-1);
    return `${name} ${last?.rssMb.toFixed(0)} MB ${last?.descriptors} fd ${last?.children} below`;
  });
  const bad = tally.lost.length + tally.doubled.length + tally.unasked.length + tally.wrong.length + orphans.length;
  return `${clock((Date.now() - started) / 1000)} of ${clock(minutes * 60)}  ${tally.requests} asked, ${bad} bad | ${ships.join(" | ")}`;
}

async function main(words: readonly string[]): Promise<number> {
  const options = parseSoakOptions(words);
  if (options === undefined) {
    console.log(helpText(SOAK));
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      console.error("ending: what runs is answered and stopped first");
      stop.abort();
    });
  console.log(`seed ${options.seed}, ${options.program.at(-1)}`);
  const found = await soak(options, (line) => console.log(line), stop.signal);
  console.log(`\n${summaryText(found)}`);
  if (options.json !== undefined) {
    const plain = { ...found, done: Object.fromEntries(found.done), stopped: Object.fromEntries(found.stopped) };
    writeFileSync(options.json, `${JSON.stringify(plain, null, 2)}\n`);
  }
  if (failuresOf(found).length > 0) return 1;
  return stop.signal.aborted ? 130 : 0;
}

if (import.meta.main) {
  process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${helpText(SOAK)}`);
    return 2;
  });
}
