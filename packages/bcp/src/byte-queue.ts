// Bytes on demand from an asynchronous source: exactly as many as asked for, copied out of the chunks they came in.

/** What streaming decodes from: a web or node stream, an async generator, or chunks that are already there. */
export type ByteSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

const NOTHING: Uint8Array = new Uint8Array(0);

export class ByteQueue {
  private readonly chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  private current = NOTHING;
  private ended = false;
  /** How many bytes were taken so far. */
  position = 0;

  constructor(source: ByteSource) {
    this.chunks = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  }

  /** What has arrived and not been taken, without waiting. */
  get buffered(): Uint8Array {
    return this.current;
  }

  /** Waits until more has arrived than is buffered now. False if nothing more will. */
  async more(): Promise<boolean> {
    // The source may fill the same buffer again: what is left of the last chunk has to be saved before asking. Not by
    // slice(), which on a Buffer copies nothing.
    if (this.current.length > 0) this.current = new Uint8Array(this.current);
    while (!this.ended) {
      const step = await this.chunks.next();
      if (step.done) this.ended = true;
      else if (step.value.length > 0) {
        this.current = this.current.length === 0 ? step.value : joined(this.current, step.value);
        return true;
      }
    }
    return false;
  }

  /** Takes `length` bytes, or undefined if the source ends before. */
  async take(length: number, scratch?: BodyBuffer): Promise<Uint8Array | undefined> {
    const taken = scratch ? scratch.room(length) : new Uint8Array(length);
    for (let filled = 0; filled < length;) {
      if (this.current.length === 0 && !(await this.more())) return undefined;
      const piece = this.current.subarray(0, length - filled);
      taken.set(piece, filled);
      filled += piece.length;
      this.drop(piece.length);
    }
    return taken;
  }

  /** Lets `length` bytes pass. False if the source ends before. */
  async skip(length: number): Promise<boolean> {
    for (let left = length; left > 0;) {
      if (this.current.length === 0 && !(await this.more())) return false;
      const passed = Math.min(left, this.current.length);
      this.drop(passed);
      left -= passed;
    }
    return true;
  }

  /** Forgets `length` of the buffered bytes. */
  drop(length: number): void {
    this.current = this.current.length === length ? NOTHING : this.current.subarray(length);
    this.position += length;
  }

  /** Tells the source that nobody will read on. */
  async close(): Promise<void> {
    this.ended = true;
    await this.chunks.return?.();
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}

// Smaller ones are not worth it.
const MIN_BYTES = 64 * 1024;

export class BodyBuffer {
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
