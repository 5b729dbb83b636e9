// Looks at the bytes below a folder until its input ends, and says the most it has seen: `bun watch-size.ts FOLDER`.
import fs from "node:fs";
import path from "node:path";

const [folder = ""] = process.argv.slice(2);
let most = 0;
let looks = 0;
const over = new AbortController();
void (async () => {
  for await (const _ of Bun.stdin.stream());
  over.abort();
})();
console.log("looking");
while (!over.signal.aborted) {
  let sum = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      sum += fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  most = Math.max(most, sum);
  looks += 1;
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(JSON.stringify({ most, looks }));
