import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { MemorySessions } from "../../src/session/session.ts";
import { CAP, ENV, eventually, openDeck, running, uniqueSeconds } from "../process/fixture.ts";
import type { Session, SessionCommand } from "../../src/session/session.ts";
import type { Deck } from "../process/fixture.ts";

let deck: Deck;
let sessions: MemorySessions;
beforeAll(() => {
  deck = openDeck();
  sessions = new MemorySessions({ host: deck.host, workdir: deck.folder, env: ENV });
});
afterAll(async () => {
  await sessions.closeAll();
  await deck.close();
});

const shell = (text: string, more: Partial<SessionCommand> = {}): SessionCommand => ({
  what: { kind: "shell", text },
  stdout: CAP,
  stderr: CAP,
  ...more,
});
const made = (name: string): string => {
  const folder = path.join(deck.folder, name);
  mkdirSync(folder, { recursive: true });
  return folder;
};

test("the directory persists within a session and nowhere else", async () => {
  const [one, two] = [sessions.open(), sessions.open()];
  await one.run(shell("cd /usr; X=1; f() { :; }"));
  expect([one.cwd, two.cwd]).toEqual(["/usr", deck.folder]);
  expect((await one.run(shell('pwd; echo "[$X]"; type f 2>/dev/null'))).stdout.text).toBe("/usr\n[]\n");
  expect([one.handle === two.handle, one.nonce === two.nonce]).toEqual([false, false]);
  expect(one.nonce).toMatch(/^[0-9a-f]{8}$/);
});

test.each<[string, (session: Session) => Promise<unknown>]>([
  ["a killed command", (s) => s.run(shell("cd /usr; sleep 60", { timeoutMs: 100 }))],
  ["exec", (s) => s.run(shell("cd /usr; exec true"))],
  ["a command elsewhere", (s) => s.run(shell("cd /usr", { cwd: "/tmp" }))],
  ["a vector", (s) => s.run({ ...shell(""), what: { kind: "argv", argv: ["true"] } })],
  ["a background command", async (s) => s.jobs.wait(await s.runInBackground("x", shell("cd /usr")), 20_000)],
])("%s leaves the directory as it was", async (_, act) => {
  const session = sessions.open();
  await act(session);
  expect(session.cwd).toBe(deck.folder);
});

test("a directory that is gone: nothing runs, the session returns to its start and says so", async () => {
  const session = sessions.open();
  const gone = made("will-go");
  await session.run(shell(`cd ${gone}`));
  expect((await session.run(shell(`rmdir ${gone}; echo fine`))).stdout.text).toBe("fine\n");
  const witness = path.join(deck.folder, "ran-anyway");
  await expect(session.run(shell(`true; touch ${witness}`))).rejects.toMatchObject({
    code: "START_FAILED",
    message: `working directory ${gone} no longer exists; reset to ${deck.folder}`,
    details: { reason: "cwd" },
  });
  expect(session.cwd).toBe(deck.folder);
  expect((await session.run(shell(`test -e ${witness} || pwd`))).stdout.text).toBe(`${deck.folder}\n`);
});

test("the same for a command in the background", async () => {
  const session = sessions.open();
  const gone = made("will-go-too");
  await session.run(shell(`cd ${gone}`));
  rmSync(gone, { recursive: true });
  await expect(session.runInBackground("x", shell("true"))).rejects.toMatchObject({
    message: expect.stringContaining("reset to"),
  });
  expect(session.cwd).toBe(deck.folder);
});

test("overlapping commands move the directory in the order they were asked", async () => {
  const session = sessions.open();
  const [a, b] = [made("a"), made("b")];
  await Promise.all([session.run(shell(`sleep 0.4; cd ${a}`)), session.run(shell(`cd ${b}`))]);
  expect(session.cwd).toBe(b);
});

test("one that changed nothing does not undo one that did", async () => {
  const session = sessions.open();
  const a = made("a");
  await Promise.all([session.run(shell(`cd ${a}`)), session.run(shell("sleep 0.3"))]);
  expect(session.cwd).toBe(a);
});

test("closing ends foreground, background and what was left behind; other sessions go on", async () => {
  const [session, other] = [sessions.open(), sessions.open()];
  const [mine, theirs] = [uniqueSeconds(), uniqueSeconds()];
  await session.run(shell(`(env -i setsid /bin/sleep ${mine} >/dev/null 2>&1 &)`));
  const foreground = session.run(shell(`sleep ${mine}; true`));
  await session.runInBackground("job", shell(`sleep ${mine}; true`));
  await other.runInBackground("job", shell(`sleep ${theirs}; true`));
  expect(await eventually(() => running(mine).length === 3 && running(theirs).length === 1)).toBe(true);
  await sessions.close(session.handle);
  expect(await foreground).toMatchObject({ cancelled: true });
  expect([running(mine).length, running(theirs).length]).toEqual([0, 1]);
  expect(sessions.find(session.handle)).toBeUndefined();
  await expect(session.run(shell("true"))).rejects.toMatchObject({ code: "SESSION_CLOSED" });
  await expect(session.runInBackground("x", shell("true"))).rejects.toMatchObject({ code: "SESSION_CLOSED" });
});

test("jobs and originals are found in their own session only", async () => {
  const [one, two] = [sessions.open(), sessions.open()];
  const id = await one.runInBackground("x", shell("true"));
  const spool = { folder: deck.host.folder, maxBytes: 1e6 };
  let handle = "";
  await one.run(
    shell("seq 1 20000", { stdout: { ...CAP, spool } }),
    (started) => (handle = one.cutOutputs.keep(started.stdout)),
  );
  expect(() => two.jobs.view(id)).toThrow("task not found");
  expect(two.cutOutputs.find(handle)).toBeUndefined();
  expect(one.cutOutputs.find(handle)?.read(100_000, 13).text).toBe("8\n18519\n18520");
});

test("originals are bounded, oldest out", async () => {
  const session = sessions.open();
  let discarded = 0;
  const original = {
    read: () => ({ text: "", offset: 0, next: 0, skipped: 0, last: true }),
    lastChars: () => "",
    discard: () => void discarded++,
    totalBytes: 0,
  };
  const handles = Array.from({ length: 40 }, () => session.cutOutputs.keep(original));
  expect([session.cutOutputs.find(handles[0] ?? ""), discarded]).toEqual([undefined, 8]);
  expect(session.cutOutputs.find(handles[39] ?? "")).toBe(original);
});

test("an idle session is closed, a busy one is not", async () => {
  const store = new MemorySessions({ host: deck.host, workdir: deck.folder, env: ENV, idleMs: 300 });
  const [idle, busy] = [store.open(), store.open()];
  const id = await busy.runInBackground("x", shell("sleep 60"));
  expect(await eventually(() => idle.closed)).toBe(true);
  await Bun.sleep(500); // longer than the idle limit: it must not have been closed
  expect([busy.closed, store.size]).toEqual([false, 1]);
  await busy.jobs.stop(id);
  expect(await eventually(() => busy.closed)).toBe(true);
  await store.closeAll();
});
