// Ways to a server that hear an answer although we have just given up on it: the server is told at once that the call is
// cancelled, and a result that is already on its way counts for two seconds longer. Also where a pinned revision is
// put into the handshake.
import { ConnectionError } from "@bosun/mcp";
import type { JsonObject, Transport } from "@bosun/mcp";
import { idValue, TransportLink } from "@bosun/mcp/relay";
import type { Answer, FromServer, Id, Link, Outgoing, Reply } from "@bosun/mcp/relay";

export const LATE_MS = 2000;

export type LateReplyOptions = {
  /** An answer to a tool call that we no longer waited for. */
  onLate: (params: JsonObject, reply: Reply) => void;
  /** Asked for in `initialize` instead of the newest. */
  revision: string | undefined;
};

/** Over one two-way connection: cancelling needs no second channel, and what comes late comes the same way. */
export function lateReplyTransportLink(transport: Transport, receive: FromServer, lateReplies: LateReplyOptions): Link {
  const given = new Map<Id, JsonObject>();
  const incoming = overheard(transport.incoming, (reply) => {
    const params = reply.id === undefined ? undefined : given.get(reply.id);
    if (params !== undefined) lateReplies.onLate(params, reply);
  });
  const inner = new TransportLink(
    { incoming, send: (text) => transport.send(text), close: () => transport.close() },
    receive,
  );
  return decorated(inner, async (outgoing, signal, onSent) => {
    try {
      return await inner.request(pinned(outgoing, lateReplies.revision), signal, onSent);
    } catch (error) {
      if (signal.aborted && isCall(outgoing)) {
        given.set(outgoing.id, outgoing.params);
        setTimeout(() => given.delete(outgoing.id), LATE_MS).unref();
      }
      throw error;
    }
  });
}

/** Over HTTP the answer has a connection of its own: it stays open for a moment after the server was told. */
export function lateReplyHttpLink(inner: Link, lateReplies: LateReplyOptions): Link {
  let isLegacy = false;
  const link = decorated(inner, (outgoing, signal, onSent) => {
    const asked = pinned(outgoing, lateReplies.revision);
    // From 2026-07-28 on, closing the connection is how a call is cancelled.
    if (!isLegacy || !isCall(asked)) return inner.request(asked, signal, onSent);
    return requestKeepingLateReply(inner, asked, signal, onSent, lateReplies);
  });
  return {
    ...link,
    get gone() {
      return inner.gone;
    },
    settled(revision) {
      isLegacy = true;
      inner.settled?.(revision);
    },
  };
}

type Call = Outgoing & { params: JsonObject };
type Request = (outgoing: Outgoing, signal: AbortSignal, onSent?: () => void) => Promise<Answer>;

async function requestKeepingLateReply(
  inner: Link,
  call: Call,
  signal: AbortSignal,
  onSent: (() => void) | undefined,
  lateReplies: LateReplyOptions,
): Promise<Answer> {
  const patience = new AbortController();
  const answer = inner.request(call, patience.signal, onSent);
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = (): void => {
    const params = { requestId: idValue(call.id), reason: "the client gave up" };
    void inner.notify("notifications/cancelled", params).catch(() => {}); // a wish: the server may be gone
    const timer = setTimeout(() => patience.abort(), LATE_MS);
    void answer.then(
      ({ reply }) => lateReplies.onLate(call.params, reply),
      () => {},
    );
    // The caller was told "cancelled" already.
    void answer.catch(() => {}).finally(() => clearTimeout(timer));
    gaveUp.reject(new ConnectionError("cancelled", "the request was cancelled"));
  };
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([answer, gaveUp.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function decorated(inner: Link, request: Request): Link {
  return {
    request,
    notify: (method, params) => inner.notify(method, params),
    reply: (text) => inner.reply(text),
    close: () => inner.close(),
    http: inner.http,
    get gone() {
      return inner.gone;
    },
  };
}

async function* overheard(incoming: Transport["incoming"], onReply: (reply: Reply) => void): Transport["incoming"] {
  for await (const message of incoming) {
    for (const one of message.kind === "batch" ? message.items : [message]) if (one.kind === "reply") onReply(one);
    yield message;
  }
}

function isCall(outgoing: Outgoing): outgoing is Call {
  return outgoing.method === "tools/call" && outgoing.params !== undefined;
}

function pinned(outgoing: Outgoing, revision: string | undefined): Outgoing {
  if (outgoing.method !== "initialize" || revision === undefined) return outgoing;
  return { ...outgoing, params: { ...outgoing.params, protocolVersion: revision } };
}
