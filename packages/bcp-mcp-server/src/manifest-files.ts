// A manifest may name files to take content from. A binary that is not ours would open them without asking us, and what is
// outside the allowed folders could be read by way of the file it writes.
import { readFile, stat } from "node:fs/promises";
import { PathRefused } from "./allowed-paths.ts";

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;
const FILE_KEY = "content_file";

/** The bytes of the manifest that was opened as `held`; throws PathRefused if it names files. */
export async function manifestWithoutFiles(asked: string, held: string): Promise<Uint8Array> {
  if ((await stat(held)).size > MAX_MANIFEST_BYTES) {
    throw new PathRefused(`${asked} is larger than ${MAX_MANIFEST_BYTES} bytes`);
  }
  const source = await readFile(held);
  if (!mayNameFiles(new TextDecoder().decode(source))) return source;
  throw new PathRefused(`${asked}: with BCP_CLI_PATH and --allow-dir, content has to stand in the manifest itself`);
}

function mayNameFiles(source: string): boolean {
  try {
    JSON.parse(source);
  } catch {
    return true; // what we cannot read, the binary might
  }
  // Not by what was parsed: of a key that comes twice the binary may take the other one.
  for (const key of keysIn(source)) if (key === FILE_KEY) return true;
  return false;
}

/** Of valid JSON: a string that a colon follows. */
function* keysIn(source: string): Generator<unknown> {
  const colon = /\s*:/y;
  for (let start = source.indexOf('"'); start !== -1; start = source.indexOf('"', colon.lastIndex)) {
    let end = source.indexOf('"', start + 1);
    while (isEscaped(source, end)) end = source.indexOf('"', end + 1);
    colon.lastIndex = end + 1;
    if (colon.test(source)) yield JSON.parse(source.slice(start, end + 1));
    else colon.lastIndex = end + 1;
  }
}

function isEscaped(source: string, quote: number): boolean {
  let at = quote;
  while (source[at - 1] === "\\") at--;
  return (quote - at) % 2 === 1;
}
