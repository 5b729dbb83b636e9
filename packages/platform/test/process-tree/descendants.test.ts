// Trees of real processes, also those whose members have left the group.
import { expect, test } from "bun:test";
import { descendantsOf, isRunning, killProcesses } from "@bosun/platform/process-tree";

test.skipIf(process.platform !== "linux")("what left its group is found below its parent, and ended", async () => {
  const child = Bun.spawn(["bash", "-c", "setsid sleep 600 & echo $!; wait"], { stdout: "pipe", stderr: "ignore" });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const stray = Number(new TextDecoder().decode(value));
  // setsid may be about to become sleep: the number stays.
  const found = descendantsOf(child.pid);
  expect(found.map(({ pid }) => pid)).toContain(stray);
  expect(found.every(isRunning)).toBe(true);
  killProcesses(found);
  await child.exited;
  expect(found.some(isRunning)).toBe(false);
});

test.skipIf(process.platform !== "linux")("a number that is another process's by now is not the same", () => {
  expect(isRunning({ pid: process.pid, started: "1" })).toBe(false);
});
