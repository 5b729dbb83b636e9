// A client's way to a server: it sends a request and brings back its reply, whatever carries them.
// It knows no eras and no methods; client.ts does.
import type { JsonObject, RawJson } from "../wire/json-value.ts";
import { idValue, notificationText, requestText } from "../wire/message.ts";
import type { Id, Notification, Reply, Request } from "../wire/message.ts";
import { PendingRequests } from "../wire/pending-requests.ts";
import { ConnectionError } from "../wire/rpc-error.ts";
import type { Transport } from "../wire/transport.ts";

export type Outgoing = {
  id: Id;
  method: string;
  params: JsonObject | undefined;
  /** The params as they came, for relays: they go out unchanged. */
  exact?: RawJson;
};
/** `status`: of the HTTP response that carried the reply. */
export type Answer = { reply: Reply; status: number | undefined };

/** Requests and notifications of the server. */
export type FromServer = (message: Request | Notification) => void;

export type Link = {
  /**
   * Rejects with ConnectionError when no reply can come. Aborting the signal gives up and tells the server so in the
   * carrier's way. `onSent` is called once the server may have seen the request: from then on repeating it is a risk.
   */
  request(outgoing: Outgoing, signal: AbortSignal, onSent?: () => void): Promise<Answer>;
  notify(method: string, params?: JsonObject | RawJson): Promise<void>;
  /** An answer to a request of the server. */
  reply(text: string): Promise<void>;
  /** `initialize` has been answered: later messages carry what it settled. */
  settled?(revision: string): void;
  /** Does this link carry HTTP headers, so that standard headers matter? */
  readonly http: boolean;
  /** Aborted when the connection is gone. */
  readonly gone: AbortSignal;
  close(): Promise<void>;
};

/** A link over one two-way connection: a child's stdio, HTTP+SSE, or a pair in memory. */
export class TransportLink implements Link {
  readonly http: boolean;
  private readonly transport: Transport;
  private readonly receive: FromServer;
  private readonly waiting = new PendingRequests();
  private readonly end = new AbortController();

  constructor(transport: Transport, receive: FromServer, { http = false } = {}) {
    this.http = http;
    this.transport = transport;
    this.receive = receive;
    void this.listen();
  }

  get gone(): AbortSignal {
    return this.end.signal;
  }

  async request({ id, method, params, exact }: Outgoing, signal: AbortSignal, onSent?: () => void): Promise<Answer> {
    if (this.gone.aborted) throw new ConnectionError("closed", "the server is gone");
    // Given up before it was sent: the cancellation would overtake it, and the server would run what nobody waits for.
    if (signal.aborted) throw new ConnectionError("cancelled", "the request was cancelled");
    const reply = this.waiting.wait(id, { signal }, (reason) => {
      // `initialize` must never be cancelled; its end is the end of the connection.
      if (method === "initialize") return;
      void this.notify("notifications/cancelled", { requestId: idValue(id), reason }).catch(() => {}); // it is gone, and so is the request
    });
    if (this.http) onSent?.(); // a POST that fails may have arrived
    const sent = this.http ? undefined : onSent;
    const sending = this.transport.send(requestText(id, method, exact ?? params)).then(sent, (error: unknown) => {
      const problem = error instanceof Error ? error.message : String(error);
      this.waiting.fail(id, error instanceof ConnectionError ? error : new ConnectionError("closed", problem));
    });
    // A server that does not read must not keep us past the deadline: whichever settles first counts.
    await Promise.race([sending, reply]);
    return { reply: await reply, status: undefined };
  }

  async notify(method: string, params?: JsonObject | RawJson): Promise<void> {
    await this.transport.send(notificationText(method, params));
  }

  async reply(text: string): Promise<void> {
    await this.transport.send(text);
  }

  async close(): Promise<void> {
    await this.transport.close();
    this.ended();
  }

  private async listen(): Promise<void> {
    try {
      for await (const message of this.transport.incoming) {
        // A reply that is late or unknown means nothing.
        for (const one of message.kind === "batch" ? message.items : [message]) {
          if (one.kind === "reply") this.waiting.settle(one);
          else if (one.kind === "malformed") this.waiting.rejectMalformed(one);
          else this.receive(one);
        }
      }
    } catch {
      // a broken stream is an ended one
    } finally {
      this.ended();
    }
  }

  private ended(): void {
    this.end.abort();
    this.waiting.failAll(new ConnectionError("closed", "the server closed the connection"));
  }
}
