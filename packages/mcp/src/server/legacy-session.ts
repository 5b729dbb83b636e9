// A legacy conversation: what `initialize` settled, and requests that the server sends to the client.
// How its messages travel is the carrier's business.
import type { ClientFacts, RequestOptions, Session } from "./call.ts";
import { isObject } from "../wire/json-value.ts";
import type { JsonObject, RawJson } from "../wire/json-value.ts";
import { exactResultOf, idValue, notificationText, requestText, resultOf } from "../wire/message.ts";
import type { Malformed, Reply } from "../wire/message.ts";
import { PendingRequests } from "../wire/pending-requests.ts";
import type { LegacyRevision } from "../wire/revisions.ts";
import { ConnectionError } from "../wire/rpc-error.ts";

/** A person answers: minutes, not seconds. */
const ANSWER_TIMEOUT_MS = 10 * 60 * 1000;

/** Where unsolicited messages go; `notify` may leave one out when the client does not read. */
type SessionOut = { send(text: string): void; notify(text: string): void };

export class LegacySession implements Session {
  readonly id: string;
  readonly revision: LegacyRevision;
  readonly client: ClientFacts;
  private readonly out: SessionOut;
  private readonly pending = new PendingRequests("s");
  private readonly end_ = new AbortController();

  constructor(id: string, revision: LegacyRevision, initializeParams: JsonObject, out: SessionOut) {
    this.id = id;
    this.revision = revision;
    this.client = clientFacts(initializeParams);
    this.out = out;
  }

  get ended(): AbortSignal {
    return this.end_.signal;
  }

  notify(method: string, params: JsonObject | RawJson): void {
    if (!this.ended.aborted) this.out.notify(notificationText(method, params));
  }

  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return this.requestVia(this.out.send, method, params, options);
  }

  /** On the stream of the call that asks: HTTP has several. */
  async requestVia(
    send: (text: string) => void,
    method: string,
    params: JsonObject,
    { signal, timeoutMs = ANSWER_TIMEOUT_MS, exact = false }: RequestOptions = {},
  ): Promise<JsonObject> {
    if (this.ended.aborted) throw new ConnectionError("closed", "the session has ended");
    if (signal?.aborted) throw new ConnectionError("cancelled", "the request was cancelled");
    const id = this.pending.newId();
    const answer = this.pending.wait(id, { signal, timeoutMs }, (reason) =>
      send(notificationText("notifications/cancelled", { requestId: idValue(id), reason })),
    );
    send(requestText(id, method, params));
    const reply = await answer;
    return exact ? exactResultOf(reply) : resultOf(reply);
  }

  /** A reply from the client. Late and unknown ones mean nothing. */
  settle(reply: Reply): void {
    this.pending.settle(reply);
  }

  /** A reply that cannot be read: whoever asked need not wait any longer. */
  rejectMalformed(reply: Malformed): void {
    this.pending.rejectMalformed(reply);
  }

  end(): void {
    this.end_.abort();
    this.pending.failAll(new ConnectionError("closed", "the session has ended"));
  }
}

export function clientFacts(initializeParams: JsonObject): ClientFacts {
  const { capabilities, clientInfo } = initializeParams;
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    info: isObject(clientInfo) ? clientInfo : undefined,
  };
}
