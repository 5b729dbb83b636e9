// A two-way flow of messages over one connection, and a pair of them in memory.
import type { PiecedMessage } from "./encoded-text.ts";
import { parseMessage } from "./message.ts";
import type { Incoming } from "./message.ts";
import { ConnectionError } from "./rpc-error.ts";

/** Messages that wait for a reader without slowing the sender. */
const MAX_QUEUED = 1000;

/** The end of `incoming` is the end of the connection. */
export type Transport = {
  /** A malformed message is a value: whoever loops over this answers it and goes on. */
  incoming: AsyncIterable<Incoming>;
  /** Takes one message's JSON text. Resolves once it is handed over; a slow peer makes this slow. */
  send(text: string): Promise<void>;
  /** The same for a message that is made while it is sent; without this, its text is sent. */
  sendPieces?(message: PiecedMessage): Promise<void>;
  close(): Promise<void>;
};

/** Two ends of one connection in this process. */
export function transportPair(): [Transport, Transport] {
  const toLeft = new Mailbox();
  const toRight = new Mailbox();
  const end = (inbox: Mailbox, outbox: Mailbox): Transport => ({
    incoming: inbox,
    send: (text) => outbox.put(parseMessage(text)),
    async close() {
      inbox.end();
      outbox.end();
    },
  });
  return [end(toLeft, toRight), end(toRight, toLeft)];
}

/** A queue with an end: what is put in comes out in order, to one reader. */
export class Mailbox implements AsyncIterable<Incoming> {
  private readonly queue: Incoming[] = [];
  private senders: (() => void)[] = [];
  private wake: (() => void) | undefined;
  private ended = false;

  /** Resolves once the reader is less than a mailbox behind: a slow reader makes this slow. */
  put(message: Incoming): Promise<void> {
    if (this.ended) return Promise.reject(new ConnectionError("closed", "the connection is closed"));
    this.queue.push(message);
    this.wake?.();
    if (this.queue.length <= MAX_QUEUED) return Promise.resolve();
    return new Promise((resolve) => this.senders.push(resolve));
  }

  end(): void {
    this.ended = true;
    this.wake?.();
    this.letSend();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Incoming> {
    for (;;) {
      const message = this.queue.shift();
      if (this.queue.length <= MAX_QUEUED) this.letSend();
      if (message) yield message;
      else if (this.ended) return;
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  private letSend(): void {
    const { senders } = this;
    this.senders = [];
    for (const resolve of senders) resolve();
  }
}
