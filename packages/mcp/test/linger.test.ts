// How long we stay awake for the next question, seen by the turns of the event loop that nobody else asked for.
import { expect, test } from "bun:test";
import { Linger } from "../src/wire/linger.ts";

/** Asks and answers so often, so many milliseconds apart, and tells what the processor did in the quiet that follows. */
async function busyAfter(linger: Linger, times: number, apartMs: number): Promise<number> {
  for (let i = 0; i < times; i += 1) {
    if (apartMs > 0) await Bun.sleep(apartMs);
    linger.asked();
    linger.answered();
  }
  const before = process.cpuUsage();
  await Bun.sleep(400);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test.each<[string, number, number]>([
  ["after a quick peer has fallen silent", 100, 0],
  ["for a peer that takes its time", 20, 5],
])("nothing is kept awake %s", async (_, times, apartMs) => {
  expect(await busyAfter(new Linger(2), times, apartMs)).toBeLessThan(200);
});

test("it stays awake for a peer that asks at once", () => {
  // Several, because anybody can be interrupted between two lines.
  const peers = Array.from({ length: 20 }, () => answeredTwice(new Linger(2)));
  expect(peers.some((linger) => linger.isAwake)).toBe(true);
});

test("but not for one that takes its time, nor with one processor, which the peer needs", async () => {
  const slow = new Linger(2);
  slow.answered();
  await Bun.sleep(5);
  slow.asked();
  slow.answered();
  expect(slow.isAwake).toBe(false);
  expect(answeredTwice(new Linger(1)).isAwake).toBe(false);
});

function answeredTwice(linger: Linger): Linger {
  linger.answered();
  linger.asked();
  linger.answered();
  return linger;
}
