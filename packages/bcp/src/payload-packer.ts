// A payload that is compressed as a whole, from the pieces of the plain one (FORMAT.md, "Compression").

import { HEADER_BYTES, headerBytes, PAYLOAD_COMPRESSED } from "./header.ts";
import { ZstdWriter } from "./zstd-writer.ts";

export class PayloadPacker {
  private readonly zstd: ZstdWriter;
  private plainBytes = 0;
  private packedBytes = 0;

  constructor(send: (packed: Uint8Array) => void) {
    send(headerBytes(PAYLOAD_COMPRESSED));
    this.zstd = new ZstdWriter((packed) => {
      this.packedBytes += packed.length;
      send(packed);
    });
  }

  /** The first piece begins with the header of the plain payload, which is at least that long. */
  async write(piece: Uint8Array): Promise<void> {
    const frames = this.plainBytes === 0 ? piece.subarray(HEADER_BYTES) : piece;
    this.plainBytes += frames.length;
    await this.zstd.write(frames);
  }

  /** Whether it has become smaller: otherwise it is not used. */
  async end(): Promise<boolean> {
    await this.zstd.end();
    return this.packedBytes < this.plainBytes;
  }
}
