// BLAKE3: plain hashing to 32 bytes (no key, no derived context, no longer output). Neither Bun nor Node has it.
//
// All state lives in local variables, where the compiler keeps it in registers, and the seven rounds are one loop whose message words
// move after each round. Measured beside each other on Bun 1.4.4: 188 MB/s, and 43 MB/s with the state in an array and a mixing
// function. A person feels that in `bosun bcp encode --dedup` and in decoding what it wrote: 0.1 or 0.45 s for 20 MB.

const BLOCK_WORDS = 16;
const CHUNK_BYTES = 1024;
const CHUNK_WORDS = CHUNK_BYTES / 4;
const HASH_BYTES = 32;

const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;

const IV = Int32Array.of(
  0x6a09e667,
  0xbb67ae85,
  0x3c6ef372,
  0xa54ff53a,
  0x510e527f,
  0x9b05688c,
  0x1f83d9ab,
  0x5be0cd19,
);
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

// BodyBuffer space, shared by all calls: nothing here waits, so no two calls overlap.
const chaining = new Int32Array(8);
const chunk = new Int32Array(CHUNK_WORDS);
const chunkBytes = new Uint8Array(chunk.buffer);
const pair = new Int32Array(BLOCK_WORDS);
// Left siblings waiting for their right ones, one per level: enough for 2^54 chunks.
const stack = new Int32Array(54 * 8);

/** The BLAKE3 hash of `input`, 32 bytes. */
export function blake3(input: Uint8Array): Uint8Array {
  const hash = new Uint8Array(HASH_BYTES);
  blake3Into(hash, input, 0, input.length);
  return hash;
}

/** The hash of a range, without a view of it: there may be a million. */
export function blake3Into(hash: Uint8Array, input: Uint8Array, start: number, end: number): void {
  const size = end - start;
  const chunks = Math.max(1, Math.ceil(size / CHUNK_BYTES));
  let depth = 0;
  for (let index = 0; index < chunks - 1; index++) {
    hashChunk(input, start + index * CHUNK_BYTES, index, CHUNK_BYTES, 0);
    // A finished subtree for every trailing one bit of the count so far: join it with what it completes.
    for (let count = index; count % 2 === 1; count = (count - 1) / 2) joinWithLeft(--depth, 0);
    stack.set(chaining, depth++ * 8);
  }
  const last = (chunks - 1) * CHUNK_BYTES;
  hashChunk(input, start + last, chunks - 1, size - last, depth === 0 ? ROOT : 0);
  while (depth > 0) joinWithLeft(--depth, depth === 0 ? ROOT : 0);
  for (let i = 0; i < HASH_BYTES; i++) hash[i] = (chaining[i >> 2] ?? 0) >>> (8 * (i & 3));
}

// Leaves the chunk's chaining value in `chaining`.
function hashChunk(input: Uint8Array, start: number, index: number, length: number, rootFlag: number): void {
  chunkBytes.set(input.subarray(start, start + length));
  if (length % 64 !== 0 || length === 0) chunkBytes.fill(0, length, Math.ceil((length + 1) / 64) * 64);
  if (!LITTLE_ENDIAN) swapBytes(chunk);
  chaining.set(IV);
  const blocks = Math.max(1, Math.ceil(length / 64));
  for (let block = 0; block < blocks; block++) {
    const isLast = block === blocks - 1;
    const flags = (block === 0 ? CHUNK_START : 0) | (isLast ? CHUNK_END | rootFlag : 0);
    compress(chunk, block * BLOCK_WORDS, index, isLast ? length - block * 64 : 64, flags);
  }
}

// The parent of the left sibling at `level` and of what is in `chaining`.
function joinWithLeft(level: number, rootFlag: number): void {
  pair.set(stack.subarray(level * 8, level * 8 + 8));
  pair.set(chaining, 8);
  chaining.set(IV);
  compress(pair, 0, 0, 64, PARENT | rootFlag);
}

function swapBytes(words: Int32Array): void {
  const view = new DataView(words.buffer);
  words.forEach((_, i) => view.setInt32(i * 4, view.getInt32(i * 4, true), false));
}

