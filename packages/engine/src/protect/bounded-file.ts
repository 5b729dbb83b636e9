// A small file of git's, read without following a link as its last part, without waiting for a FIFO, and up to a limit.
import fs from "node:fs";
import { fsPath } from "../sandbox/path-text.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = fs.constants;

/** The bytes, cut at the limit, or undefined when there is no regular file to read. */
export function readBounded(
  file: string,
  maxBytes: number,
  options: { followLink?: boolean } = {},
): Buffer | undefined {
  const named = fsPath(file);
  let fd: number | undefined;
  try {
    const stat = options.followLink === true ? fs.statSync(named) : fs.lstatSync(named);
    // Looked at before it is opened: opening a device can do anything.
    if (!stat.isFile()) return undefined;
    fd = fs.openSync(named, O_RDONLY | O_NONBLOCK | O_NOCTTY | (options.followLink === true ? 0 : O_NOFOLLOW));
    if (!fs.fstatSync(fd).isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(maxBytes, stat.size + 1));
    let filled = 0;
    while (filled < bytes.length) {
      const got = fs.readSync(fd, bytes, filled, bytes.length - filled, filled);
      if (got === 0) break;
      filled += got;
    }
    return bytes.subarray(0, filled);
  } catch {
    return undefined; // gone, or closed to us: git of this user cannot read it, either
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}
