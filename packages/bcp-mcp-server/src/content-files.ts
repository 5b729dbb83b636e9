// A manifest may name files to take content from. A binary that is not ours would open them without asking us, and what is
// outside the allowed folders could be read by way of the file it writes.
import { readFile, stat } from "node:fs/promises";
import { PathRefused } from "./allowed-paths.ts";

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

export async function refuseContentFiles(manifest: string): Promise<void> {
  if ((await stat(manifest)).size > MAX_MANIFEST_BYTES) {
    throw new PathRefused(`${manifest} is larger than ${MAX_MANIFEST_BYTES} bytes`);
  }
  if (!mayNameFiles(await readFile(manifest, "utf8"))) return;
  throw new PathRefused(`${manifest}: with BCP_CLI_PATH and --allow-dir, content has to stand in the manifest itself`);
}

function mayNameFiles(source: string): boolean {
  let found = false;
  try {
    JSON.parse(source, (key, value: unknown) => {
      found ||= key === "content_file";
      return value;
    });
    return found;
  } catch {
    return true; // what we cannot read, the binary might
  }
}
