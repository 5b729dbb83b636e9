// Content onto the disk without holding everybody up. Not `promisify` of node:util: loading that costs 1.5 MB.
import fs from "node:fs";

export function fsync(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.fsync(fd, (error) => (error ? reject(error) : resolve()));
  });
}
