// Occurrences of bytes in bytes, counted and replaced in linear time.

/** All positions where `needle` begins, overlapping ones included: what decides whether a match is unique. */
export function countOccurrences(haystack: Buffer, needle: Buffer): number {
  if (haystack.indexOf(needle) < 0) return 0;
  const borders = borderTable(needle);
  // Only a needle that ends as it begins can overlap itself; all others are counted by the native search.
  return borders[needle.length] === 0 ? countSeparate(haystack, needle) : countOverlapping(haystack, needle, borders);
}

/** Left to right, not overlapping: what a replacement of all of them touches. */
export function countSeparate(haystack: Buffer, needle: Buffer): number {
  let count = 0;
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length)) count += 1;
  return count;
}

/** The first `count` separate occurrences replaced. */
export function replaceOccurrences(haystack: Buffer, needle: Buffer, replacement: Buffer, count: number): Buffer {
  const result = Buffer.allocUnsafeSlow(haystack.length + count * (replacement.length - needle.length));
  let from = 0;
  let to = 0;
  for (let done = 0; done < count; done += 1) {
    const at = haystack.indexOf(needle, from);
    if (at < 0) break;
    to += haystack.copy(result, to, from, at);
    to += replacement.copy(result, to);
    from = at + needle.length;
  }
  haystack.copy(result, to, from);
  return result;
}

/** Knuth–Morris–Pratt: for each prefix, the longest proper border. */
function borderTable(needle: Buffer): Int32Array {
  const table = new Int32Array(needle.length + 1);
  let border = 0;
  for (let i = 1; i < needle.length; i += 1) {
    while (border > 0 && needle[i] !== needle[border]) border = table[border] ?? 0;
    if (needle[i] === needle[border]) border += 1;
    table[i + 1] = border;
  }
  return table;
}

function countOverlapping(haystack: Buffer, needle: Buffer, borders: Int32Array): number {
  let count = 0;
  let matched = 0;
  for (let i = haystack.indexOf(needle); i < haystack.length; i += 1) {
    while (matched > 0 && haystack[i] !== needle[matched]) matched = borders[matched] ?? 0;
    if (haystack[i] === needle[matched]) matched += 1;
    if (matched === needle.length) {
      count += 1;
      matched = borders[matched] ?? 0;
    }
  }
  return count;
}
