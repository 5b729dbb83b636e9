// Requests that a server sends to its client (sampling, elicitation, roots): each is answered on the link it came by,
// unless the server has withdrawn it.
import { INTERNAL_ERROR, RpcError, CancelledByPeer } from "@bosun/mcp/server";
import type { JsonObject } from "@bosun/mcp/server";
import { errorText, idFrom, resultText } from "@bosun/mcp/relay";
import type { Link, Notification, Request } from "@bosun/mcp/relay";

/** Questions that wait for the client, and answers that the server does not read. */
const MAX_WAITING = 100;

/** Throws RpcError. Aborted when the server does not want to know any more. */
export type AnswerServer = (message: Request, signal: AbortSignal) => Promise<JsonObject>;

export class ServerRequests {
  private readonly answerServer: AnswerServer;
  private readonly open = new Map<string, AbortController>();
  private waiting = 0;

  constructor(answerServer: AnswerServer) {
    this.answerServer = answerServer;
  }

  async answer(message: Request, link: Link): Promise<void> {
    // A server that asks without end, or does not read our answers, gets no more of either.
    if (this.waiting >= MAX_WAITING) return;
    this.waiting++;
    const { id } = message;
    const withdrawn = new AbortController();
    this.open.set(id, withdrawn);
    const text = await this.answerTo(message, withdrawn.signal);
    if (this.open.get(id) === withdrawn) this.open.delete(id);
    if (!withdrawn.signal.aborted) await link.reply(text).catch(() => {});
    this.waiting--;
  }

  /** Does it withdraw a request of its own? The client knows that one under another id, and is told so by whoever asked it. */
  withdraws({ method, params, raw }: Notification): boolean {
    if (method !== "notifications/cancelled") return false;
    const id = idFrom(params?.["requestId"], raw, ["params", "requestId"]);
    const question = id === undefined ? undefined : this.open.get(id);
    question?.abort(CancelledByPeer.by(params ?? {}));
    return question !== undefined;
  }

  private async answerTo(message: Request, signal: AbortSignal): Promise<string> {
    const { id, method } = message;
    try {
      return resultText(id, method === "ping" ? {} : await this.answerServer(message, signal));
    } catch (error) {
      // The server is told why it gets no answer.
      return errorText(
        id,
        error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, "the client did not answer"),
      );
    }
  }
}
