// What a decode may cost (FORMAT.md, "Limits"). The first two are the format's own, the others ours.

const KIB = 1024;
const MIB = 1024 * KIB;

export type Limits = {
  /** What a compressed block may become. */
  readonly blockBytes: number;
  /** What a payload that is compressed as a whole may become; by default 8 MiB and four times the input. */
  readonly payloadBytes?: number;
  /** What all compressed blocks of a payload together may become; by default 8 MiB and four times the input. */
  readonly unpackedBytes?: number;
  /** How deep a file tree may be nested. No path on any system we know has more levels. */
  readonly treeDepth: number;
  /** Streaming: how long a stored body may be. Zstd lets incompressible data grow a little. */
  readonly storedBytes: number;
  /** What all references together may stand for; by default 8 MiB and twice the input. */
  readonly referencedBytes?: number;
  /** Streaming with references to earlier blocks: how many bytes of those may be kept. */
  readonly keptBytes: number;
};

export const DEFAULT_LIMITS: Limits = {
  blockBytes: 16 * MIB,
  treeDepth: 1024,
  storedBytes: 16 * MIB + 128 * KIB,
  keptBytes: 64 * MIB,
};

/** The format's own limit on a payload that is compressed as a whole: for whoever has that much memory to spend. */
export const MAX_PAYLOAD_BYTES = 256 * MIB;

/** The most that the encoder puts into one block (summary and fields). */
export const MAX_BODY_BYTES = 16 * MIB;

/** What the blocks of an input of this size may grow to, unless the caller says otherwise. */
export function growthOf(inputBytes: number, limits: Limits): Growth {
  return {
    payloadBytes: Math.min(limits.payloadBytes ?? 8 * MIB + 4 * inputBytes, MAX_PAYLOAD_BYTES),
    unpackedBytes: limits.unpackedBytes ?? 8 * MIB + 4 * inputBytes,
    referencedBytes: limits.referencedBytes ?? 8 * MIB + 2 * inputBytes,
  };
}

export type Growth = {
  readonly payloadBytes: number;
  readonly unpackedBytes: number;
  readonly referencedBytes: number;
};
