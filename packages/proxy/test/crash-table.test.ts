// The crash table: everything a server can do wrong, and what the client sees of it. In each row the call fails or
// succeeds with a reason, a call beside it goes on, and the next one works.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { CRASH_ROWS } from "./crash-rows.ts";
import type { CrashRow } from "./crash-rows.ts";
import { cleanUp, reasonOf, start } from "./proxy-process.ts";
import type { Proxied } from "./proxy-process.ts";

// All are started before the first is used and closed after the last: the rows wait at the same time.
const OTHERS: { [test: string]: string[] } = { endless: [], "without end": [], which: [], huge: [], again: [] };
const proxies = new Map<string, Proxied>();
beforeAll(async () => {
  const wanted = [
    ...CRASH_ROWS.map(({ does, options = [] }): [string, string[]] => [does, options]),
    ...Object.entries(OTHERS),
  ];
  await Promise.all(wanted.map(async ([name, options]) => proxies.set(name, await start({ options }))));
});
afterAll(async () => {
  await Promise.all([...proxies.values()].map((proxied) => proxied.client.close()));
  cleanUp();
});

function started(name: string): Proxied {
  const proxied = proxies.get(name);
  if (!proxied) throw new Error(`${name} was not started`);
  return proxied;
}

test.concurrent.each(CRASH_ROWS.map((row): [string, CrashRow] => [row.does, row]))(
  "%s",
  async (does, { fails, answers, starts, ran }) => {
    const proxied = started(does);
    await proxied.names();
    const meeting = proxied.call(does);
    // Beside it, unless the server dies: then whoever is in flight shares its fate.
    if (does !== "die") expect((await proxied.call("ok", { text: "beside" })).text).toBe("beside");
    const met = await meeting;
    expect(met).toEqual(
      fails ? { failed: true, text: expect.stringMatching(fails) } : { failed: false, text: answers ?? "" },
    );
    expect((await proxied.call("ok", { text: "next" })).text).toBe("next");
    expect({ starts: proxied.ran("start"), ran: proxied.ran(does) }).toEqual({ starts, ran });
  },
  60_000,
);

test.concurrent(
  "a line over the limit fails its call when it gets there: its end may never come",
  async () => {
    expect(await started("endless").call("endless_line")).toEqual({
      failed: true,
      text: expect.stringContaining("over the limit"),
    });
  },
  60_000,
);

test.concurrent(
  "a line without end fails all who wait, and its server is ended and started again",
  async () => {
    const proxied = started("without end");
    // Which of the two it is the answer to nobody can know.
    const met = await Promise.all([proxied.call("stall"), proxied.call("no_end")]);
    for (const { failed, text } of met) {
      expect(failed).toBe(true);
      expect(text).toMatch(/did not end within \d+ bytes/);
    }
    expect(await proxied.call("ok", { text: "next" })).toEqual({ failed: false, text: "next" });
    expect(proxied.ran("start")).toBe(2);
  },
  60_000,
);

test.concurrent(
  "which of two answers was too long is known as soon as the other is there",
  async () => {
    const proxied = started("which");
    const [long, late] = await Promise.all([proxied.call("too_long"), proxied.call("late")]);
    expect(late).toEqual({ failed: false, text: "late" });
    expect(long).toEqual({ failed: true, text: expect.stringContaining("over the limit") });
  },
  60_000,
);

test.concurrent(
  "a result of ten megabytes arrives whole",
  async () => {
    const proxied = started("huge");
    const { text } = await proxied.call("huge");
    expect(text.length).toBe(10 * 1024 * 1024);
    expect(new Set(text.split("\n"))).toEqual(new Set(["0123456789abcde", ""]));
  },
  60_000,
);

test("one that ends during its start: the reason is told", async () => {
  expect(await reasonOf(start({ mode: "exits-at-once" }))).toMatch(/exit 5/);
});

test.concurrent(
  "one that dies again and again is started with growing pauses, not without end",
  async () => {
    const proxied = started("again");
    const until = Date.now() + 3000;
    let calls = 0;
    // Several at once, as soon as the last have failed: without pauses this would be hundreds of starts.
    while (Date.now() < until) {
      const met = await Promise.all(Array.from({ length: 5 }, () => proxied.call("die")));
      calls += met.length;
      expect(met.every(({ failed }) => failed)).toBe(true);
    }
    expect(proxied.ran("start")).toBeLessThanOrEqual(8);
    expect(proxied.ran("start")).toBeGreaterThan(1);
    // No call was ever run twice.
    expect(proxied.ran("die")).toBeLessThanOrEqual(calls);
  },
  60_000,
);