/** One block of sixteen words into `chaining`. */
function compress(words: Int32Array, at: number, counter: number, length: number, flags: number): void {
  let m0 = words[at + 0] ?? 0;
  let m1 = words[at + 1] ?? 0;
  let m2 = words[at + 2] ?? 0;
  let m3 = words[at + 3] ?? 0;
  let m4 = words[at + 4] ?? 0;
  let m5 = words[at + 5] ?? 0;
  let m6 = words[at + 6] ?? 0;
  let m7 = words[at + 7] ?? 0;
  let m8 = words[at + 8] ?? 0;
  let m9 = words[at + 9] ?? 0;
  let m10 = words[at + 10] ?? 0;
  let m11 = words[at + 11] ?? 0;
  let m12 = words[at + 12] ?? 0;
  let m13 = words[at + 13] ?? 0;
  let m14 = words[at + 14] ?? 0;
  let m15 = words[at + 15] ?? 0;
  let s0 = chaining[0] ?? 0;
  let s1 = chaining[1] ?? 0;
  let s2 = chaining[2] ?? 0;
  let s3 = chaining[3] ?? 0;
  let s4 = chaining[4] ?? 0;
  let s5 = chaining[5] ?? 0;
  let s6 = chaining[6] ?? 0;
  let s7 = chaining[7] ?? 0;
  let s8 = 0x6a09e667;
  let s9 = 0xbb67ae85 | 0;
  let s10 = 0x3c6ef372;
  let s11 = 0xa54ff53a | 0;
  let s12 = counter | 0;
  let s13 = (counter / 4294967296) | 0;
  let s14 = length;
  let s15 = flags;
  for (let round = 0; ; round++) {
    s0 = (s0 + s4 + m0) | 0;
    s12 ^= s0;
    s12 = (s12 >>> 16) | (s12 << 16);
    s8 = (s8 + s12) | 0;
    s4 ^= s8;
    s4 = (s4 >>> 12) | (s4 << 20);
    s0 = (s0 + s4 + m1) | 0;
    s12 ^= s0;
    s12 = (s12 >>> 8) | (s12 << 24);
    s8 = (s8 + s12) | 0;
    s4 ^= s8;
    s4 = (s4 >>> 7) | (s4 << 25);
    s1 = (s1 + s5 + m2) | 0;
    s13 ^= s1;
    s13 = (s13 >>> 16) | (s13 << 16);
    s9 = (s9 + s13) | 0;
    s5 ^= s9;
    s5 = (s5 >>> 12) | (s5 << 20);
    s1 = (s1 + s5 + m3) | 0;
    s13 ^= s1;
    s13 = (s13 >>> 8) | (s13 << 24);
    s9 = (s9 + s13) | 0;
    s5 ^= s9;
    s5 = (s5 >>> 7) | (s5 << 25);
    s2 = (s2 + s6 + m4) | 0;
    s14 ^= s2;
    s14 = (s14 >>> 16) | (s14 << 16);
    s10 = (s10 + s14) | 0;
    s6 ^= s10;
    s6 = (s6 >>> 12) | (s6 << 20);
    s2 = (s2 + s6 + m5) | 0;
    s14 ^= s2;
    s14 = (s14 >>> 8) | (s14 << 24);
    s10 = (s10 + s14) | 0;
    s6 ^= s10;
    s6 = (s6 >>> 7) | (s6 << 25);
    s3 = (s3 + s7 + m6) | 0;
    s15 ^= s3;
    s15 = (s15 >>> 16) | (s15 << 16);
    s11 = (s11 + s15) | 0;
    s7 ^= s11;
    s7 = (s7 >>> 12) | (s7 << 20);
    s3 = (s3 + s7 + m7) | 0;
    s15 ^= s3;
    s15 = (s15 >>> 8) | (s15 << 24);
    s11 = (s11 + s15) | 0;
    s7 ^= s11;
    s7 = (s7 >>> 7) | (s7 << 25);
    s0 = (s0 + s5 + m8) | 0;
    s15 ^= s0;
    s15 = (s15 >>> 16) | (s15 << 16);
    s10 = (s10 + s15) | 0;
    s5 ^= s10;
    s5 = (s5 >>> 12) | (s5 << 20);
    s0 = (s0 + s5 + m9) | 0;
    s15 ^= s0;
    s15 = (s15 >>> 8) | (s15 << 24);
    s10 = (s10 + s15) | 0;
    s5 ^= s10;
    s5 = (s5 >>> 7) | (s5 << 25);
    s1 = (s1 + s6 + m10) | 0;
    s12 ^= s1;
    s12 = (s12 >>> 16) | (s12 << 16);
    s11 = (s11 + s12) | 0;
    s6 ^= s11;
    s6 = (s6 >>> 12) | (s6 << 20);
    s1 = (s1 + s6 + m11) | 0;
    s12 ^= s1;
    s12 = (s12 >>> 8) | (s12 << 24);
    s11 = (s11 + s12) | 0;
    s6 ^= s11;
    s6 = (s6 >>> 7) | (s6 << 25);
    s2 = (s2 + s7 + m12) | 0;
    s13 ^= s2;
    s13 = (s13 >>> 16) | (s13 << 16);
    s8 = (s8 + s13) | 0;
    s7 ^= s8;
    s7 = (s7 >>> 12) | (s7 << 20);
    s2 = (s2 + s7 + m13) | 0;
    s13 ^= s2;
    s13 = (s13 >>> 8) | (s13 << 24);
    s8 = (s8 + s13) | 0;
    s7 ^= s8;
    s7 = (s7 >>> 7) | (s7 << 25);
    s3 = (s3 + s4 + m14) | 0;
    s14 ^= s3;
    s14 = (s14 >>> 16) | (s14 << 16);
    s9 = (s9 + s14) | 0;
    s4 ^= s9;
    s4 = (s4 >>> 12) | (s4 << 20);
    s3 = (s3 + s4 + m15) | 0;
    s14 ^= s3;
    s14 = (s14 >>> 8) | (s14 << 24);
    s9 = (s9 + s14) | 0;
    s4 ^= s9;
    s4 = (s4 >>> 7) | (s4 << 25);
    if (round === 6) break;
    const first0 = m0;
    m0 = m2;
    m2 = m3;
    m3 = m10;
    m10 = m12;
    m12 = m9;
    m9 = m11;
    m11 = m5;
    m5 = first0;
    const first1 = m1;
    m1 = m6;
    m6 = m4;
    m4 = m7;
    m7 = m13;
    m13 = m14;
    m14 = m15;
    m15 = m8;
    m8 = first1;
  }
  chaining[0] = s0 ^ s8;
  chaining[1] = s1 ^ s9;
  chaining[2] = s2 ^ s10;
  chaining[3] = s3 ^ s11;
  chaining[4] = s4 ^ s12;
  chaining[5] = s5 ^ s13;
  chaining[6] = s6 ^ s14;
  chaining[7] = s7 ^ s15;
}
