// Event streams as a client reads them: replies on them, the server's own stream, and coming back after a break.
import type { Id, Reply, Single } from "../wire/message.ts";
import { parseMessage } from "../wire/message.ts";
import { ConnectionError } from "../wire/rpc-error.ts";
import { EventParser } from "@bosun/platform/sse";
import type { ServerEvent } from "@bosun/platform/sse";
import { MAX_MESSAGE_BYTES } from "../wire/stdio.ts";

/** When the server does not say how long to wait before coming back. */
const DEFAULT_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
/** However eager the server is, we do not come back in a tight loop. */
const MIN_RETRY_MS = 20;
const MAX_ATTEMPTS = 8;
/** Some servers answer the GET for their stream and close it at once: so often, and there is none. */
const MAX_EMPTY_STREAMS = 2;
const AT_ONCE_MS = 1000;

type Get = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;
type Position = { lastId: string | undefined; retryMs: number };

export class EventStreamReader {
  private readonly get: Get;
  private readonly take: (message: Single) => void;

  private readonly maxBytes: number;
  private received = 0;

  constructor(get: Get, take: (message: Single) => void, maxBytes: number = MAX_MESSAGE_BYTES) {
    this.get = get;
    this.take = take;
    this.maxBytes = maxBytes;
  }

  /** Reads until the reply is there; a stream that breaks before is taken up again where it broke. */
  async replyIn(first: Response, id: Id, signal: AbortSignal, resumable: boolean): Promise<Reply> {
    const position: Position = { lastId: undefined, retryMs: DEFAULT_RETRY_MS };
    let response: Response | undefined = first;
    let failures = 0;
    for (;;) {
      const reply = response && (await this.follow(response, position, id, signal));
      if (reply) return reply;
      if (!resumable || position.lastId === undefined) {
        throw new ConnectionError("closed", "the server ended the stream without a reply");
      }
      // A server may let us come back any number of times while it works; the caller's deadline ends it.
      await pause(Math.min(position.retryMs * 2 ** failures, MAX_RETRY_MS), signal);
      response = await this.get({ "last-event-id": position.lastId }, signal).catch((error: unknown) => {
        if (signal.aborted || failures++ === MAX_ATTEMPTS) throw error;
        return undefined;
      });
      if (response?.ok) failures = 0;
      else if (response && (response.status < 500 || failures++ === MAX_ATTEMPTS)) {
        await response.body?.cancel();
        // Not with its status: the request has been seen, and whoever knows a 404 would send it again.
        const problem = `the stream broke, and the server answered ${response.status} when asked for the rest`;
        throw new ConnectionError("closed", problem);
      }
    }
  }

  /** The server's own stream, for as long as the connection lives. A server may have none: 405. */
  async listen(signal: AbortSignal): Promise<void> {
    const position: Position = { lastId: undefined, retryMs: DEFAULT_RETRY_MS };
    let failures = 0;
    let empty = 0;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const { received } = this;
      try {
        const response = await this.get(
          position.lastId === undefined ? {} : { "last-event-id": position.lastId },
          signal,
        );
        if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
          await response.body?.cancel();
          if (response.status < 500) return;
          failures++;
        } else {
          failures = 0;
          await this.follow(response, position, undefined, signal);
          const isEmpty = this.received === received && performance.now() - startedAt < AT_ONCE_MS;
          // With an id the server has told us where to go on: then it means to be polled.
          empty = isEmpty && position.lastId === undefined ? empty + 1 : 0;
          if (empty >= MAX_EMPTY_STREAMS) return;
        }
      } catch {
        // no connection, or it broke: tried again, so many times
        failures++;
      }
      if (failures > MAX_ATTEMPTS) return;
      await pause(Math.min(position.retryMs * 2 ** failures, MAX_RETRY_MS), signal).catch(() => {}); // aborted: the loop ends
    }
  }

  private async follow(
    response: Response,
    position: Position,
    id: Id | undefined,
    signal: AbortSignal,
  ): Promise<Reply | undefined> {
    try {
      for await (const event of eventsIn(response, this.maxBytes)) {
        if (event.id !== undefined) position.lastId = event.id;
        if (event.retryMs !== undefined) {
          position.retryMs = Math.max(MIN_RETRY_MS, Math.min(event.retryMs, MAX_RETRY_MS));
        }
        if (event.data === "") continue;
        const reply = this.sort(event, id);
        if (reply) return reply;
      }
    } catch (error) {
      // a stream that broke after an event with an id can be taken up again
      if (signal.aborted || position.lastId === undefined) throw error;
    }
    return undefined;
  }

  private sort(event: ServerEvent, id: Id | undefined): Reply | undefined {
    const message = parseMessage(event.data);
    let found: Reply | undefined;
    for (const one of message.kind === "batch" ? message.items : [message]) {
      if (one.kind === "reply" && one.id === id) found = one;
      else {
        if (one.kind !== "malformed") this.received++;
        this.take(one);
      }
    }
    return found;
  }
}

export async function* eventsIn(response: Response, maxBytes: number = MAX_MESSAGE_BYTES): AsyncGenerator<ServerEvent> {
  const parser = new EventParser(maxBytes);
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) yield* parser.push(decoder.decode(chunk, { stream: true }));
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      reject(new ConnectionError("cancelled", "the request was cancelled"));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
