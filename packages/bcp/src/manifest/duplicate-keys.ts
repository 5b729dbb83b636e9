// Which keys of an object have been there already, in eight bytes for each: a set of strings takes ten times as much.

import type { GarbageCollection } from "../garbage-collection.ts";
import { NO_NODE } from "../json-document.ts";
import type { JsonNode, JsonText } from "../json-document.ts";

const BACKSLASH = 0x5c;
const FIRST_CAPACITY = 64;
// Up to here every one is compared with every other.
const FEW = 24;
// What unescaping a key leaves behind.
const VIEW_COST = 512;
// Nobody outside can know which keys have the same hash.
const SEEDS = crypto.getRandomValues(new Int32Array(2));

/** The hashes of the keys of the objects that are being read, those of the innermost last. */
export class KeyHashes {
  private readonly json: JsonText;
  private readonly garbage: GarbageCollection;
  private hashes = new Float64Array(FIRST_CAPACITY);
  length = 0;

  constructor(json: JsonText, garbage: GarbageCollection) {
    this.json = json;
    this.garbage = garbage;
  }

  /** A number for what a key says: keys that say the same have the same. */
  add(key: JsonNode): number {
    if (this.length === this.hashes.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.hashes);
      this.garbage.add(this.hashes.byteLength);
      this.hashes = larger;
    }
    const hash = this.hashOf(key);
    this.hashes[this.length++] = hash;
    return hash;
  }

  /** Forgets those since `mark`, which are all of one object. Returns the first key that came twice. */
  repeated(mark: number, object: JsonNode): JsonNode | undefined {
    const own = this.hashes.subarray(mark, this.length);
    this.length = mark;
    return hasTwins(own) ? this.firstRepeated(object, own.sort()) : undefined;
  }

  private firstRepeated(object: JsonNode, sorted: Float64Array): JsonNode | undefined {
    const { json } = this;
    const seen = new Uint8Array(sorted.length);
    for (let key = json.first(object); key !== NO_NODE; key = json.next(json.end(json.valueOf(key)))) {
      const hash = this.hashOf(key);
      const place = placeOf(sorted, hash);
      if (seen[place] === 1 && this.isBefore(object, key, hash)) return key;
      seen[place] = 1;
    }
    return undefined;
  }

  // That two hashes are equal means nothing yet.
  private isBefore(object: JsonNode, key: JsonNode, hash: number): boolean {
    const { json } = this;
    const said = json.text(key);
    for (let other = json.first(object); other < key; other = json.next(json.end(json.valueOf(other)))) {
      if (this.hashOf(other) === hash && json.text(other) === said) return true;
    }
    return false;
  }

  private hashOf(key: JsonNode): number {
    const { bytes } = this.json;
    const end = this.json.end(key);
    for (let at = key + 1; at < end; at++) {
      if (bytes[at] !== BACKSLASH) continue;
      const said = this.json.utf8(key);
      this.garbage.add(VIEW_COST + said.length);
      return hashOfBytes(said, 0, said.length);
    }
    return hashOfBytes(bytes, key + 1, end - 1);
  }
}

export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let [high = 0, low = 0] = SEEDS;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    high = Math.imul(high ^ byte, 0x01000193);
    high ^= high >>> 15;
    low = Math.imul(low ^ byte, 0x5bd1e995);
    low ^= low >>> 13;
  }
  return (high >>> 0) * 0x20_0000 + (low >>> 11);
}

// Sorts what it has to: the order of hashes means nothing.
function hasTwins(hashes: Float64Array): boolean {
  if (hashes.length > FEW) {
    hashes.sort();
    return hashes.some((hash, index) => hash === hashes[index + 1]);
  }
  for (let i = 1; i < hashes.length; i++) {
    for (let j = 0; j < i; j++) if (hashes[i] === hashes[j]) return true;
  }
  return false;
}

// The first place where it is, or could be.
function placeOf(sorted: Float64Array, hash: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < hash) low = middle + 1;
    else high = middle;
  }
  return low;
}
