// Holds and lets go of a place many times, as another server does, and says how often it was not there while held.
import { readdirSync } from "node:fs";
import { ownClaim, ownGuest } from "../../src/sandbox/holders.ts";
import { holdPlaces } from "../../src/sandbox/placeholders.ts";

const [, , file = "", rounds = "0"] = process.argv;
let missing = 0;
for (let round = 0; round < Number(rounds); round++) {
  const release = holdPlaces([file]);
  if (round % 7 === 0) await Bun.sleep(1);
  if (!readdirSync(file).some((name) => name === ownClaim() || name === ownGuest())) missing++;
  release();
}
console.log(`${missing} missing`);
