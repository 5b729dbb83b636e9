// A link over one connection: what it sends, and in which order.
import { expect, test } from "bun:test";
import { HttpLink } from "../src/client/http-link.ts";
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

test.each<[string, () => Promise<Response>, string]>([
  [
    "one that has moved says where to",
    async () => new Response(null, { status: 307, headers: { location: "/mcp/" } }),
    "the server answered 307: it is now at /mcp/",
  ],
  [
    "a connection that broke is explained without advice for programmers",
    () =>
      Promise.reject(
        new Error(
          "The socket connection was closed unexpectedly. For more information, pass `verbose: true` to fetch()",
        ),
      ),
    "The socket connection was closed unexpectedly.",
  ],
])("over HTTP, %s", async (_, fetch, why) => {
  const link = new HttpLink({ url: new URL("http://x/mcp"), fetch, headersFor: () => [], receive() {} });
  const outgoing = { id: idOf(1), method: "tools/call", params: {} };
  await expect(link.request(outgoing, new AbortController().signal)).rejects.toThrow(new Error(why));
});
