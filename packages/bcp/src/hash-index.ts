// Hashes of 32 bytes and their numbers, in the order in which they came: a flat table, because a map of strings takes five times as
// much, and there may be a million.

const HASH_BYTES = 32;
const PIECE_HASHES = 2048;
const FIRST_SLOTS = 1024;

export class HashIndex {
  count = 0;
  private readonly pieces: Uint8Array[] = [];
  /** By the first bytes of a hash, which are as good as random: its number from 1, or 0; where taken, the next one. */
  private slots = new Uint32Array(FIRST_SLOTS);

  /** About how much memory it takes. */
  get bytes(): number {
    return this.pieces.length * PIECE_HASHES * HASH_BYTES + 4 * this.slots.length;
  }

  /** The number of a hash, or -1. */
  find(hash: Uint8Array): number {
    return (this.slots[this.slotOf(hash, 0)] ?? 0) - 1;
  }

  /** The number of a hash, which gets one if it has none. */
  add(hash: Uint8Array): number {
    const slot = this.slotOf(hash, 0);
    const known = this.slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    const number = this.count++;
    const at = number % PIECE_HASHES;
    if (at === 0) this.pieces.push(new Uint8Array(PIECE_HASHES * HASH_BYTES));
    this.pieces.at(-1)?.set(hash, at * HASH_BYTES);
    this.slots[slot] = this.count;
    if (this.count * 4 > this.slots.length * 3) this.grow();
    return number;
  }

  // Where the hash at `start` of `bytes` is, or would be.
  private slotOf(bytes: Uint8Array, start: number): number {
    const mask = this.slots.length - 1;
    let slot = firstWord(bytes, start) & mask;
    for (;;) {
      const number = this.slots[slot] ?? 0;
      if (number === 0 || this.isSame(number - 1, bytes, start)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private isSame(number: number, bytes: Uint8Array, start: number): boolean {
    const piece = this.pieceOf(number);
    const at = (number % PIECE_HASHES) * HASH_BYTES;
    for (let i = 0; i < HASH_BYTES; i++) if (piece[at + i] !== bytes[start + i]) return false;
    return true;
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let number = 0; number < this.count; number++) {
      const slot = this.slotOf(this.pieceOf(number), (number % PIECE_HASHES) * HASH_BYTES);
      this.slots[slot] = number + 1;
    }
  }

  private pieceOf(number: number): Uint8Array {
    return this.pieces[Math.floor(number / PIECE_HASHES)] ?? new Uint8Array(0);
  }
}

function firstWord(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}
