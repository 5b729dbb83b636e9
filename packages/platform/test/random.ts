// Random numbers from a fixed seed: a failure can be run again.
export type Random = { below(limit: number): number; pick<T>(from: readonly T[]): T };

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number],
  };
}

/** More with BOSUN_FUZZ=full. */
export const ROUNDS = process.env["BOSUN_FUZZ"] === "full" ? 50 : 1;
