// The files through which shells report their directory, and get commands that are too long for an argument: without a
// name, appended to, reused. A record without the marker of its own command is not believed.
import { fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { closeQuietly, openNamelessFile } from "./private-files.ts";
import { parseRecord } from "./shell-words.ts";

// A path is at most 4096 bytes; anything longer in the record is not ours.
const MAX_BYTES = 16_384;
const MOST_IDLE = 8;

/** Where one command's record will be: after `offset` bytes of script. */
export type ReportPlace = { readonly fd: number; readonly offset: number; readonly marker: string };

export class ReportFiles {
  readonly #folder: string;
  readonly #idle: number[] = [];
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** An empty one. One that was used before is not at its start any more: fine for a record, not for a script. */
  take(fresh: boolean): number {
    return (fresh ? undefined : this.#idle.pop()) ?? openNamelessFile(this.#folder);
  }

  /** The directory that was reported, if one was. The file is given back. */
  finish({ fd, offset, marker }: ReportPlace): string | undefined {
    try {
      const bytes = new Uint8Array(Math.max(0, Math.min(fstatSync(fd).size - offset, MAX_BYTES)));
      const got = readSync(fd, bytes, 0, bytes.length, offset);
      ftruncateSync(fd, 0);
      if (this.#idle.length < MOST_IDLE && !this.#closed) this.#idle.push(fd);
      else closeQuietly(fd);
      return parseRecord(bytes.subarray(0, got), marker);
    } catch {
      // A full disk or a closed descriptor: as if the shell had reported nothing.
      closeQuietly(fd);
      return undefined;
    }
  }

  close(): void {
    this.#closed = true;
    for (const fd of this.#idle.splice(0)) closeQuietly(fd);
  }
}

/** Writes what the shell will read before its record. Returns its length. */
export function writeScript(fd: number, text: Buffer): number {
  // With a position, so that the descriptor's own, from which the shell reads, stays at the start.
  for (let at = 0; at < text.length;) at += writeSync(fd, text, at, text.length - at, at);
  return text.length;
}
