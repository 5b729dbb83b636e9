// Mount points that exist only while commands run: shared with other servers, never in anybody's way, gone with the last.
import { afterAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { MountpointLocks, isOwnMountpoint } from "../../src/sandbox/mountpoint-locks.ts";

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "mountpoints-")));
const lockFolder = path.join(base, "locks");
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
const KINDS = [
  ["folder", undefined],
  ["file", ".\n"],
] as const;

describe.each(KINDS)("a %s to mount on", (_, content) => {
  const newPlace = () => ({ path: path.join(base, `place-${count++}`), content });

  test("is there while anybody needs it, and goes with the last", () => {
    const [locks, place] = [new MountpointLocks(lockFolder), newPlace()];
    const [one, two] = [locks.hold([place]), locks.hold([place])];
    expect([existsSync(place.path), locks.isMade(place), isOwnMountpoint(place.path)]).toEqual([true, true, true]);
    if (content !== undefined) expect(readFileSync(place.path, "utf8")).toBe(content);
    one();
    one();
    expect(existsSync(place.path)).toBe(true);
    two();
    expect([existsSync(place.path), isOwnMountpoint(place.path)]).toEqual([false, false]);
  });

  test("leaves no trace of ours behind", () => {
    const place = newPlace();
    new MountpointLocks(lockFolder).hold([place])();
    expect(readdirSync(lockFolder).filter((name) => !name.startsWith("content-"))).toEqual([]);
  });

  test("is not removed when somebody wrote there meanwhile", () => {
    const [locks, place] = [new MountpointLocks(lockFolder), newPlace()];
    const release = locks.hold([place]);
    rmSync(place.path, { recursive: true });
    writeFileSync(place.path, "mine");
    expect(locks.isMade(place)).toBe(false);
    release();
    expect(readFileSync(place.path, "utf8")).toBe("mine");
  });

  test.each([
    ["a file", (file: string) => writeFileSync(file, "theirs")],
    ["a folder", (file: string) => mkdirSync(file)],
    ["a link", (file: string) => symlinkSync("elsewhere", file)],
  ])("%s that was there before stays", (_kind, make) => {
    const [locks, place] = [new MountpointLocks(lockFolder), newPlace()];
    make(place.path);
    const release = locks.hold([place]);
    expect(locks.isMade(place)).toBe(false);
    release();
    expect(readdirSync(base)).toContain(path.basename(place.path));
  });

  test("a folder on the way that became a link is not followed", () => {
    const [locks, real] = [new MountpointLocks(lockFolder), path.join(base, `real-${count++}`)];
    mkdirSync(real);
    symlinkSync(real, path.join(base, `link-${count}`));
    locks.hold([{ path: path.join(base, `link-${count}`, "x"), content }])();
    expect(readdirSync(real)).toEqual([]);
  });

  test("what a killed server left is removed by the next one that uses it", async () => {
    const place = newPlace();
    const script = `import { MountpointLocks } from ${JSON.stringify(path.resolve(import.meta.dir, "../../src/sandbox/mountpoint-locks.ts"))};
      new MountpointLocks(process.argv[1]).hold([{ path: process.argv[2], content: ${JSON.stringify(content)} }]);
      process.kill(process.pid, "SIGKILL");`;
    await Bun.spawn([process.execPath, "-e", script, lockFolder, place.path]).exited;
    expect(existsSync(place.path)).toBe(true);
    new MountpointLocks(lockFolder).hold([place])();
    expect(existsSync(place.path)).toBe(false);
  });
});

test("an empty file that a sandbox left where one with content is to be is replaced, and goes with the last", () => {
  const place = { path: path.join(base, `empty-${count++}`), content: ".\n" };
  writeFileSync(place.path, "");
  const locks = new MountpointLocks(lockFolder);
  expect(locks.isMade(place)).toBe(true);
  const release = locks.hold([place]);
  expect(readFileSync(place.path, "utf8")).toBe(".\n");
  release();
  expect(existsSync(place.path)).toBe(false);
});

test("a place that comes and goes under several servers is there for each that holds it", async () => {
  const place = { path: path.join(base, "busy"), content: undefined };
  const locks = new MountpointLocks(lockFolder);
  const script = path.join(import.meta.dir, "lock-holder.ts");
  const others = [1, 2].map(() =>
    Bun.spawn([process.execPath, script, lockFolder, place.path, "300"], { stdout: "pipe", stderr: "inherit" }),
  );
  for (let round = 0; round < 300; round++) {
    const release = locks.hold([place]);
    await Promise.resolve();
    expect(existsSync(place.path)).toBe(true);
    release();
    if (round % 10 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  for (const other of others) expect(await new Response(other.stdout).text()).toBe("0 missing\n");
  expect(existsSync(place.path)).toBe(false);
});
