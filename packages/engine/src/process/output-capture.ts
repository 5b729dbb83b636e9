// One output stream, kept within bounds while it grows and readable at any moment: its first bytes, its last bytes, how
// much there was, and, when asked for, everything up to a limit in a spool file. It knows no process.
import {
  CodePointCounter,
  continuationBytes,
  decodeOutput,
  firstCodePoints,
  lastCodePoints,
  unfinishedBytes,
} from "./output-text.ts";
import type { OutputBudget } from "./output-budget.ts";
import { Spool } from "./spool-file.ts";
import type { SpoolPlan } from "./spool-file.ts";

/** How much of the start is shown. A character of UTF-8 has at most four bytes, so a cap in characters bounds memory too. */
export type OutputCap = { readonly max: number; readonly unit: "chars" | "bytes" };

export type CapturePlan = {
  readonly cap: OutputCap;
  /** How many of the last bytes to keep once the cap is passed. */
  readonly tailBytes?: number;
  readonly spool?: SpoolPlan;
  /** What the streams of one command may keep together, within their caps. */
  readonly budget?: OutputBudget;
};

/** What is shown of a stream, and what is known of the rest. */
export type Captured = {
  readonly text: string;
  readonly totalBytes: number;
  readonly totalChars: number;
  readonly cut: boolean;
  readonly binary: boolean;
};

/** A piece of the stream: `skipped` bytes before it are lost for good; ask for `next` to go on. */
export type Piece = {
  readonly text: string;
  readonly offset: number;
  readonly next: number;
  readonly skipped: number;
  /** The stream has ended and this piece reaches its end. */
  readonly last: boolean;
};

const DEFAULT_TAIL_BYTES = 120_000;

export class Capture {
  readonly #plan: CapturePlan;
  readonly #headMax: number;
  readonly #tailMax: number;
  readonly #counter = new CodePointCounter();
  #head = new Uint8Array(0); // grows by doubling: a flood of one-byte chunks costs no more than one of large ones
  #headBytes = 0;
  #ring: Uint8Array | undefined;
  #totalBytes = 0;
  #binary = false;
  #ended = false;
  #spool: Spool | undefined;

