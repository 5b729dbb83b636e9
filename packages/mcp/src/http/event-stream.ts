// An event stream that can outlive its connection: sent events are kept for a while, so that a client that lost the
// connection, or was told to reconnect later, gets the rest.
import { eventText, primingText } from "@bosun/platform/sse";

export type StreamLimits = {
  /** Kept for a client that comes back. */
  maxEvents: number;
  maxChars: number;
  /** A reader this far behind is let go. */
  maxUnsentBytes: number;
  keepAliveMs: number;
};

/** What all streams of an endpoint may keep together: many sessions must not add up to all of the memory. */
export class ReplayBudget {
  chars = 0;
  private readonly maxChars: number;
  /** Streams that keep something, the one that has been quiet longest first. */
  private readonly streams = new Set<EventStream>();

  constructor(maxChars: number) {
    this.maxChars = maxChars;
  }

  /** Only the newest event stays whatever its size: the events of other streams are dropped for it. */
  makeRoomFor(sender: EventStream): void {
    this.streams.delete(sender);
    for (const stream of this.streams) {
      if (this.chars <= this.maxChars) break;
      stream.forget();
    }
    this.streams.add(sender);
  }

  get full(): boolean {
    return this.chars > this.maxChars;
  }

  leave(stream: EventStream): void {
    this.streams.delete(stream);
  }
}

export const STREAM_LIMITS: StreamLimits = {
  maxEvents: 1000,
  maxChars: 8 * 1024 * 1024,
  maxUnsentBytes: 16 * 1024 * 1024,
  keepAliveMs: 15_000,
};

/** What happens to sent events: kept and numbered, kept once they cannot be delivered, or lost with the connection. */
type Mode = { resumable: boolean; primed: boolean };

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no", // proxies must not hold events back
};
const encoder = new TextEncoder();

export class EventStream {
  readonly id: string;
  /** Set when the last event has been sent. */
  ended = false;
  endedAt = 0;
  /** Called when the reader hangs up, not when we let go of it. */
  onHangUp: () => void = () => {};
  private readonly mode: Mode;
  private readonly limits: StreamLimits;
  private readonly budget: ReplayBudget;
  private kept: { number: number; text: string }[] = [];
  private keptChars = 0;
  private next = 1;
  private delivered = 0;
  private sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  private keepAlive: Timer | undefined;

  constructor(id: string, mode: Mode, limits: StreamLimits, budget = new ReplayBudget(limits.maxChars)) {
    this.id = id;
    this.mode = mode;
    this.limits = limits;
    this.budget = budget;
  }

  send(data: string): void {
    if (this.ended) return;
    const number = this.next++;
    if (this.mode.resumable || !this.sink) this.keep(number, data);
    if (this.sink) this.deliver(number, data);
  }

  end(): void {
    this.ended = true;
    this.endedAt = Date.now();
    this.detach();
  }

  /** A response that carries the stream on, from after the given event. A second reader replaces the first. */
  attach(after: number, extraHeaders: Record<string, string> = {}): Response {
    this.detach();
    let reader: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = this.sink = controller;
          if (this.mode.primed) this.write(primingText(this.eventId(after)));
          for (const { number, text } of this.kept) if (number > after) this.deliver(number, text);
          if (!this.mode.resumable) this.forget();
          if (this.ended) return this.detach();
          this.keepAlive = setInterval(() => this.write(": keep-alive\n\n"), this.limits.keepAliveMs);
        },
        cancel: () => {
          // A reader that was replaced may hang up long after: that is no news of the one we have now.
          if (this.sink === reader) this.hungUp();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 64 * 1024 }),
    );
    return new Response(body, { headers: { ...HEADERS, ...extraHeaders } });
  }

  /** Lets the connection go while the stream lives on: the client is to come back in a while. */
  release(retryMs: number): void {
    // Reconnecting is part of 2025-11-25, as is the event without data that says when.
    if (!this.mode.primed || !this.sink) return;
    this.write(primingText(this.eventId(this.next - 1), retryMs));
    this.detach();
  }

  get attached(): boolean {
    return this.sink !== undefined;
  }

  /** The number of the last event that a reader was given. */
  get lastDelivered(): number {
    return this.delivered;
  }

  private eventId(number: number): string {
    return `${this.id}_${number}`;
  }

  private deliver(number: number, text: string): void {
    this.delivered = Math.max(this.delivered, number);
    this.write(eventText(text, this.mode.resumable ? this.eventId(number) : undefined));
  }

  private write(text: string): void {
    if (!this.sink) return;
    try {
      this.sink.enqueue(encoder.encode(text));
    } catch {
      // the reader has cancelled the stream
      return this.hungUp();
    }
    if (this.sink && -(this.sink.desiredSize ?? 0) > this.limits.maxUnsentBytes) {
      // It has stopped reading. A resumable stream waits for it; another is lost, as if it had hung up.
      const { sink } = this;
      this.hungUp();
      sink.error(new Error("the reader is too far behind")); // frees what it has not read
    }
  }

  private keep(number: number, text: string): void {
    this.kept.push({ number, text });
    this.count(text.length);
    const { maxEvents, maxChars } = this.limits;
    const drop = (): void => this.count(-(this.kept.shift()?.text.length ?? 0));
    while (this.kept.length > 1 && (this.kept.length > maxEvents || this.keptChars > maxChars)) drop();
    this.budget.makeRoomFor(this);
    while (this.kept.length > 1 && this.budget.full) drop();
  }

  private count(chars: number): void {
    this.keptChars += chars;
    this.budget.chars += chars;
  }

  /** Drops the kept events: nobody will reconnect for them. */
  forget(): void {
    this.count(-this.keptChars);
    this.kept = [];
    this.budget.leave(this);
  }

  /** Is its last event, the reply, neither kept nor with the reader who comes back? Then coming back is pointless. */
  lostItsEnd(after: number): boolean {
    return this.ended && this.kept.length === 0 && after < this.next - 1;
  }

  private hungUp(): void {
    this.sink = undefined;
    clearInterval(this.keepAlive);
    this.onHangUp();
  }

  private detach(): void {
    clearInterval(this.keepAlive);
    const { sink } = this;
    this.sink = undefined;
    try {
      sink?.close();
    } catch {
      // the reader had gone already
    }
  }
}

/** `<stream>_<number>`, as issued. */
export function parseEventId(eventId: string): { stream: string; number: number } | undefined {
  const match = /^([0-9a-z]+)_(\d{1,15})$/.exec(eventId);
  return match?.[1] === undefined ? undefined : { stream: match[1], number: Number(match[2]) };
}
