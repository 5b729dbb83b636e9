// Names nobody can guess. Not through an import of node:crypto: on Bun that alone costs 10 ms of every start.

export function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}

/** A whole number from 0 to below `limit`, each equally likely. */
export function randomBelow(limit: number): number {
  const most = Math.floor(2 ** 32 / limit) * limit;
  for (;;) {
    const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
    if (value < most) return value % limit;
  }
}
