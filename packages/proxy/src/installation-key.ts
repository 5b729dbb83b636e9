// A key of this installation: with it the same result has the same handle in every session, so that the bytes a client sends
// to its model, and what is cached for them, stay the same.
import { randomBytes } from "node:crypto";
import path from "node:path";
import { readPrivateFile, writePrivateFile } from "@bosun/platform/private-files";
import type { Log } from "@bosun/platform/log";
import { stateFolder } from "./locked-json-file.ts";

const FILE = "originals.key";
const KEY = /^[0-9a-f]{64}\n$/;

export async function installationKey(log: Log): Promise<Uint8Array> {
  const made = randomBytes(32);
  try {
    const file = path.join(await stateFolder(), FILE);
    const kept = readPrivateFile(file)?.text;
    if (kept !== undefined && KEY.test(kept)) return Buffer.from(kept.trim(), "hex");
    writePrivateFile(file, `${made.toString("hex")}\n`);
  } catch (error) {
    // Handles are then those of this session only.
    log("warn", `handles change with the session: ${error instanceof Error ? error.message : String(error)}`);
  }
  return made;
}
