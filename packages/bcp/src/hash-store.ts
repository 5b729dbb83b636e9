// Which bodies there were, by their hash alone, for an encoder that asks for nothing else: a flat table, because a set of
// strings takes five times as much, and there may be a million.

import { blake3 } from "./blake3.ts";
import type { ContentStore } from "./content-store.ts";

const HASH_BYTES = 32;
const PIECE_HASHES = 2048;
const FIRST_SLOTS = 1024;

export class HashStore implements ContentStore {
  private readonly pieces: Uint8Array[] = [];
  private count = 0;
  /** By the first bytes of a hash, which are as good as random: its number from 1, or 0; where taken, the next one. */
  private slots = new Uint32Array(FIRST_SLOTS);

  get(): undefined {
    return undefined;
  }

  put(body: Uint8Array, hash = blake3(body)): Uint8Array {
    const slot = this.slotOf(hash, 0);
    if (this.slots[slot] !== 0) return hash;
    const at = this.count % PIECE_HASHES;
    if (at === 0) this.pieces.push(new Uint8Array(PIECE_HASHES * HASH_BYTES));
    this.pieces.at(-1)?.set(hash, at * HASH_BYTES);
    this.slots[slot] = ++this.count;
    if (this.count * 4 > this.slots.length * 3) this.grow();
    return hash;
  }

  has(hash: Uint8Array): boolean {
    return this.slots[this.slotOf(hash, 0)] !== 0;
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

  private isSame(index: number, bytes: Uint8Array, start: number): boolean {
    const piece = this.pieceOf(index);
    const at = (index % PIECE_HASHES) * HASH_BYTES;
    for (let i = 0; i < HASH_BYTES; i++) if (piece[at + i] !== bytes[start + i]) return false;
    return true;
  }

  private grow(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let index = 0; index < this.count; index++) {
      const slot = this.slotOf(this.pieceOf(index), (index % PIECE_HASHES) * HASH_BYTES);
      this.slots[slot] = index + 1;
    }
  }

  private pieceOf(index: number): Uint8Array {
    return this.pieces[Math.floor(index / PIECE_HASHES)] ?? new Uint8Array(0);
  }
}

function firstWord(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}
