// A program that starts its servers itself speaks to them on their standard input, and at once. Where nobody has said how
// clients connect, that says it: a configuration without `--transport stdio`, or one that a wrapper took out, works.
import { fstatSync } from "node:fs";

/** A client writes its first line when it has started us; what is silent for this long is no client. */
const LISTEN_MS = 1000;

/** Standard input with what was heard on it; undefined when no message comes. */
export async function detectStdioClient(): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (!isHeldByProgram()) return undefined;
  const reader = Bun.stdin.stream().getReader();
  const heard = await Promise.race([reader.read(), Bun.sleep(LISTEN_MS)]);
  return heard?.value !== undefined && opensMessage(heard.value) ? from(heard.value, reader) : undefined;
}

/** Not a terminal, a file or /dev/null. */
function isHeldByProgram(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false; // closed
  }
}

function opensMessage(bytes: Uint8Array): boolean {
  return /^\s*[{[]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

type Reader = { read(): Promise<{ readonly value?: Uint8Array | undefined }> };

async function* from(first: Uint8Array, reader: Reader): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) yield next.value;
}
