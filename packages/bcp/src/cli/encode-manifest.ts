// One pass through a manifest: its blocks are read, written and sent on one by one, and nothing of them is held.

import { EncodeError } from "../bcp-errors.ts";
import { HashStore } from "../content-store.ts";
import { runWithPauses, pausesFor } from "../cooperative-work.ts";
import type { PauseIfDue } from "../cooperative-work.ts";
import type { LazyBlock } from "../lazy-block.ts";
import { manifestBlocks } from "../manifest/manifest.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { PayloadPacker, PayloadWriter } from "../payload-writer.ts";
import type { PayloadTotals } from "../payload-writer.ts";
import type { BcpIo } from "./io.ts";
import type { ContentFiles } from "./manifest-content-files.ts";

export type PassOptions = {
  readonly compressBlocks: boolean;
  /** Compressed as a whole. */
  readonly packed: boolean;
  readonly dedup: boolean;
};

type Send = (piece: Uint8Array) => void | Promise<void>;

/** `smaller`: whether it became that, where it was packed. */
export type Passed = { readonly smaller: boolean; readonly totals: PayloadTotals };

/** Sends the payload piece by piece; pieces are the receiver's. */
export async function encodePass(
  { signal }: BcpIo,
  manifest: Manifest,
  contents: ContentFiles,
  { compressBlocks, packed, dedup }: PassOptions,
  send: Send,
): Promise<Passed> {
  contents.begin();
  const payload = new PayloadWriter({
    compressBlocks,
    compressPayload: packed,
    ...(dedup ? { dedup, store: new HashStore() } : {}),
  });
  const pipe = new Pipe(packed, send);
  let failure: EncodeError | undefined;
  const pauseIfDue = pausesFor(signal);
  for await (const block of manifestBlocks(manifest, (wanted) => contents.read(wanted), pauseIfDue)) {
    // A block that cannot be written is told of once all have been built, as the reference does.
    failure ??= await addBlock(payload, block, pauseIfDue);
    const full = payload.take();
    if (full.length > 0) await pipe.send(full);
  }
  if (failure) throw failure;
  return { smaller: await pipe.end(payload.end()), totals: payload.totals };
}

async function addBlock(
  payload: PayloadWriter,
  block: LazyBlock,
  pauseIfDue: PauseIfDue,
): Promise<EncodeError | undefined> {
  try {
    const nested = payload.nestedSteps(block);
    if (nested) await runWithPauses(nested, pauseIfDue);
    if (payload.packs(block)) await payload.addPacked(block);
    else payload.add(block);
    return undefined;
  } catch (error) {
    if (error instanceof EncodeError) return error;
    throw error;
  }
}

class Pipe {
  private readonly out: Uint8Array[] = [];
  private readonly packer: PayloadPacker | undefined;
  private readonly sendOn: Send;

  constructor(packed: boolean, send: Send) {
    this.sendOn = send;
    this.packer = packed ? new PayloadPacker((piece) => this.out.push(piece)) : undefined;
  }

  async send(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      if (this.packer) await this.packer.write(piece);
      else this.out.push(piece);
      await this.flush();
    }
  }

  async end(pieces: readonly Uint8Array[]): Promise<boolean> {
    await this.send(pieces);
    const smaller = this.packer ? await this.packer.end() : true;
    await this.flush();
    return smaller;
  }

  private async flush(): Promise<void> {
    for (const piece of this.out.splice(0)) await this.sendOn(piece);
  }
}
