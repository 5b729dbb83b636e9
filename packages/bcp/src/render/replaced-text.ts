// What is not UTF-8 as text, with replacements. Each invalid byte may become three: bounded for all blocks together.

import { isUtf8 } from "node:buffer";
import { RenderError } from "../bcp-errors.ts";
import { decodeLossy } from "../utf8-text.ts";
import type { Part } from "./text-buffer.ts";

const MAX_REPLACED_BYTES = 8 * 1024 * 1024;

export class ReplacedText {
  private bytes = 0;

  /** The bytes themselves where they are UTF-8. */
  of(bytes: Uint8Array): Part {
    if (isUtf8(bytes)) return bytes;
    this.bytes += bytes.length;
    if (this.bytes <= MAX_REPLACED_BYTES) return decodeLossy(bytes);
    throw new RenderError("OutputTooLarge", `more than ${MAX_REPLACED_BYTES} bytes are in blocks that are not UTF-8`);
  }
}
