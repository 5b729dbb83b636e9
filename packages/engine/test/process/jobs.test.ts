import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { Jobs } from "../../src/process/jobs.ts";
import { eventually, openDeck, running, uniqueSeconds } from "./fixture.ts";
import type { JobLimits } from "../../src/process/jobs.ts";
import type { Deck } from "./fixture.ts";

let deck: Deck;
beforeAll(() => {
  deck = openDeck();
});
afterAll(() => deck.close());

async function withJobs(
  limits: JobLimits,
  act: (jobs: Jobs, start: (text: string) => Promise<string>) => Promise<void>,
): Promise<void> {
  const jobs = new Jobs(limits);
  await act(jobs, (text) => jobs.start(text, () => deck.host.start(deck.shell(text))));
  await jobs.close();
}

test("ids are sixteen hex digits and never repeat", () =>
  withJobs({}, async (jobs, start) => {
    const ids = await Promise.all([start("true"), start("true"), start("true")]);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(jobs.list().map((job) => job.id)).toEqual(ids);
  }));

test("a job is running, then completed with its status and output, then forgotten", () =>
  withJobs({}, async (jobs, start) => {
    const id = await start("echo early; sleep 0.4; echo late; echo err >&2; exit 7");
    expect(await eventually(() => jobs.view(id).stdout.text === "early\n")).toBe(true);
    expect(jobs.view(id)).toMatchObject({ state: "running", run: undefined, label: expect.stringContaining("early") });
    jobs.forget(id); // not while it runs
    const view = await jobs.wait(id, 20_000);
    expect(view).toMatchObject({
      state: "completed",
      killedByTimeout: false,
      run: { exitCode: 7 },
      stdout: { text: "early\nlate\n" },
      stderr: { text: "err\n" },
    });
    jobs.forget(id);
    expect(() => jobs.view(id)).toThrow(`task not found: ${id}`);
  }));

test("an unknown id is TASK_NOT_FOUND everywhere", () =>
  withJobs({}, async (jobs) => {
    for (const act of [
      () => jobs.view("0"),
      () => jobs.forget("0"),
      () => jobs.newest("0", 1),
      () => jobs.read("0", "stdout", 0, 1),
    ]) {
      expect(act).toThrow(expect.objectContaining({ code: "TASK_NOT_FOUND" }));
    }
    await expect(jobs.wait("0", 1)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    await expect(jobs.stop("0")).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
  }));

test("the eleventh is refused before it runs; finished ones do not count", () =>
  withJobs({}, async (jobs, start) => {
    const done = await start("true");
    await jobs.wait(done, 20_000);
    const started = await Promise.all(Array.from({ length: 10 }, () => start("sleep 60")));
    const witness = path.join(deck.folder, "eleventh");
    await expect(start(`touch ${witness}`)).rejects.toMatchObject({
      code: "TASK_LIMIT",
      message: "could not add background task: maximum concurrent background task limit (10) reached",
    });
    await Bun.sleep(100); // nothing can be awaited of a command that must not start
    expect(existsSync(witness)).toBe(false);
    expect(await jobs.stop(started[0] ?? "")).toMatchObject({ state: "completed", run: { cancelled: true } });
    expect(await start("true")).toBeString();
  }));

test("ten started at once do not slip past the limit", () =>
  withJobs({ running: 3 }, async (_, start) => {
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => start("sleep 60")));
    expect(results.filter((result) => result.status === "fulfilled").length).toBe(3);
  }));

test("finished ones are kept up to a number, oldest first out", () =>
  withJobs({ finished: 2 }, async (jobs, start) => {
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      ids.push(await start(`echo ${i}`));
      await jobs.wait(ids[i] ?? "", 20_000);
    }
    expect(await eventually(() => jobs.list().length === 2)).toBe(true);
    expect(jobs.list().map((job) => job.stdout.text)).toEqual(["2\n", "3\n"]);
  }));

test("the newest output of a chatty job is visible, by tail and by offset", () =>
  withJobs({}, async (jobs, start) => {
    const id = await start("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo line $i; done; sleep 60");
    expect(await eventually(() => jobs.newest(id, 11).stdout === "line 20000\n")).toBe(true);
    expect(jobs.view(id)).toMatchObject({ state: "running", stdout: { cut: true } });
    expect(jobs.view(id).stdout.text.startsWith("line 1\n")).toBe(true);
    const total = jobs.view(id).stdout.totalBytes;
    expect(jobs.read(id, "stdout", total - 11, 100)).toMatchObject({
      text: "line 20000\n",
      skipped: 0,
      next: total,
      last: false,
    });
  }));

test("waiting returns at the time limit, at the end, or when the caller goes", () =>
  withJobs({}, async (jobs, start) => {
    const id = await start("sleep 60");
    expect((await jobs.wait(id, 50)).state).toBe("running");
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect((await jobs.wait(id, 1e12, abort.signal)).state).toBe("running");
    void jobs.stop(id);
    expect(await jobs.wait(id, 1e12)).toMatchObject({ state: "completed", run: { signal: "SIGTERM" } });
  }));

test("status follows the shell, not a daemon that holds its pipe", () =>
  withJobs({}, async (jobs, start) => {
    const id = await start("setsid sleep 60 & exit 4");
    expect(await jobs.wait(id, 20_000)).toMatchObject({
      state: "completed",
      run: { exitCode: 4, pipesHeldOpen: true },
    });
  }));

test("the safety net ends a job that runs too long, and says so", () =>
  withJobs({ timeoutMs: 150 }, async (jobs, start) => {
    const id = await start("echo up; sleep 60");
    expect(await jobs.wait(id, 20_000)).toMatchObject({
      state: "completed",
      killedByTimeout: true,
      stdout: { text: "up\n" },
    });
  }));

test("closing ends all at once, stubborn and hidden ones too, and refuses new ones", async () => {
  const jobs = new Jobs();
  const seconds = uniqueSeconds();
  const text = `trap '' TERM; (env -i setsid /bin/sleep ${seconds} >/dev/null 2>&1 &); while :; do sleep 0.1; done`;
  for (let i = 0; i < 10; i++) await jobs.start("stubborn", () => deck.host.start(deck.shell(text)));
  expect(await eventually(() => running(seconds).length === 10)).toBe(true);
  await Promise.all([jobs.close(), jobs.close()]);
  expect(running(seconds)).toEqual([]);
  await expect(jobs.start("x", () => deck.host.start(deck.shell("true")))).rejects.toMatchObject({
    code: "SESSION_CLOSED",
    message: "could not add background task: session is closed",
  });
  // Ten graces, one after the other, would be fifty seconds.
}, 45_000);