  constructor(plan: CapturePlan) {
    this.#plan = plan;
    this.#headMax = plan.cap.unit === "bytes" ? plan.cap.max : plan.cap.max * 4 + 4;
    this.#tailMax = plan.tailBytes ?? DEFAULT_TAIL_BYTES;
    plan.budget?.join(this);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  get totalChars(): number {
    return this.#counter.count;
  }

  get binary(): boolean {
    return this.#binary;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Takes a chunk. The bytes kept are copied: the chunk may be reused. */
  push(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.#ended) return;
    this.#counter.add(chunk);
    this.#binary ||= chunk.includes(0);
    const room = this.#roomFor(chunk.length);
    if (room > 0) {
      this.#appendToHead(chunk.subarray(0, room));
    }
    if (chunk.length > room || this.#spool !== undefined) this.#overflow(chunk, Math.max(0, room));
    this.#totalBytes += chunk.length;
  }

  /** No more will come, or no more is wanted. */
  finish(): void {
    if (this.#ended) return;
    this.#counter.finish();
    this.#ended = true;
  }

  captured(): Captured {
    const facts = { totalBytes: this.#totalBytes, totalChars: this.#counter.count, binary: this.#binary };
    const { max, unit } = this.#plan.cap;
    const whole = this.#headBytes === this.#totalBytes;
    const decoded = decodeOutput(this.#keptHead(), whole && this.#ended);
    const text = unit === "chars" ? firstCodePoints(decoded, max) : decoded;
    return { text, ...facts, cut: !whole || text.length < decoded.length };
  }

  /** The last `maxChars` characters of what has come so far. */
  lastChars(maxChars: number): string {
    const bytes = this.#newest(maxChars * 4 + 4);
    const start = bytes.length < this.#totalBytes ? continuationBytes(bytes) : 0;
    return lastCodePoints(decodeOutput(bytes.subarray(start), this.#ended), maxChars);
  }

  /** What is there from a byte offset on, at most `maxBytes`, cut on character boundaries. */
  read(offset: number, maxBytes: number): Piece {
    const from = Math.min(Math.max(0, offset), this.#totalBytes);
    const [start, raw] = this.#bytesFrom(from, Math.max(4, maxBytes));
    const lead = start > 0 && start > from ? continuationBytes(raw) : 0;
    const atEnd = start + raw.length === this.#totalBytes;
    const complete = atEnd && this.#ended;
    const trail = complete ? 0 : unfinishedBytes(raw);
    const bytes = raw.subarray(lead, raw.length - trail);
    const next = start + lead + bytes.length;
    return {
      text: decodeOutput(bytes, complete),
      offset: start + lead,
      next,
      skipped: start + lead - from,
      last: this.#ended && next === this.#totalBytes,
    };
  }

  /** Frees what is kept. */
  discard(): void {
    this.finish();
    this.#head = new Uint8Array(0);
    this.#headBytes = 0;
    this.#ring = undefined;
    this.#spool?.close();
    this.#spool = undefined;
  }

  /** What it may still keep of the start, at least as far as this chunk goes. */
  #roomFor(bytes: number): number {
    const own = this.#headMax - this.#headBytes;
    const { budget } = this.#plan;
    return budget === undefined || own <= 0 ? own : budget.take(this, Math.min(own, bytes));
  }

  #overflow(chunk: Uint8Array, room: number): void {
    if (this.#plan.spool !== undefined && this.#spool === undefined) {
      this.#spool = new Spool(this.#plan.spool);
      // Everything so far is still in the head, which has just taken its share of this chunk.
      this.#spool.append(this.#keptHead());
      this.#spool.append(chunk.subarray(room));
    } else {
      this.#spool?.append(chunk);
    }
    if (this.#tailMax === 0) return;
    const first = this.#ring === undefined;
    this.#ring ??= new Uint8Array(this.#tailMax);
    if (first) {
      // The tail may reach back into the head: start with what came before this chunk.
      const before = this.#keptHead().subarray(0, this.#totalBytes).subarray(-this.#tailMax);
      writeRing(this.#ring, this.#totalBytes - before.length, before);
    }
    writeRing(this.#ring, this.#totalBytes, chunk);
  }

  #newest(maxBytes: number): Uint8Array {
    if (this.#ring === undefined) return this.#keptHead().subarray(-maxBytes);
    return this.#fromRing(Math.max(this.#ringStart(), this.#totalBytes - maxBytes), maxBytes);
  }

  // Head or spool, then the ring where it joins on. Before a gap, what is left of a character cannot be finished any more:
  // it belongs to the gap.
  #bytesFrom(offset: number, maxBytes: number): [start: number, bytes: Uint8Array] {
    const spooled = this.#spool !== undefined && this.#spool.bytes >= this.#headBytes ? this.#spool : undefined;
    const first = spooled?.read(offset, maxBytes) ?? this.#keptHead().subarray(offset, offset + maxBytes);
    const at = offset + first.length;
    const joins = this.#ring !== undefined && at >= this.#ringStart();
    if (joins && first.length < maxBytes)
      return [offset, Buffer.concat([first, this.#fromRing(at, maxBytes - first.length)])];
    if (joins || at === this.#totalBytes || first.length - unfinishedBytes(first) > 0) return [offset, first];
    return [this.#ringStart(), this.#fromRing(this.#ringStart(), maxBytes)];
  }

  #ringStart(): number {
    return this.#ring === undefined ? this.#totalBytes : Math.max(0, this.#totalBytes - this.#tailMax);
  }

  #fromRing(start: number, maxBytes: number): Uint8Array {
    const ring = this.#ring ?? new Uint8Array(0);
    const length = ring.length === 0 ? 0 : Math.min(maxBytes, this.#totalBytes - start);
    const bytes = new Uint8Array(length);
    const at = ring.length === 0 ? 0 : start % ring.length;
    const straight = Math.min(length, ring.length - at);
    bytes.set(ring.subarray(at, at + straight));
    bytes.set(ring.subarray(0, length - straight), straight);
    return bytes;
  }

  #appendToHead(bytes: Uint8Array): void {
    const wanted = this.#headBytes + bytes.length;
    if (wanted > this.#head.length) {
      const grown = new Uint8Array(Math.min(this.#headMax, Math.max(wanted, 2 * this.#head.length)));
      grown.set(this.#head.subarray(0, this.#headBytes));
      this.#head = grown;
    }
    this.#head.set(bytes, this.#headBytes);
    this.#headBytes = wanted;
  }

  #keptHead(): Uint8Array {
    return this.#head.subarray(0, this.#headBytes);
  }
}

/** Puts a chunk that starts at a stream offset where that offset belongs in the ring. */
function writeRing(ring: Uint8Array, offset: number, chunk: Uint8Array): void {
  const kept = chunk.subarray(-ring.length);
  const at = (offset + chunk.length - kept.length) % ring.length;
  const straight = Math.min(kept.length, ring.length - at);
  ring.set(kept.subarray(0, straight), at);
  ring.set(kept.subarray(straight), 0);
}
