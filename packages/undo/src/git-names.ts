// The names in a git index, for the order of the first snapshot only: an agent can write it, so nothing is believed of it.
import fs from "node:fs";
import path from "node:path";
import { decodePath } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

const MAX_BYTES = 32 * 1024 ** 2;
const HEADER = 12;
const FIXED = 62;
const EXTENDED = 0x4000;

/** Versions 2 and 3; of another, or a damaged one, none. */
export function gitNames(root: string): Set<TreePath> {
  const names = new Set<TreePath>();
  const index = readIndex(path.join(root, ".git/index"));
  if (index === undefined || index.length < HEADER || index.toString("latin1", 0, 4) !== "DIRC") return names;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return names;
  const count = index.readUInt32BE(8);
  let at = HEADER;
  for (let entry = 0; entry < count && at + FIXED < index.length; entry += 1) {
    const from = at + FIXED + ((index.readUInt16BE(at + 60) & EXTENDED) === 0 ? 0 : 2);
    const end = index.indexOf(0, from);
    if (end === -1) break;
    names.add(decodePath(index.subarray(from, end)));
    // Entries end on a multiple of eight, with at least one zero.
    at += Math.floor((end - at) / 8) * 8 + 8;
  }
  return names;
}

function readIndex(file: string): Buffer | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined || !stat.isFile() || stat.size > MAX_BYTES ? undefined : fs.readFileSync(file);
}
