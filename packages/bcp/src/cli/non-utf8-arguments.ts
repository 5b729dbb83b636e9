// Words of this process's own command line that are not UTF-8. The runtime replaces what it cannot read in them, and the name of
// one file becomes that of another.

import { UsageError } from "@bosun/platform/flags";
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";

const REPLACEMENT = "\ufffd";

/** Throws for such a word; where the system does not tell (not Linux), for none. */
export function refuseNonUtf8Words(words: readonly string[]): void {
  const misread = words.find((word) => word.includes(REPLACEMENT));
  if (misread === undefined || isUtf8(ownCommandLine())) return;
  throw new UsageError(`${JSON.stringify(misread)} is not UTF-8: use - and redirect (< or >), or rename the file`);
}

function ownCommandLine(): Uint8Array {
  try {
    return readFileSync("/proc/self/cmdline");
  } catch {
    return new Uint8Array(0);
  }
}
