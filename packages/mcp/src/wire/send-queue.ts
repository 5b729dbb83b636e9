// Messages sent but not yet taken by the peer: how much they are, and when more may be sent.
import type { MessageText } from "./encoded-text.ts";
import type { Transport } from "./transport.ts";

/** A peer that never reads: beyond this much unsent output nothing more is read from it, either. */
const MAX_UNSENT_CHARS = 32 * 1024 * 1024;

export class SendQueue {
  private readonly transport: Transport;
  private unsent = 0;
  private waiting: { below: number; resolve: () => void }[] = [];
  private onFailed: () => void = () => {};
  /** Resolves when the peer does not take what is sent to it: nobody is there to read the rest. */
  readonly failed = new Promise<void>((resolve) => (this.onFailed = resolve));

  constructor(transport: Transport) {
    this.transport = transport;
  }

  get isFull(): boolean {
    return this.unsent > MAX_UNSENT_CHARS;
  }

  push(text: MessageText): void {
    const { length } = text;
    this.unsent += length;
    const taken = (): void => this.taken(length);
    this.send(text).then(taken, () => {
      taken(); // the peer is gone: the end of `incoming` says so
      this.onFailed();
    });
  }

  private send(text: MessageText): Promise<void> {
    const { transport } = this;
    if (typeof text === "string") return transport.send(text);
    return transport.sendPieces?.(text) ?? transport.send(text.toString());
  }

  untilNotFull(): Promise<void> {
    return this.below(MAX_UNSENT_CHARS);
  }

  untilEmpty(): Promise<void> {
    return this.below(0);
  }

  private below(limit: number): Promise<void> {
    if (this.unsent <= limit) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ below: limit, resolve }));
  }

  private taken(chars: number): void {
    this.unsent -= chars;
    if (this.waiting.length === 0) return;
    const still = this.waiting.filter(({ below }) => this.unsent > below);
    const free = this.waiting.filter(({ below }) => this.unsent <= below);
    this.waiting = still;
    for (const { resolve } of free) resolve();
  }
}
