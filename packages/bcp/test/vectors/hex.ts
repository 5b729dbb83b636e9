// Hex with comments → bytes. On each line the byte pairs come first; what does not look like one begins the comment.

export function unhex(source: string): Uint8Array {
  const bytes: number[] = [];
  for (const line of source.split("\n")) {
    for (const word of line.trim().split(/\s+/)) {
      if (!/^[0-9a-f]{2}$/.test(word)) break;
      bytes.push(Number.parseInt(word, 16));
    }
  }
  return Uint8Array.from(bytes);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Bytes from one unbroken string of digits. */
export function fromDigits(digits: string): Uint8Array {
  return new Uint8Array(Buffer.from(digits.replaceAll(/\s/g, ""), "hex"));
}
