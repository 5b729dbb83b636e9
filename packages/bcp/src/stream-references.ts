// Bodies of earlier blocks of a stream, for references to them. Small ones are put together: a buffer of its own for each would
// take ten times as much.

import { blake3 } from "./blake3.ts";
import { HashIndex } from "./hash-index.ts";

const SLAB_BYTES = 64 * 1024;
// The hash, and where the body is.
const BODY_COST = 64;

export class StreamReferences {
  private readonly wanted: HashIndex | undefined;
  private readonly hashes: HashIndex;
  /** By the number of the hash. */
  private readonly places: (Place | undefined)[] = [];
  private found = 0;
  private left: number;
  private slab = new Uint8Array(0);
  private used = 0;

  /** `wanted`: the bodies that references name; only these are kept. */
  constructor(maxBytes: number, wanted: HashIndex | undefined) {
    this.left = maxBytes;
    this.wanted = wanted;
    this.hashes = wanted ?? new HashIndex();
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    const place = this.places[this.hashes.find(hash)];
    return place && place.slab.subarray(place.start, place.start + place.length);
  }

  /** A body that does not fit is forgotten: a later reference to it is then unresolved. */
  keep(body: Uint8Array): void {
    const cost = body.length + BODY_COST;
    if (cost > this.left || this.found === this.wanted?.count) return;
    const hash = blake3(body);
    const number = this.wanted ? this.wanted.find(hash) : this.hashes.add(hash);
    if (number < 0 || this.places[number]) return;
    this.left -= cost;
    this.found++;
    this.places[number] = this.put(body);
  }

  private put(body: Uint8Array): Place {
    if (body.length >= SLAB_BYTES) return { slab: new Uint8Array(body), start: 0, length: body.length };
    if (this.used + body.length > this.slab.length) {
      this.slab = new Uint8Array(SLAB_BYTES);
      this.used = 0;
    }
    const place = { slab: this.slab, start: this.used, length: body.length };
    this.slab.set(body, this.used);
    this.used += body.length;
    return place;
  }
}

type Place = { readonly slab: Uint8Array; readonly start: number; readonly length: number };
