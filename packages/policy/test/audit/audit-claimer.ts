// Takes and gives back logs of an audit folder as fast as it can, and says how often somebody else was in its log.
import { mkdirSync, rmdirSync } from "node:fs";
import { claimLog } from "../../src/audit/audit-files.ts";

const [, , folder = "", times = "0"] = process.argv;
let shared = 0;
for (let round = 0; round < Number(times); round++) {
  const { file, release } = claimLog(folder);
  const mark = `${file}.mine`;
  try {
    mkdirSync(mark);
    rmdirSync(mark);
  } catch {
    shared += 1;
  }
  release();
}
console.log(shared);
