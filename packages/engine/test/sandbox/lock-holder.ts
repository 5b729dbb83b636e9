// Holds and lets go of a mount point many times, as another server does, and says how often it was not there while held.
import { existsSync } from "node:fs";
import { MountpointLocks } from "../../src/sandbox/mountpoint-locks.ts";

const [, , folder = "", file = "", rounds = "0"] = process.argv;
const locks = new MountpointLocks(folder);
let missing = 0;
for (let round = 0; round < Number(rounds); round++) {
  const release = locks.hold([{ path: file, content: undefined }]);
  if (round % 7 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
  if (!existsSync(file)) missing++;
  release();
}
console.log(`${missing} missing`);
