// What a legacy server asks of a client in requests of its own: each is answered once, and not too many at a time.
import { rpcErrorFor } from "../wire/failure-reply.ts";
import type { JsonObject } from "../wire/json.ts";
import { errorText, resultText } from "../wire/message.ts";
import type { Id, Request } from "../wire/message.ts";
import { INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";

/** A server that asks more at once is broken or hostile. */
const MAX_ASKED = 100;
/** Answers on their way to a server that may not read them: beyond these it gets no more. */
const MAX_UNREAD = 1000;
const MAX_UNREAD_CHARS = 16 * 1024 * 1024;

type HandleServerRequest = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export class ServerRequests {
  private readonly answer: HandleServerRequest;
  private readonly reply: (text: string) => Promise<void>;
  private readonly open = new Map<Id, AbortController>();
  private unread = 0;
  private unreadChars = 0;

  constructor(answer: HandleServerRequest, reply: (text: string) => Promise<void>) {
    this.answer = answer;
    this.reply = reply;
  }

  take(request: Request): void {
    if (this.unread >= MAX_UNREAD || this.unreadChars >= MAX_UNREAD_CHARS) return;
    // A server that has gone needs no answer.
    void this.answerTo(request)
      .then((text) => (text === undefined ? undefined : this.send(text)))
      .catch(() => {});
  }

  cancel(id: Id): void {
    this.open.get(id)?.abort();
  }

  end(): void {
    for (const controller of this.open.values()) controller.abort();
  }

  private async send(text: string): Promise<void> {
    this.unread++;
    this.unreadChars += text.length;
    try {
      await this.reply(text);
    } finally {
      this.unread--;
      this.unreadChars -= text.length;
    }
  }

  private async answerTo({ id, method, params = {} }: Request): Promise<string | undefined> {
    if (this.open.has(id)) return errorText(id, new RpcError(INVALID_REQUEST, `request ${id} is still being answered`));
    if (this.open.size >= MAX_ASKED) {
      return errorText(id, new RpcError(INVALID_REQUEST, `more than ${MAX_ASKED} requests are being answered`));
    }
    const controller = new AbortController();
    const { signal } = controller;
    this.open.set(id, controller);
    try {
      const result = method === "ping" ? {} : await this.answer(method, params, signal);
      return signal.aborted ? undefined : resultText(id, result); // a cancelled question gets no answer
    } catch (error) {
      return signal.aborted ? undefined : errorText(id, rpcErrorFor(error));
    } finally {
      this.open.delete(id);
    }
  }
}
