// Places that are held while commands run: shared with other servers, never in anybody's way, gone with the last.
import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ownClaim, ownGuest } from "../../src/sandbox/holders.ts";
import { holdPlaces, isHeldPlace, isOurPlace, isPlace } from "../../src/sandbox/placeholders.ts";

const work = mkdtempSync(path.join(tmpdir(), "places-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

let names = 0;
const newPlace = (): string => path.join(work, `place-${names++}`);

/** The name another process of this machine would put in. */
const claimOf = (pid: number): string => ownClaim().replace(/\d+/, String(pid));

test("are there while anybody needs them, and go with the last", () => {
  const file = newPlace();
  const [one, two] = [holdPlaces([file]), holdPlaces([file])];
  expect([isPlace(file), isOurPlace(file), isHeldPlace(file)]).toEqual([true, true, true]);
  one();
  one();
  expect(existsSync(file)).toBe(true);
  two();
  expect([existsSync(file), isPlace(file), isHeldPlace(file)]).toEqual([false, false, false]);
});

test("a file that somebody wrote meanwhile stays", () => {
  const file = newPlace();
  const release = holdPlaces([file]);
  rmSync(file, { recursive: true });
  writeFileSync(file, "mine");
  expect(isOurPlace(file)).toBe(false);
  release();
  expect(existsSync(file)).toBe(true);
});

test("what somebody put into one stays, without our name, and is no place any more", () => {
  const file = newPlace();
  const release = holdPlaces([file]);
  writeFileSync(path.join(file, "x"), "mine");
  expect([isPlace(file), isOurPlace(file), isHeldPlace(file)]).toEqual([false, false, false]);
  release();
  expect(readdirSync(file)).toEqual(["x"]);
});

test.each([
  ["a file", (file: string) => writeFileSync(file, "")],
  ["a folder with something in it", (file: string) => mkdirSync(path.join(file, "x"), { recursive: true })],
  ["an empty folder", (file: string) => mkdirSync(file)],
])("%s that was there before is not ours to remove", (_, make) => {
  const file = newPlace();
  make(file);
  const release = holdPlaces([file]);
  expect([isPlace(file), isHeldPlace(file)]).toEqual([false, false]);
  release();
  expect(existsSync(file)).toBe(true);
});

test("an empty folder has our name while we need it: whoever made it cannot take it from under us", () => {
  const file = newPlace();
  mkdirSync(file);
  const release = holdPlaces([file]);
  expect(readdirSync(file)).toEqual([ownGuest()]);
  release();
  expect(readdirSync(file)).toEqual([]);
});

test("who is told that it was a place removes it", () => {
  const file = newPlace();
  mkdirSync(file);
  const release = holdPlaces([file]);
  renameSync(path.join(file, ownGuest()), path.join(file, ownClaim()));
  release();
  expect(existsSync(file)).toBe(false);
});

test("who leaves tells who came in when it looked empty", () => {
  const file = newPlace();
  const release = holdPlaces([file]);
  const guest = ownGuest().replace(/\d+/, String(process.ppid));
  mkdirSync(path.join(file, guest));
  release();
  expect(readdirSync(file)).toEqual([claimOf(process.ppid)]);
});

test("another server's place is shared, and stays for it", () => {
  const file = newPlace();
  mkdirSync(path.join(file, claimOf(process.ppid)), { recursive: true });
  expect([isPlace(file), isOurPlace(file)]).toEqual([true, false]);
  const release = holdPlaces([file]);
  expect(isOurPlace(file)).toBe(true);
  release();
  expect(readdirSync(file)).toEqual([claimOf(process.ppid)]);
});

test.each([
  ["of a server that was killed", () => claimOf(endedProcess()), 0, false],
  ["of no process", () => claimOf(0), 0, false],
  ["of no possible process", () => claimOf(9_999_999_999), 0, false],
  ["of another machine", () => "held-by-1-elsewhere", 0, true],
  ["of another machine, days ago", () => "held-by-1-elsewhere", 3 * 24 * 3600, false],
])("a name %s: whether it stays", (_, holder, secondsAgo, stays) => {
  const file = newPlace();
  const name = path.join(file, holder());
  mkdirSync(name, { recursive: true });
  const then = Date.now() / 1000 - secondsAgo;
  utimesSync(name, then, then);
  holdPlaces([file])();
  expect(existsSync(file)).toBe(stays);
});

test("a place that comes and goes under several servers is there for each that holds it", async () => {
  const file = newPlace();
  const script = path.join(import.meta.dir, "place-holder.ts");
  const others = [1, 2].map(() =>
    Bun.spawn([process.execPath, script, file, "500"], { stdout: "pipe", stderr: "inherit" }),
  );
  for (let round = 0; round < 500; round++) {
    const release = holdPlaces([file]);
    await Promise.resolve();
    expect(readdirSync(file).some((name) => name === ownClaim() || name === ownGuest())).toBe(true);
    release();
    if (round % 10 === 0) await Bun.sleep(1);
  }
  for (const other of others) expect(await new Response(other.stdout).text()).toBe("0 missing\n");
  expect(existsSync(file)).toBe(false);
});

function endedProcess(): number {
  return Bun.spawnSync(["/bin/true"]).pid;
}
