// Which earlier block of the same payload a reference names. Nothing is hashed before the first reference, and only what
// references name is remembered: files without any pay nothing.

import { DecodeError } from "./bcp-errors.ts";
import { blake3Into } from "./blake3.ts";
import type { ReferencedBodies } from "./body-decoder.ts";
import { Reader } from "./byte-reader.ts";
import { decompress } from "./decompress.ts";
import { COMPRESSED, frameSlot, IS_REFERENCE, readFrame } from "./frame.ts";
import { HashIndex } from "./hash-index.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import { NumberList } from "./number-list.ts";

const HASH_BYTES = 32;
// Of the first body that each hash is of: where it starts, 0 while none has come, where it ends, and its flags.
const BODY_WORDS = 3;

export class PayloadReferences {
  /** What came out of packed frames and is kept anyway, by where they start. */
  readonly unpacked = new Map<number, Uint8Array>();
  private readonly behind: Reader;
  private readonly maxBytes: number;
  private wanted: HashIndex | undefined;
  private readonly bodies = new NumberList();
  private readonly slot = frameSlot();
  private readonly hash = new Uint8Array(HASH_BYTES);
  private last: { readonly start: number; readonly body: Uint8Array } | undefined;

  /** `frames` stands at the first of them. */
  constructor(frames: Reader, maxBytes: number) {
    this.behind = frames;
    this.maxBytes = maxBytes;
  }

  /** The bodies before the place that `reader` has got to. */
  before(reader: Reader): ReferencedBodies {
    return { get: (hash, memory) => this.get(hash, reader.pos, memory) };
  }

  private get(hash: Uint8Array, before: number, memory: MemoryLimit): Uint8Array | undefined {
    const wanted = (this.wanted ??= this.index(memory));
    this.hashUpTo(before, wanted);
    const at = BODY_WORDS * wanted.find(hash);
    const start = at < 0 ? 0 : this.bodies.get(at);
    return start === 0 ? undefined : this.body(start, this.bodies.get(at + 1), this.bodies.get(at + 2));
  }

  // The hashes that references name. What is broken is found again when its turn comes.
  private index(memory: MemoryLimit): HashIndex {
    const { behind, slot } = this;
    const wanted = new HashIndex();
    const frames = new Reader(behind.bytes, behind.place, behind.pos, behind.end);
    try {
      while (frames.pos < frames.end && readFrame(frames, slot)) {
        if (!(slot.flags & IS_REFERENCE) || slot.end - slot.start !== HASH_BYTES) continue;
        wanted.add(frames.bytes.subarray(slot.start, slot.end));
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
    for (let word = 0; word < BODY_WORDS * wanted.count; word++) this.bodies.push(0);
    memory.taken(wanted.bytes + 4 * this.bodies.length);
    return wanted;
  }

  private hashUpTo(before: number, wanted: HashIndex): void {
    const { behind, hash, slot } = this;
    while (behind.pos < before) {
      if (!readFrame(behind, slot) || slot.flags & IS_REFERENCE) continue;
      const { start, end, flags } = slot;
      if (flags & COMPRESSED) {
        const body = this.body(start, end, flags);
        blake3Into(hash, body, 0, body.length);
      } else blake3Into(hash, behind.bytes, start, end);
      const at = BODY_WORDS * wanted.find(hash);
      if (at < 0 || this.bodies.get(at) !== 0) continue;
      this.bodies.set(at, start);
      this.bodies.set(at + 1, end);
      this.bodies.set(at + 2, flags);
    }
  }

  // Unpacked again where it is not kept: a walk should not hold what it has passed.
  private body(start: number, end: number, flags: number): Uint8Array {
    const stored = this.behind.bytes.subarray(start, end);
    if (!(flags & COMPRESSED)) return stored;
    const known = this.unpacked.get(start);
    if (known) return known;
    if (this.last?.start !== start) this.last = { start, body: decompress(stored, this.maxBytes, start) };
    return this.last.body;
  }
}
