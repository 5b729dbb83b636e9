// The files that a manifest names for its contents.

import { GarbageCollection } from "../garbage-collection.ts";
import { ManifestError } from "../manifest/json-members.ts";
import { isStandard, readIdentified } from "./file-access.ts";
import type { BcpIo } from "./io.ts";
import { osText } from "./os-error.ts";

export class ContentFiles {
  private readonly io: BcpIo;
  // Paths in a manifest start where the manifest is.
  private readonly folder: string;
  private readonly garbage = new GarbageCollection();
  private readonly known = new Set<string>();
  private taken = 0;
  /** How much there is in all that have been read, each of them once. */
  bytes = 0;

  constructor(io: BcpIo, manifest: string) {
    this.io = io;
    this.folder = isStandard(manifest) ? "" : manifest.slice(0, manifest.lastIndexOf("/") + 1);
  }

  /** The manifest is gone through from its beginning. */
  begin(): void {
    this.taken = 0;
  }

  async read(wanted: string): Promise<Uint8Array> {
    const file = wanted.startsWith("/") ? wanted : this.folder + wanted;
    try {
      // A manifest cannot mean standard input: `-` is a file name here. What may be read is counted each time that it is
      // read: a small manifest may name a large file a thousand times.
      const { bytes, id } = await readIdentified(this.io, file === "-" ? "./-" : file, this.taken);
      this.taken += bytes.length;
      this.garbage.add(bytes.length);
      if (!this.known.has(id)) {
        this.known.add(id);
        this.bytes += bytes.length;
      }
      return bytes;
    } catch (error) {
      if (this.io.signal?.aborted) throw error;
      throw new ManifestError(`cannot read content_file ${file}: ${osText(error)}`);
    }
  }
}
