// A compressed bitmap (EWAH) as git writes it into a split index, read to the positions of its set bits.

const WORD_BITS = 64;

export type EwahBits = { readonly positions: readonly number[]; readonly end: number };

/** Throws RangeError when the bytes do not hold a bitmap, or one with a bit at `limit` or above. */
export function readEwah(bytes: Buffer, start: number, limit: number): EwahBits {
  // The bit count, the word count, the words, the position of the last run word.
  const wordCount = bytes.readUInt32BE(start + 4);
  const words = start + 8;
  const end = words + wordCount * 8 + 4;
  if (end > bytes.length) throw new RangeError("the bitmap is cut off");
  const positions: number[] = [];
  let bit = 0;
  for (let word = 0; word < wordCount;) {
    const run = bytes.readBigUInt64BE(words + word * 8);
    word += 1;
    const runBits = Number((run >> 1n) & 0xffff_ffffn) * WORD_BITS;
    const literals = Number(run >> 33n);
    if ((run & 1n) === 1n) {
      if (bit + runBits > limit) throw new RangeError("the bitmap is longer than what it is about");
      for (let at = 0; at < runBits; at += 1) positions.push(bit + at);
    }
    bit += runBits;
    if (literals > wordCount - word) throw new RangeError("the bitmap is cut off");
    for (const last = word + literals; word < last; word += 1, bit += WORD_BITS) {
      const at = words + word * 8;
      pushBits(positions, bytes.readUInt32BE(at + 4), bit);
      pushBits(positions, bytes.readUInt32BE(at), bit + 32);
    }
  }
  if ((positions.at(-1) ?? -1) >= limit) throw new RangeError("the bitmap is longer than what it is about");
  return { positions, end };
}

function pushBits(positions: number[], bits: number, first: number): void {
  for (let left = bits, at = first; left !== 0; left >>>= 1, at += 1) if ((left & 1) === 1) positions.push(at);
}
