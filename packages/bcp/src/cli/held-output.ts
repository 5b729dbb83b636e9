// What is to be written, as far as it may be held: a small manifest may name a large file a thousand times.

const FREE_BYTES = 16 * 1024 * 1024;

export class HeldOutput {
  private readonly inputBytes: () => number;
  private list: Uint8Array[] | undefined = [];
  bytes = 0;

  /** `inputBytes` is what has been read, each file once: so much may be held besides what is free. */
  constructor(inputBytes: () => number) {
    this.inputBytes = inputBytes;
  }

  add(piece: Uint8Array): void {
    this.bytes += piece.length;
    if (this.bytes > FREE_BYTES + this.inputBytes()) this.list = undefined;
    this.list?.push(piece);
  }

  /** All of it, or undefined where it was too much: then it has to be made again. */
  pieces(): readonly Uint8Array[] | undefined {
    return this.list;
  }
}
