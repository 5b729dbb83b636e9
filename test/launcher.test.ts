// scripts/bun.mjs stands between npm and everything else: what happens to the program must be seen through it.
import { expect, test } from "bun:test";
import path from "node:path";

const launcher = path.resolve(import.meta.dir, "../scripts/bun.mjs");

function launch(script: string): Bun.Subprocess<"ignore", "pipe", "inherit"> {
  return Bun.spawn(["node", launcher, "-e", script], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
}

test.each([0, 3])("exit code %d is passed on", async (code) => {
  expect(await launch(`process.exitCode = ${code}`).exited).toBe(code);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s reaches the program, and ends both alike", async (signal) => {
  const child = launch("console.log(process.pid); setInterval(() => {}, 1000)");
  const { value } = await child.stdout.getReader().read();
  child.kill(signal);
  await child.exited;
  // Ending with 0 would call an interrupted test run a success.
  expect(child.signalCode).toBe(signal);
  expect(() => process.kill(Number(new TextDecoder().decode(value)), 0)).toThrow();
});

test("a program that ends well when asked to is not called killed", async () => {
  const child = launch(`process.on("SIGTERM", () => process.exit(7)); console.log("up"); setInterval(() => {}, 1000)`);
  await child.stdout.getReader().read();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(7);
});
