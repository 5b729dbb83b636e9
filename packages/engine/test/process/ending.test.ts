// How commands end when they do not end by themselves: nothing is left running, and no call waits longer than it may.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { unconfined } from "../../src/process/sandbox-words.ts";
import { Running } from "../../src/process/running-command.ts";
import { findMembers, terminateTree } from "../../src/process/command-tree.ts";
import { RUNAWAYS, eventually, openDeck, runawayTree, running, uniqueSeconds } from "./fixture.ts";
import type { Command } from "../../src/process/command-checks.ts";
import type { Deck } from "./fixture.ts";

let deck: Deck;
beforeAll(() => {
  deck = openDeck();
});
afterAll(() => deck.close());

/** Ten graces, one after the other, would be fifty seconds. */
const ONE_GRACE_MS = 45_000;

// Side by side, because a grace lasts five seconds.
describe.concurrent("timeout, cancel, close", () => {
  // timeout
  test("what still builds a sandbox ends together: its first child would go on alone, and make files in a person's folder", async () => {
    const [seconds, startedAt] = [uniqueSeconds(), performance.now()];
    const child = Bun.spawn(["/bin/sh", "-c", `sleep ${seconds} & wait`], { detached: true, stdout: "ignore" });
    expect(await eventually(() => running(seconds).length > 0)).toBe(true);
    const leaderAlive = (): boolean => child.exitCode === null && child.signalCode === null;
    await terminateTree({ leader: child.pid, leaderAlive, tag: "none", namespaced: true, startedAt });
    await child.exited;
    const isGone = await eventually(() => running(seconds).length === 0);
    if (!isGone) process.kill(-child.pid, "SIGKILL");
    expect(isGone).toBe(true);
  });

  test("a sleeping command ends by SIGTERM and its output is kept", async () => {
    const run = await deck.host.run(deck.shell("echo before; sleep 60", { timeoutMs: 200 }));
    expect(run).toMatchObject({
      timedOut: true,
      cancelled: false,
      exitCode: null,
      signal: "SIGTERM",
      stdout: { text: "before\n" },
    });
  });

  test("a trap may clean up, print and exit 0, once", async () => {
    const text = "trap 'echo cleaned; exit 0' TERM; echo up; while :; do sleep 0.05; done";
    const run = await deck.host.run(deck.shell(text, { timeoutMs: 300 }));
    expect(run).toMatchObject({ timedOut: true, exitCode: 0, signal: null, stdout: { text: "up\ncleaned\n" } });
  });

  test("a command that ignores SIGTERM is killed after the grace", async () => {
    const run = await deck.host.run(
      deck.shell("trap '' TERM; echo up; while :; do sleep 0.05; done", { timeoutMs: 200 }),
    );
    expect(run).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL", stdout: { text: "up\n" } });
    expect(run.durationMs).toBeGreaterThan(5000);
  });

  test("the whole tree dies, whoever left the session, the parent or the environment", async () => {
    const seconds = uniqueSeconds();
    const running0 = await deck.host.start(deck.shell(`${runawayTree(seconds)}\nsleep 60`, { timeoutMs: 1500 }));
    expect(await eventually(() => running(seconds).length >= RUNAWAYS)).toBe(true);
    expect(await running0.done).toMatchObject({ timedOut: true });
    await running0.death;
    expect(await eventually(() => running(seconds).length === 0)).toBe(true);
  });

  test("a child that ignores SIGTERM and holds no pipe is killed although the call was answered", async () => {
    const seconds = uniqueSeconds();
    const text = `(trap '' TERM; exec setsid sleep ${seconds} >/dev/null 2>&1) & echo up; sleep 60`;
    const started = await deck.host.start(deck.shell(text, { timeoutMs: 300 }));
    await started.done;
    expect(running(seconds).length).toBe(1);
    expect(await eventually(() => running(seconds).length === 0)).toBe(true);
  });

  test("a detached child that holds the pipe and ignores SIGTERM does not hold up the answer", async () => {
    const seconds = uniqueSeconds();
    const run = await deck.host.run(
      deck.shell(`(trap '' TERM; setsid sleep ${seconds}) & sleep 60`, { timeoutMs: 200 }),
    );
    expect(run).toMatchObject({ timedOut: true, pipesHeldOpen: true });
    expect(await eventually(() => running(seconds).length === 0)).toBe(true);
  });

  test("a timeout beyond any timer does not fire", async () => {
    expect(await deck.host.run(deck.shell("sleep 0.1; echo ok", { timeoutMs: 1e12 }))).toMatchObject({
      timedOut: false,
      exitCode: 0,
    });
  });

  test("a stopped process is killed after the grace", async () => {
    const run = await deck.host.run(deck.shell("kill -STOP $$", { timeoutMs: 100 }));
    expect(run).toMatchObject({ timedOut: true, exitCode: null });
  });

  // closing the host
  test(
    "closes all its commands at once, stubborn ones included, and refuses new ones",
    async () => {
      const own = openDeck();
      const seconds = uniqueSeconds();
      const started = await Promise.all(
        Array.from({ length: 10 }, () =>
          own.host.start(own.shell(`trap '' TERM; setsid sleep ${seconds} & while :; do sleep 0.1; done`)),
        ),
      );
      expect(await eventually(() => running(seconds).length === 10)).toBe(true);
      await Promise.all([own.host.close(), own.host.close()]);
      expect(running(seconds)).toEqual([]);
      for (const each of started) expect(await each.done).toMatchObject({ cancelled: true });
      await expect(own.host.run(own.shell("true"))).rejects.toMatchObject({ code: "SESSION_CLOSED" });
      await own.close();
    },
    ONE_GRACE_MS,
  );

  test("two hundred at once, and others get their turn meanwhile", async () => {
    const own = openDeck();
    const seconds = uniqueSeconds();
    await Promise.all(
      Array.from({ length: 200 }, () => own.host.start(own.shell(`setsid sleep ${seconds} & sleep ${seconds}`))),
    );
    expect(await eventually(() => running(seconds).length === 400, 40_000)).toBe(true);
    let turns = 0;
    const tick = setInterval(() => (turns += 1), 10);
    await own.host.close();
    clearInterval(tick);
    expect(running(seconds)).toEqual([]);
    expect(turns).toBeGreaterThan(5);
    await own.close();
  });

  // cancel
  test("ends the tree", async () => {
    const seconds = uniqueSeconds();
    const abort = new AbortController();
    const started = await deck.host.start(deck.shell(`${runawayTree(seconds)}\nsleep 60`, { signal: abort.signal }));
    expect(await eventually(() => running(seconds).length >= RUNAWAYS)).toBe(true);
    abort.abort();
    expect(await started.done).toMatchObject({ cancelled: true, timedOut: false });
    await started.death;
    expect(running(seconds)).toEqual([]);
  });

  test("before the start counts too", async () => {
    const run = await deck.host.run(deck.shell("sleep 60", { signal: AbortSignal.abort() }));
    expect(run).toMatchObject({ cancelled: true });
  });

  // a process left behind
  test("on purpose keeps running, the answer is prompt and has the foreground's status", async () => {
    const seconds = uniqueSeconds();
    const run = await deck.host.run(deck.shell(`sleep ${seconds} & echo up; exit 3`));
    expect(run).toMatchObject({ exitCode: 3, pipesHeldOpen: true, stdout: { text: "up\n" } });
    expect(running(seconds).length).toBe(1);
  });

  test("that writes for ever does not hold up the answer and is not killed by a closed pipe", async () => {
    const seconds = uniqueSeconds();
    const text = `(while :; do echo tick; sleep 0.02; done; : ${seconds}) & bash -c 'exec -a left${seconds} sleep 61' & echo up`;
    const run = await deck.host.run(deck.shell(text));
    expect(run.pipesHeldOpen).toBe(true);
    expect(run.stdout.text).toContain("up\n");
    await Bun.sleep(300); // time in which a closed pipe would have killed it
    expect(running(`left${seconds}`).length).toBe(1);
  });

  test("is ended with its session, and only with its own", async () => {
    const [mine, theirs] = [uniqueSeconds(), uniqueSeconds()];
    const tags = deck.host.newSession();
    await deck.host.run(
      deck.shell(`(env -i setsid /bin/sleep ${mine} >/dev/null 2>&1 &) ; setsid sleep ${mine} >/dev/null 2>&1 &`, {
        tags,
      }),
    );
    await deck.host.run(deck.shell(`setsid sleep ${theirs} >/dev/null 2>&1 &`));
    expect(await eventually(() => running(mine).length === 2 && running(theirs).length === 1)).toBe(true);
    await deck.host.endSession(tags);
    expect([running(mine).length, running(theirs).length]).toEqual([0, 1]);
  });
});

