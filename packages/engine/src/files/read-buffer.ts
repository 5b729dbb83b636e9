// The buffers files are read through: few, fixed, reused. Bun frees big buffers late, so a new one per read would add up.
export const CHUNK_BYTES = 256 * 1024;
const KEPT = 4;

const free: Buffer[] = [];

/** A buffer for one reader at a time; its bytes mean nothing after dispose. */
export class ReadBuffer implements Disposable {
  readonly bytes: Buffer = free.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);

  [Symbol.dispose](): void {
    if (free.length < KEPT) free.push(this.bytes);
  }
}
