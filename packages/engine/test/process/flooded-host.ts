// Runs in a process of its own, because memory is measured: a command writes a gigabyte, and what came of it is printed.
import { openDeck } from "./fixture.ts";

const deck = openDeck();
await deck.host.run(deck.shell("echo the first command loads what every one needs"));
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
const { stdout } = await deck.host.run(deck.shell("head -c 1000000000 /dev/zero"));
clearInterval(watch);
const { totalBytes, totalChars, cut } = stdout;
console.log(JSON.stringify({ totalBytes, totalChars, cut, grownMb: (peak - before) / 1e6 }));
await deck.close();
