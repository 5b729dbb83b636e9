// `bcp encode`: a JSON manifest as a payload.

import { createMemoryStore } from "../content-store.ts";
import { encode } from "../encode.ts";
import { EncodeError } from "../failure.ts";
import { buildManifest, parseManifest } from "../manifest/manifest.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { ManifestError } from "../manifest/members.ts";
import { decodeStrict } from "../utf8.ts";
import { UsageError } from "./arguments.ts";
import type { Parsed } from "./arguments.ts";
import { isStandard, readInput, writeOutput } from "./files.ts";
import { CliFailure } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { osText } from "./os-error.ts";

export async function encodeCommand(io: BcpIo, file: string, parsed: Parsed): Promise<number> {
  const output = parsed.values.get("output");
  if (output === undefined) throw new UsageError("-o is missing: bcp encode <MANIFEST> -o <OUTPUT>");
  const manifest = parseOrFail(await readText(io, file), file, parsed.flags.has("extended"));
  const payload = await encodeOrFail(io, file, manifest, parsed);
  await writeOutput(io, output, payload).catch((error: unknown) => {
    throw new CliFailure(`cannot write ${output}: ${osText(error)}`);
  });
  const report = parsed.flags.has("json")
    ? `${JSON.stringify({ output, bytes: payload.length }, undefined, 2)}\n`
    : `Wrote ${payload.length} bytes to ${output}\n`;
  // The payload has taken standard output.
  await (isStandard(output) ? io.stderr(report) : io.stdout(report));
  return 0;
}

async function readText(io: BcpIo, file: string): Promise<string> {
  const bytes = await readInput(io, file).catch((error: unknown) => {
    throw new CliFailure(`cannot read ${file}: ${osText(error)}`);
  });
  const text = decodeStrict(bytes);
  if (text === undefined) throw new CliFailure(`cannot read ${file}: stream did not contain valid UTF-8`);
  return text;
}

function parseOrFail(text: string, file: string, extended: boolean): Manifest {
  try {
    return parseManifest(text, extended ? "extended" : "strict");
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const facts = { code: "InvalidManifest", line: error.line, column: error.column };
    const note = extended || !isExtended(text) ? undefined : "--extended reads this manifest";
    throw new CliFailure(`failed to parse manifest ${file}: ${error.message}`, { note, facts });
  }
}

function isExtended(text: string): boolean {
  try {
    parseManifest(text, "extended");
    return true;
  } catch {
    return false;
  }
}

async function encodeOrFail(io: BcpIo, file: string, manifest: Manifest, parsed: Parsed): Promise<Uint8Array> {
  const dedup = manifest.dedup || parsed.flags.has("dedup");
  // A small manifest may name a large file a thousand times.
  let read = 0;
  try {
    const blocks = await buildManifest(manifest, async (wanted) => {
      const content = await readContent(io, file, wanted, read);
      read += content.length;
      return content;
    });
    return await encode(blocks, {
      compressBlocks: parsed.flags.has("compress-blocks"),
      compressPayload: manifest.compressPayload || parsed.flags.has("compress-payload"),
      ...(dedup ? { dedup, store: createMemoryStore() } : {}),
    });
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

// Paths in a manifest start where the manifest is.
async function readContent(io: BcpIo, manifest: string, wanted: string, before: number): Promise<Uint8Array> {
  const folder = isStandard(manifest) ? "" : manifest.slice(0, manifest.lastIndexOf("/") + 1);
  const file = wanted.startsWith("/") ? wanted : folder + wanted;
  try {
    // A manifest cannot mean standard input: `-` is a file name here.
    return await readInput(io, file === "-" ? "./-" : file, before);
  } catch (error) {
    throw new ManifestError(`cannot read content_file ${file}: ${osText(error)}`);
  }
}
