// `bcp encode`: a JSON manifest as a payload.

import { UsageError } from "@bosun/platform/flags";
import type { FlagValues } from "@bosun/platform/flags";
import { isUtf8 } from "node:buffer";
import { EncodeError } from "../bcp-errors.ts";
import { pausesFor, runWithPauses } from "../cooperative-work.ts";
import type { PauseIfDue } from "../cooperative-work.ts";
import { ManifestError } from "../manifest/json-members.ts";
import { manifestSteps, parseManifest } from "../manifest/manifest.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { encodePass } from "./encode-manifest.ts";
import type { PassOptions } from "./encode-manifest.ts";
import { isStandard, readInput, writeOutput } from "./file-access.ts";
import { CliFailure, ReaderGone } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { ContentFiles } from "./manifest-content-files.ts";
import { osText } from "./os-error.ts";
import { checkReadable } from "./read-limits.ts";

export async function encodeCommand(io: BcpIo, file: string, parsed: FlagValues): Promise<number> {
  const output = parsed.text("output");
  if (output === undefined) throw new UsageError("-o is missing: -o <FILE>, or -o - for standard output");
  const json = await readJson(io, file);
  const manifest = await parseOrFail(json, file, parsed.has("extended"), pausesFor(io.signal));
  const contents = new ContentFiles(io, file);
  const options = passOptions(manifest, parsed);
  const { held, packed } = await orFail(encodeHeld(io, manifest, contents, options, json.length));
  await writeOutput(io, output, async (write) => {
    const pieces = held.pieces();
    if (pieces) for (const piece of pieces) await write(piece);
    else await encodeAgain(io, manifest, contents, { ...options, packed }, held.bytes, write);
  }).catch((error: unknown) => {
    if (error instanceof CliFailure || error instanceof ReaderGone || io.signal?.aborted) throw error;
    throw new CliFailure(`cannot write ${output}: ${osText(error)}`);
  });
  const report = parsed.has("json")
    ? `${JSON.stringify({ output, bytes: held.bytes }, undefined, 2)}\n`
    : `Wrote ${held.bytes} bytes to ${output}\n`;
  // The payload has taken standard output.
  await (isStandard(output) ? io.stderr(report) : io.stdout(report));
  return 0;
}

function passOptions(manifest: Manifest, parsed: FlagValues): PassOptions {
  return {
    compressBlocks: parsed.has("compress-blocks"),
    packed: manifest.compressPayload || parsed.has("compress-payload"),
    dedup: manifest.dedup || parsed.has("dedup"),
  };
}

// Everything that can go wrong has gone wrong before anything is written. What does not become smaller is not packed.
async function encodeHeld(
  io: BcpIo,
  manifest: Manifest,
  contents: ContentFiles,
  options: PassOptions,
  manifestBytes: number,
): Promise<{ held: OutputBuffer; packed: boolean }> {
  for (let { packed } = options; ; packed = false) {
    const held = new OutputBuffer(() => manifestBytes + contents.bytes);
    const passed = await encodePass(io, manifest, contents, { ...options, packed }, (piece) => held.add(piece));
    if (!passed.smaller) continue;
    checkReadable(passed.totals, held.bytes, packed, io.limits);
    return { held, packed };
  }
}

// What was too much to be held.
async function encodeAgain(
  io: BcpIo,
  manifest: Manifest,
  contents: ContentFiles,
  options: PassOptions,
  expectedBytes: number,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<void> {
  let bytes = 0;
  const pass = encodePass(io, manifest, contents, options, async (piece) => {
    bytes += piece.length;
    await write(piece);
  });
  await orFail(pass);
  if (bytes !== expectedBytes) throw new CliFailure("a content_file has changed while it was being read");
}

async function orFail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ManifestError) {
      throw new CliFailure(error.message, { facts: { code: "InvalidManifest", block: error.block } });
    }
    if (error instanceof EncodeError) {
      throw new CliFailure(`BcpEncoder::encode failed: ${error.message}`, { facts: { code: error.code } });
    }
    throw error;
  }
}

async function readJson(io: BcpIo, file: string): Promise<Uint8Array> {
  const bytes = await readInput(io, file).catch((error: unknown) => {
    throw new CliFailure(`cannot read ${file}: ${osText(error)}`);
  });
  if (!isUtf8(bytes)) throw new CliFailure(`cannot read ${file}: stream did not contain valid UTF-8`);
  return bytes;
}

async function parseOrFail(
  json: Uint8Array,
  file: string,
  extended: boolean,
  pauseIfDue: PauseIfDue,
): Promise<Manifest> {
  try {
    return await runWithPauses(manifestSteps(json, extended ? "extended" : "strict"), pauseIfDue);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const facts = { code: "InvalidManifest", line: error.line, column: error.column };
    const note = extended || !isExtended(json) ? undefined : "--extended reads this manifest";
    throw new CliFailure(`failed to parse manifest ${file}: ${error.message}`, { note, facts });
  }
}

function isExtended(json: Uint8Array): boolean {
  try {
    parseManifest(json, "extended");
    return true;
  } catch {
    return false;
  }
}

const FREE_BYTES = 16 * 1024 * 1024;

export class OutputBuffer {
  private readonly inputBytes: () => number;
  private list: Uint8Array[] | undefined = [];
  bytes = 0;

  /** `inputBytes` is what has been read, each file once: so much may be held besides what is free. */
  constructor(inputBytes: () => number) {
    this.inputBytes = inputBytes;
  }

  add(piece: Uint8Array): void {
    this.bytes += piece.length;
    if (this.bytes > FREE_BYTES + this.inputBytes()) this.list = undefined;
    this.list?.push(piece);
  }

  /** All of it, or undefined where it was too much: then it has to be made again. */
  pieces(): readonly Uint8Array[] | undefined {
    return this.list;
  }
}
