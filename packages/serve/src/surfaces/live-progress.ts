// A running command's output as progress: the newest line, at most about ten times a second, nothing after the end.
import type { Context } from "@bosun/mcp/server";

const INTERVAL_MS = 100;
const MAX_MESSAGE_CHARS = 500;

export type LiveProgress = { onOutput(stream: "stdout" | "stderr", chunk: Uint8Array): void; end(): void };

/** Undefined when the client did not ask: then nobody pays for it. */
export function liveProgress(context: Context): LiveProgress | undefined {
  if (!context.wantsProgress) return undefined;
  const lines = { stdout: new NewestLine(), stderr: new NewestLine() };
  let bytes = 0;
  let newest = "";
  let sentAt = 0;
  let sentBytes = 0;
  let timer: Timer | undefined;
  const send = (): void => {
    timer = undefined;
    if (bytes === sentBytes) return;
    sentAt = performance.now();
    sentBytes = bytes;
    context.progress(bytes, undefined, newest);
  };
  return {
    onOutput(stream, chunk) {
      bytes += chunk.length;
      newest = lines[stream].take(chunk) ?? newest;
      const wait = sentAt + INTERVAL_MS - performance.now();
      if (wait <= 0) send();
      else timer ??= setTimeout(send, wait);
    },
    end: () => clearTimeout(timer),
  };
}

/** The last line that has any text, of a stream that comes in pieces. */
class NewestLine {
  readonly #decoder = new TextDecoder();
  #open = "";

  take(chunk: Uint8Array): string | undefined {
    // The end of a chunk is all that can be the newest line; a flood need not be decoded whole.
    const tail = chunk.length > 4096 ? chunk.subarray(-4096) : chunk;
    const lines = (this.#open + this.#decoder.decode(tail, { stream: true })).split(/\r\n|\n|\r/);
    this.#open = (lines.at(-1) ?? "").slice(-MAX_MESSAGE_CHARS);
    const shown = lines.findLast((line) => line.trim() !== "");
    return shown?.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
  }
}
