// Text ↔ UTF-8, without the byte-order-mark trap: a TextDecoder swallows a leading BOM unless told not to.

const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** UTF-8 to text; each maximal invalid sequence becomes one U+FFFD. */
export function decodeLossy(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return lossy.decode(bytes.subarray(start, end));
}

/** UTF-8 to text, or undefined if it is not UTF-8. */
export function decodeStrict(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

export function toUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes the UTF-8 of `text` into `target` and returns its length. */
export function encodeText(text: string, target: Uint8Array): number {
  return encoder.encodeInto(text, target).written;
}
