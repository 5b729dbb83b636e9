// Which earlier block of the same payload a reference names. Nothing is hashed before the first reference, and only what
// references name is remembered: files without any pay nothing.

import { Buffer } from "node:buffer";
import { blake3Into } from "./blake3.ts";
import type { EarlierBodies } from "./body.ts";
import { decompress } from "./decompress.ts";
import { DecodeError } from "./failure.ts";
import { COMPRESSED, frameSlot, IS_REFERENCE, readFrame } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { Reader } from "./reader.ts";

export class EarlierFrames {
  /** What came out of packed frames and is kept anyway, by where they start. */
  readonly unpacked = new Map<number, Uint8Array>();
  private readonly found = new Map<string, Frame>();
  private readonly behind: Reader;
  private readonly maxBytes: number;
  private wanted: Wanted | undefined;
  private readonly slot = frameSlot();
  private readonly hash = new Uint8Array(32);
  private last: { readonly start: number; readonly body: Uint8Array } | undefined;

  /** `frames` stands at the first of them. */
  constructor(frames: Reader, maxBytes: number) {
    this.behind = frames;
    this.maxBytes = maxBytes;
  }

  /** The bodies before the place that `reader` has got to. */
  before(reader: Reader): EarlierBodies {
    return { get: (hash) => this.get(hash, reader.pos) };
  }

  private get(hash: Uint8Array, before: number): Uint8Array | undefined {
    const { behind, hash: own } = this;
    this.wanted ??= new Wanted(new Reader(behind.bytes, behind.place, behind.pos, behind.end));
    while (behind.pos < before) {
      const frame = readFrame(behind, this.slot);
      if (!frame || frame.flags & IS_REFERENCE) continue;
      if (frame.flags & COMPRESSED) {
        const body = this.bodyOf(frame);
        blake3Into(own, body, 0, body.length);
      } else blake3Into(own, behind.bytes, frame.start, frame.end);
      const key = this.wanted.keyIfWanted(own);
      if (key !== undefined && !this.found.has(key)) this.found.set(key, { ...frame });
    }
    const frame = this.found.get(keyOf(hash));
    return frame && this.bodyOf(frame);
  }

  // Unpacked again where it is not kept: a walk should not hold what it has passed.
  private bodyOf(frame: Frame): Uint8Array {
    const { start, end, flags } = frame;
    const stored = this.behind.bytes.subarray(start, end);
    if (!(flags & COMPRESSED)) return stored;
    const known = this.unpacked.get(start);
    if (known) return known;
    if (this.last?.start !== start) this.last = { start, body: decompress(stored, this.maxBytes, start) };
    return this.last.body;
  }
}

/** The hashes that references name. What is broken is found again when its turn comes. */
class Wanted {
  private readonly keys = new Set<string>();
  // Most bodies are named by nobody: four bytes tell that without a string for each.
  private readonly beginnings = new Set<number>();

  constructor(frames: Reader) {
    const slot = frameSlot();
    try {
      while (frames.pos < frames.end && readFrame(frames, slot)) {
        if (!(slot.flags & IS_REFERENCE)) continue;
        const hash = frames.bytes.subarray(slot.start, slot.end);
        this.keys.add(keyOf(hash));
        this.beginnings.add(beginning(hash));
      }
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
  }

  keyIfWanted(hash: Uint8Array): string | undefined {
    if (!this.beginnings.has(beginning(hash))) return undefined;
    const key = keyOf(hash);
    return this.keys.has(key) ? key : undefined;
  }
}

function beginning(hash: Uint8Array): number {
  return (hash[0] ?? 0) | ((hash[1] ?? 0) << 8) | ((hash[2] ?? 0) << 16) | ((hash[3] ?? 0) << 24);
}

// One byte per character: there may be as many as there are references.
function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString("latin1");
}
