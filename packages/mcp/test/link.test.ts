// A link over one connection: what it sends, and in which order.
import { expect, test } from "bun:test";
import { TransportLink } from "../src/client/link.ts";
import { idOf } from "../src/wire/message.ts";
import { Mailbox } from "../src/wire/transport.ts";

/** A connection on which nothing ever comes, and what was sent on it. */
function silentConnection(): { sent: string[]; link: TransportLink } {
  const sent: string[] = [];
  const send = async (text: string): Promise<void> => void sent.push(text);
  return { sent, link: new TransportLink({ incoming: new Mailbox(), send, close: async () => {} }, () => {}) };
}

test("a request that was given up before it was sent is never sent, and neither is its cancellation", async () => {
  const { sent, link } = silentConnection();
  const outgoing = { id: idOf(1), method: "tools/call", params: {} };
  await expect(link.request(outgoing, AbortSignal.abort())).rejects.toThrow("the request was cancelled");
  expect(sent).toEqual([]);
});

test("a request that is given up later is cancelled after it was sent", async () => {
  const { sent, link } = silentConnection();
  const giveUp = new AbortController();
  const answer = link.request({ id: idOf(1), method: "tools/call", params: {} }, giveUp.signal);
  giveUp.abort();
  await expect(answer).rejects.toThrow("the request was cancelled");
  expect(sent.map((text) => (JSON.parse(text) as { method: string }).method)).toEqual([
    "tools/call",
    "notifications/cancelled",
  ]);
});
