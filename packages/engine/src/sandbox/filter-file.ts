// The system call filter as descriptors for programs that read it from one. Each gets a descriptor of its own: those that
// are handed on share their position, and the second reader would find the end.
import { openSync, writeSync } from "node:fs";
import { openNamelessFile, temporaryFolder } from "../process/private-files.ts";
import { systemCallFilter } from "./system-calls.ts";

// One per process, not per confinement: those are built anew whenever a rule covers another file.
let held: number | undefined;

/** A descriptor at the start of the filter, to be closed by the caller; undefined on a machine without one. */
export function openFilter(): number | undefined {
  const filter = systemCallFilter({ internetSockets: true });
  if (filter === undefined) return undefined;
  if (held === undefined) {
    held = openNamelessFile(temporaryFolder());
    writeSync(held, filter);
  }
  return openSync(`/proc/self/fd/${held}`, "r");
}
