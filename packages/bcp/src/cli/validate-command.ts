// `bcp validate`: is this file whole?

import type { FlagValues } from "@bosun/platform/flags";
import { DecodeError } from "../bcp-errors.ts";
import { toHex } from "../content-store.ts";
import { CliFailure } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { adviceOn, decodeFacts, load } from "./load-payload.ts";

export async function validate(io: BcpIo, file: string, parsed: FlagValues): Promise<number> {
  const json = parsed.has("json");
  try {
    const { header, blockCount } = await load(io, file, parsed);
    const version = `${header.major}.${header.minor}`;
    if (json) {
      await io.stdout(`${JSON.stringify({ file, valid: true, version, block_count: blockCount }, undefined, 2)}\n`);
      return 0;
    }
    await io.stdout(
      `✓ Header: valid (BCP v${version})\n` +
        `✓ Blocks: ${blockCount} block${blockCount === 1 ? "" : "s"} parsed successfully\n` +
        "✓ Sentinel: END block present\n" +
        "✓ Integrity: all block bodies parse without error\n",
    );
    return 0;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const facts = { file, valid: false, error: { message: diagnostic(error), ...decodeFacts(error) } };
    await io.stdout(json ? `${JSON.stringify(facts, undefined, 2)}\n` : `✗ Error: ${diagnostic(error)}\n`);
    throw new CliFailure("validation failed", { ...adviceOn(error), facts: { reported: true } });
  }
}

function diagnostic(error: DecodeError): string {
  switch (error.code) {
    case "InvalidHeader":
      return error.message.replace("invalid header: ", "invalid header — ");
    case "MissingEndSentinel":
      return "missing END sentinel";
    case "TrailingData":
      return `trailing data after END (${error.extraBytes} unexpected bytes)`;
    case "MissingContentStore":
      return "content-addressed reference block found but no content store available";
    case "UnresolvedReference":
      return `unresolved BLAKE3 reference ${toHex((error.hash ?? new Uint8Array(0)).subarray(0, 8))}…`;
    default:
      return error.message;
  }
}
