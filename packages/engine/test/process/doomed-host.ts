// A host that will be killed from outside: it starts a tree that tries to get away, says so, and waits.
import { openDeck, runawayTree } from "./fixture.ts";

const deck = openDeck();
const seconds = process.argv[2] ?? "";
await deck.host.start(deck.shell(`${runawayTree(seconds)}\nsleep ${seconds}`));
await deck.host.run(deck.shell("true"));
console.log("started");
await Bun.sleep(600_000);
