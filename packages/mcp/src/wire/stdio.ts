// Transport over our own stdin and stdout.
import { LineSplitter } from "./lines.ts";
import { parseMessage } from "./message.ts";
import type { Incoming } from "./message.ts";
import { PARSE_ERROR, RpcError } from "./rpc-error.ts";
import type { Transport } from "./transport.ts";

/** A 10 MB file in one argument is about 14 MB of JSON; more than this is refused, message by message. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export function stdioTransport(maxBytes = MAX_MESSAGE_BYTES): Transport {
  const writer = new LineWriter(Bun.stdout.writer({ highWaterMark: 64 * 1024 }));
  return {
    // Bun.stdin, because merely touching process.stdin costs 15-20 ms of start-up.
    incoming: messagesIn(Bun.stdin.stream(), maxBytes),
    send: (text) => writer.line(text),
    close: () => writer.end(),
  };
}

/** The messages in a byte stream, one a line. */
export async function* messagesIn(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Incoming> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of bytes) for (const line of splitter.push(chunk)) yield messageOf(line);
  for (const line of splitter.end()) yield messageOf(line);
}

type Sink = { write(text: string): number | Promise<number>; flush(): number | Promise<number>; end(): unknown };

/** Writes lines whole and in order; what is said in one turn of the event loop goes out in one write. */
export class LineWriter {
  private readonly sink: Sink;
  private flushing: Promise<void> | undefined;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  line(text: string): Promise<void> {
    try {
      const written = this.sink.write(`${text}\n`);
      // A write that fails later shows in the flush that follows it.
      if (typeof written !== "number") written.catch(() => {});
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    this.flushing ??= Promise.resolve().then(async () => {
      this.flushing = undefined;
      await this.sink.flush();
    });
    return this.flushing;
  }

  async end(): Promise<void> {
    await this.flushing?.catch(() => {});
    await this.sink.end();
  }
}

function messageOf(line: { kind: "line"; text: string } | { kind: "bad"; problem: string }): Incoming {
  if (line.kind === "line") return parseMessage(line.text);
  return { kind: "malformed", id: undefined, error: new RpcError(PARSE_ERROR, line.problem) };
}
