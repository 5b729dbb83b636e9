// Transport over our own stdin and stdout.
import { settlesWithin } from "./deadline.ts";
import type { PiecedMessage } from "./encoded-text.ts";
import { endsOf, LineSplitter } from "./line-splitter.ts";
import type { Line } from "./line-splitter.ts";
import { parseMessage } from "./message.ts";
import type { Incoming } from "./message.ts";
import { ConnectionError, PARSE_ERROR, RpcError } from "./rpc-error.ts";
import type { Transport } from "./transport.ts";

/** A 10 MB file in one argument is about 14 MB of JSON; more than this is refused, message by message. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** How long the last output may take to be read: a peer that has stopped reading must not keep us. */
const CLOSE_TIMEOUT_MS = 2000;

export function stdioTransport(maxBytes = MAX_MESSAGE_BYTES): Transport {
  const writer = new LineWriter(Bun.stdout.writer({ highWaterMark: 64 * 1024 }));
  return {
    // Bun.stdin, because merely touching process.stdin costs 15-20 ms of start-up.
    incoming: messagesIn(Bun.stdin.stream(), maxBytes),
    send: (text) => writer.line(text),
    sendPieces: (message) => writer.lineInPieces(message),
    close: async () => void (await settlesWithin(writer.end(), CLOSE_TIMEOUT_MS)),
  };
}

export type Watched = {
  /** How a message begins that is over the limit, as soon as it is: its end may never come. */
  onOverlong?: (beginning: string) => void;
  /** Beyond this a message has no end that is worth waiting for: reading fails. */
  endlessBytes?: number;
};

/** The messages in a byte stream, one a line. */
export async function* messagesIn(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  { onOverlong, endlessBytes = Infinity }: Watched = {},
): AsyncGenerator<Incoming> {
  const splitter = new LineSplitter(maxBytes, onOverlong);
  for await (const chunk of bytes) {
    for (const line of splitter.push(chunk)) yield messageOf(line);
    if (splitter.unfinished > endlessBytes) {
      throw new ConnectionError(
        "invalid",
        `a message did not end within ${endlessBytes} bytes; the limit is ${maxBytes}`,
      );
    }
  }
  for (const line of splitter.end()) yield messageOf(line);
}

type Sink = {
  /** Bytes that the peer does not take at once are copied. */
  write(data: string | Uint8Array): number | Promise<number>;
  flush(): number | Promise<number>;
  end(): unknown;
};

/** More than this is handed on before the turn is over: the peer can begin to read while we go on. */
const MAX_GATHERED_CHARS = 32 * 1024;

/** Writes lines whole and in order; lines of one turn of the event loop go out in few writes. */
export class LineWriter {
  private readonly sink: Sink;
  // Gathered here: the sink itself writes on after every 4 KB, whatever its highWaterMark says.
  private gathered = "";
  private flushing: Promise<void | undefined> | undefined;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  line(text: string): Promise<void> {
    return this.writing(() => {
      this.gathered += `${text}\n`;
      if (this.gathered.length >= MAX_GATHERED_CHARS) this.handOn();
    });
  }

  /** Each piece is handed on before the next is made: the peer reads while we write. */
  lineInPieces(message: PiecedMessage): Promise<void> {
    return this.writing(() => {
      for (const piece of message.pieces()) {
        if (typeof piece === "string" && piece.length < MAX_GATHERED_CHARS) this.gathered += piece;
        else this.writeLong(piece);
      }
      this.gathered += "\n";
      this.handOn();
    });
  }

  async end(): Promise<void> {
    await this.flushing?.catch(() => {}); // whoever wrote has been told
    await this.sink.end();
  }

  private writing(write: () => void): Promise<void> {
    this.flushing ??= Promise.resolve().then(() => this.flush());
    try {
      write();
      return this.flushing;
    } catch (error) {
      // The pipe is closed; callers expect a promise.
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  private flush(): Promise<void> | undefined {
    this.flushing = undefined;
    this.handOn();
    const flushed = this.sink.flush();
    return typeof flushed === "number" ? undefined : flushed.then(() => {});
  }

  private handOn(): void {
    const text = this.gathered;
    if (text === "") return;
    this.gathered = "";
    this.write(text);
  }

  /** What was gathered before goes out by itself: the sink would copy the piece behind it, and the peer wakes up meanwhile. */
  private writeLong(piece: string | Uint8Array): void {
    if (this.gathered !== "") {
      this.handOn();
      const flushed = this.sink.flush();
      if (flushed instanceof Promise) flushed.catch(() => {}); // shows in the flush that follows
    }
    this.write(piece);
  }

  private write(data: string | Uint8Array): void {
    const written = this.sink.write(data);
    // A write that fails later shows in the flush that follows it.
    if (written instanceof Promise) written.catch(() => {});
    else if (typeof written !== "number") throw new Error("the pipe is closed"); // Bun gives nothing after the end
  }
}

function messageOf(line: Line): Incoming {
  if (line.kind === "bad") {
    const { problem, ends } = line;
    return { kind: "malformed", id: undefined, error: new RpcError(PARSE_ERROR, problem), ...(ends ? { ends } : {}) };
  }
  const message = parseMessage(line.text);
  const isJson = message.kind !== "malformed" || message.error.code !== PARSE_ERROR;
  return isJson ? message : { ...message, ends: endsOf(line.text) };
}