// Between the call and the process there are waits: for pipes, for what the sandbox must look at again.
describe.concurrent.each([
  ["the host closes", (own: Deck, _: Command) => own.host.close()],
  ["its session ends", (own: Deck, command: Command) => own.host.endSession(command.tags)],
])("a command that is just being started when %s", (_, end) => {
  test.each([0, 1, 3, 10])("%i ms after the call leaves nothing", async (delayMs) => {
    const own = openDeck({ confinement: { ...unconfined, prepare: () => Bun.sleep(2) } });
    const seconds = uniqueSeconds();
    const command = own.shell(`sleep ${seconds}`);
    const started = own.host.start(command).catch((error: unknown) => error);
    await Bun.sleep(delayMs);
    await end(own, command);
    expect(running(seconds)).toEqual([]);
    const outcome = await started;
    if (outcome instanceof Running) expect(await outcome.done).toMatchObject({ cancelled: true });
    else expect(outcome).toMatchObject({ code: "SESSION_CLOSED" });
    await own.close();
  });
});

describe("the host", () => {
  test("takes its commands with it when it is killed, wherever they hid", async () => {
    const seconds = uniqueSeconds();
    const script = path.join(import.meta.dir, "doomed-host.ts");
    const child = Bun.spawn([process.execPath, script, seconds], { stdout: "pipe", stderr: "inherit" });
    const reader = child.stdout.getReader();
    await reader.read(); // it says when its commands run
    expect(await eventually(() => running(seconds).length >= RUNAWAYS)).toBe(true);
    child.kill("SIGKILL");
    await child.exited;
    expect(await eventually(() => running(seconds).length === 0)).toBe(true);
  });

  test("also when all that descends from it is killed with it, as clients do", async () => {
    const seconds = uniqueSeconds();
    const script = path.join(import.meta.dir, "doomed-host.ts");
    const child = Bun.spawn([process.execPath, script, seconds], { stdout: "pipe", stderr: "inherit" });
    await child.stdout.getReader().read();
    expect(await eventually(() => running(seconds).length >= RUNAWAYS)).toBe(true);
    const below = await findMembers([child.pid], () => false, performance.now());
    // Some got away from it. Counted before: what ends them may be quicker than the next look.
    expect(running(seconds).length).toBeGreaterThan(below.filter(({ pid }) => running(seconds).includes(pid)).length);
    for (const { pid } of below) process.kill(pid, "SIGKILL");
    expect(await eventually(() => running(seconds).length === 0)).toBe(true);
  });

  test("inside another host's command, its trees are found by both", async () => {
    const seconds = uniqueSeconds();
    const script = path.join(import.meta.dir, "doomed-host.ts");
    const started = await deck.host.start(deck.shell(`'${process.execPath}' '${script}' ${seconds}; true`));
    expect(await eventually(() => running(seconds).length >= RUNAWAYS)).toBe(true);
    started.stop("cancel");
    await started.done;
    await started.death;
    expect(await eventually(() => running(seconds).length === 0)).toBe(true);
  });

  test("a late kill never hits a number that was given to another", async () => {
    // The tree is gone long before the grace ends; the kill looks for the label, not for the number.
    const started = await deck.host.start(deck.shell("sleep 60", { timeoutMs: 100 }));
    await started.done;
    const killed: number[] = [];
    const kill = process.kill;
    process.kill = (pid: number, signal?: string | number) => {
      killed.push(pid);
      return kill.call(process, pid, signal);
    };
    await started.death;
    process.kill = kill;
    expect(killed).toEqual([]);
  });
});

