// One buffer for the bodies of a walk that holds no more than one block at a time: two as large as a block can be would be half of
// what such a walk may take.

// Smaller ones are not worth it.
const MIN_BYTES = 64 * 1024;

export class Scratch {
  private readonly maxBytes: number;
  private buffer: Uint8Array | undefined;

  /** `maxBytes`: no body is longer. What is not written to costs nothing. */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Valid until the next call. */
  room(length: number): Uint8Array {
    if (length < MIN_BYTES) return new Uint8Array(length);
    this.buffer ??= new Uint8Array(this.maxBytes);
    return this.buffer.subarray(0, length);
  }
}
