// Run with a low limit on open files: commands are refused in words, and run again once there is room.
import { closeSync, openSync } from "node:fs";
import { EngineError } from "../../src/engine-error.ts";
import { ENV, openDeck } from "./fixture.ts";

const deck = openDeck();
await deck.host.run(deck.shell("true"));
const held: number[] = [];
try {
  for (;;) held.push(openSync("/dev/null", "r"));
} catch {
  // the table is full
}
// In an environment of its own: a shell that was started ahead would need no further descriptors.
const refused = await deck.host.run(deck.shell("true", { env: { ...ENV, OWN: "1" } })).then(
  () => "started",
  (error: unknown) => (error instanceof EngineError && error.code === "START_FAILED" ? "refused" : String(error)),
);
for (const fd of held) closeSync(fd);
const run = await deck.host.run(deck.shell("exit 0"));
console.log(`${refused} then ${run.exitCode === 0 ? "ran" : "failed"}`);
await deck.close();