describe("floods", () => {
  // Kept whole it would be a gigabyte. The exact growth is a benchmark's business.
  test("a gigabyte is counted and memory stays bounded", async () => {
    const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "flooded-host.ts")], {
      env: { PATH: process.env["PATH"] ?? "" },
      stdout: "pipe",
      stderr: "inherit",
    });
    const outcome = JSON.parse(await new Response(child.stdout).text());
    expect(outcome).toMatchObject({ totalBytes: 1e9, totalChars: 1e9, cut: true });
    expect(outcome.grownMb).toBeLessThan(300);
  });

  test("both streams at once do not block each other", async () => {
    const run = await deck.host.run(deck.shell("head -c 3000000 /dev/zero >&2 & head -c 3000000 /dev/zero; wait"));
    expect([run.stdout.totalBytes, run.stderr.totalBytes]).toEqual([3e6, 3e6]);
    expect([run.stdout.binary, run.stderr.binary]).toEqual([true, true]);
  });
});

describe("resource limits", () => {
  test.each<[string, string, object, string]>([
    ["cpu time", "while :; do :; done", { cpuSeconds: 1 }, "cpu time"],
    ["file size", "head -c 3000000 /dev/zero > big", { fileBytes: 1_000_000 }, "file size"],
    [
      "file size of a child that says so",
      "bash -c 'trap \"\" XFSZ; head -c 3000000 /dev/zero > big2'",
      { fileBytes: 1_000_000 },
      "file size",
    ],
    ["memory", `python3 -c 'x = bytearray(10**9)'`, { memoryBytes: 200e6 }, "memory"],
    ["processes", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 60 & done; wait", { processes: 5 }, "processes"],
  ])("%s, reported when hit", async (_, text, limits, hit) => {
    expect(await deck.host.run(deck.shell(text, { limits, timeoutMs: 30_000 }))).toMatchObject({
      limitHit: hit,
      timedOut: false,
    });
  });

  test("unhit limits are not reported", async () => {
    const limits = { cpuSeconds: 60, fileBytes: 1e9, memoryBytes: 4e9, processes: 500 };
    expect(await deck.host.run(deck.shell("echo a > small; sleep 0.3", { limits }))).toMatchObject({
      exitCode: 0,
      limitHit: null,
    });
  });
});

test("output after the answer reaches nobody", async () => {
  const file = path.join(deck.folder, "late");
  const started = await deck.host.start(deck.shell(`(sleep 1.2; echo late; touch ${file}) & echo now`));
  expect((await started.done).stdout.text).toBe("now\n");
  expect(await eventually(() => existsSync(file))).toBe(true);
  expect(started.stdout.captured().text).toBe("now\n");
});
