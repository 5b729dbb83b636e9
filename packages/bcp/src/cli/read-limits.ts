// What the commands read; and so what `encode` writes: nobody has any use for a file that cannot be read again.

import { MAX_PAYLOAD_BYTES } from "../decode-limits.ts";
import type { PayloadTotals } from "../payload-writer.ts";
import { CliFailure } from "./io.ts";
import type { CommandLimits } from "./io.ts";

const DEFAULT_INPUT_BYTES = 1024 * 1024 * 1024;
// A budget keeps nine bytes of each block. Below this many bytes each, millions of blocks take longer than they are worth.
const BYTES_PER_BLOCK = 64;
const FREE_BLOCKS = 2_000_000;

export const GROWTH_LIMITS = {
  payloadBytes: MAX_PAYLOAD_BYTES,
  unpackedBytes: MAX_PAYLOAD_BYTES,
  referencedBytes: MAX_PAYLOAD_BYTES,
};

export function mostInputBytes(limits: CommandLimits | undefined): number {
  return limits?.inputBytes ?? DEFAULT_INPUT_BYTES;
}

export function mostBlocks(limits: CommandLimits | undefined, payloadBytes: number): number {
  return limits?.blocks ?? FREE_BLOCKS + Math.floor(payloadBytes / BYTES_PER_BLOCK);
}

/** Throws if a payload of `bytes` would be refused when it is read; `packed`: as a whole. */
export function checkReadable(totals: PayloadTotals, bytes: number, packed: boolean, limits?: CommandLimits): void {
  const { payloadBytes, unpackedBytes, referencedBytes } = { ...GROWTH_LIMITS, ...limits };
  const split = "split the manifest into several";
  refuse(totals.blocks, mostBlocks(limits, bytes), "blocks", split);
  refuse(bytes, mostInputBytes(limits), "bytes", split);
  const plainly = `${split}, or do not compress the payload`;
  if (packed) refuse(totals.plainBytes, payloadBytes, "bytes when it is unpacked", plainly);
  refuse(totals.packedBytes, unpackedBytes, "bytes in blocks when they are unpacked", `${split}, or compress none`);
  refuse(totals.referencedBytes, referencedBytes, "bytes in repeated blocks", `${split}, or do not deduplicate`);
}

function refuse(count: number, most: number, what: string, instead: string): void {
  if (count <= most) return;
  const message = `the payload would have ${count} ${what}, and no more than ${most} are read again: ${instead}`;
  throw new CliFailure(message, { facts: { code: "NotReadable" } });
}
